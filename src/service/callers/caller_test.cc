#include "service/callers/caller.h"

#include <gtest/gtest.h>

namespace belljar::service::callers {
namespace {

TEST(Scopes, AllowNothingAtFirst) {
  const Scopes none;
  for (const Scope scope : kAllScopes) EXPECT_FALSE(none.Has(scope));
  EXPECT_TRUE(none.empty());
  EXPECT_EQ(none.Text(), "");
}

TEST(Scopes, DoNotImplyOneAnother) {
  const Scopes admin = {Scope::kAdmin};
  EXPECT_TRUE(admin.Has(Scope::kAdmin));
  EXPECT_FALSE(admin.Has(Scope::kRun));
  EXPECT_FALSE(admin.Has(Scope::kAudit));
}

TEST(Scopes, ReadWhatTheyWrite) {
  EXPECT_EQ(Scopes::All().Text(), "run sessions approve audit admin");
  EXPECT_EQ(*Scopes::Parse(Scopes::All().Text()), Scopes::All());
  EXPECT_EQ(*Scopes::Parse("audit run"), (Scopes{Scope::kRun, Scope::kAudit}));
  EXPECT_EQ(*Scopes::Parse(""), Scopes());
}

TEST(Scopes, RefuseUnknownNames) {
  for (const char* text : {"root", "Run", "run,audit", "run  audit", " run"}) {
    EXPECT_FALSE(Scopes::Parse(text)) << text;
  }
}

TEST(ValidateName, AcceptsPlainNamesOnly) {
  const std::string longest(64, 'x');
  for (const std::string& name :
       {std::string("a"), std::string("ci-bot_2@team.example"), longest}) {
    EXPECT_TRUE(ValidateName(name)) << name;
  }
  const std::string nul("a\0b", 3);
  for (const std::string& name :
       {std::string(), std::string("belljar"), longest + "x", std::string("uid:0"), nul,
        std::string("-x"), std::string("a b"), std::string("a/b"), std::string("a\n"),
        std::string("caf\xc3\xa9")}) {
    EXPECT_FALSE(ValidateName(name)) << name;
  }
}

TEST(UidName, HasOneSpelling) {
  EXPECT_EQ(UidName(1000), "uid:1000");
  EXPECT_EQ(ParseUidName("uid:1000"), uid_t{1000});
  for (const char* name : {"uid:", "uid:01", "uid:+1", "uid:-1", "uid:1 ", "uid:4294967296",
                           "uid:4294967295", "UID:1", "1000"}) {
    EXPECT_FALSE(ParseUidName(name)) << name;
  }
}

TEST(ValidateQuotas, NamesWhatIsTooMuch) {
  EXPECT_TRUE(ValidateQuotas({}));
  EXPECT_TRUE(ValidateQuotas({0, 0, 0, 0}));
  EXPECT_EQ(ValidateQuotas({.sessions = 1'000'001}).error().message(),
            "a caller may have at most 1000000 sessions");
  EXPECT_FALSE(ValidateQuotas({.memory_bytes = Quotas::kMostBytes + 1}));
  EXPECT_FALSE(ValidateQuotas(Quotas::Unlimited()));
}

}  // namespace
}  // namespace belljar::service::callers
