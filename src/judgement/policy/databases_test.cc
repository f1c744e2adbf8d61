#include "judgement/policy/databases.h"

#include <gtest/gtest.h>

#include "judgement/policy/policy.h"

namespace belljar::judgement::policy {
namespace {

Result<Policy> With(const std::string& keys) {
  return ParsePolicy("extends = \"standard\"\n[databases.sales]\n" + keys, "mine");
}
std::string WhyNot(const std::string& keys) {
  const auto policy = With(keys);
  return policy ? "" : policy.error().message();
}

TEST(Databases, AreReadWithTheirLimits) {
  const auto policy = With(
      "postgres = \"env:SALES\"\nrole = \"reader\"\nwrite = \"ask\"\nwrite_role = \"writer\"\n"
      "max_rows = 5\nmax_bytes = \"64K\"\ntimeout = \"2s\"\nhold = \"30s\"\nmax_calls = 7\n"
      "calls_per_minute = 8\nmax_connections = 9\n");
  ASSERT_TRUE(policy) << policy.error().message();
  DatabaseTerms wanted;
  wanted.postgres = "env:SALES";
  wanted.role = "reader";
  wanted.write = DatabaseWrites::kAsk;
  wanted.write_role = "writer";
  wanted.max_rows = 5;
  wanted.max_bytes = 64U << 10;
  wanted.timeout = std::chrono::seconds(2);
  wanted.hold = std::chrono::seconds(30);
  wanted.max_calls = 7;
  wanted.calls_per_minute = 8;
  wanted.max_connections = 9;
  EXPECT_EQ(policy->databases.at("sales"), wanted);
  EXPECT_TRUE(NeedsToolsListener(*policy));
  EXPECT_TRUE(std::ranges::find(policy->python.allowed, "belljar") != policy->python.allowed.end());
}

TEST(Databases, TakeTimesAndSizesAsNumbersToo) {
  const auto policy = With("sqlite = \"/a\"\nmax_bytes = 4096\ntimeout = 2.5\nhold = 30\n");
  ASSERT_TRUE(policy) << policy.error().message();
  EXPECT_EQ(policy->databases.at("sales").max_bytes, 4096U);
  EXPECT_EQ(policy->databases.at("sales").timeout, std::chrono::milliseconds(2500));
  EXPECT_EQ(policy->databases.at("sales").hold, std::chrono::seconds(30));
  for (const char* const wrong : {"-1", "true", "0", "1e300", "nan", "[]"}) {
    EXPECT_FALSE(With(std::string("sqlite = \"/a\"\ntimeout = ") + wrong)) << wrong;
  }
}

TEST(Databases, AreOnlyReadUnlessThePolicySaysOtherwise) {
  EXPECT_EQ(With("sqlite = \"/srv/a.db\"")->databases.at("sales").write, DatabaseWrites::kNever);
  EXPECT_FALSE(With("sqlite = \"/srv/a.db\"\nwrite = \"always\""));
}

TEST(Databases, APolicyHoldsNoSecrets) {
  EXPECT_NE(WhyNot("postgres = \"host=db password=hush\"").find("holds no secrets"),
            std::string::npos);
  EXPECT_NE(WhyNot("postgres = \"env:A\"\nwrite = \"ask\"\nwrite_postgres = \"x\"")
                .find("holds no secrets"),
            std::string::npos);
}

TEST(Databases, WhatMakesNoSenseTogetherIsRefused) {
  for (const char* const keys :
       {"", "sqlite = \"/a\"\npostgres = \"env:A\"", "sqlite = \"a.db\"",
        "sqlite = \"/a\"\nrole = \"r\"", "sqlite = \"/a\"\nunsafe_superuser = true",
        "postgres = \"env:A\"\nwrite_role = \"w\"", "postgres = \"env:A\"\nrole = \"none\"",
        "postgres = \"env:A\"\nrole = \"r\"\nwrite = \"ask\"", "sqlite = \"/a\"\nhold = \"2h\"",
        "sqlite = \"/a\"\nmax_rows = 0", "sqlite = \"/a\"\nmax_bytes = \"9M\"", "what = 1"}) {
    EXPECT_NE(WhyNot(keys), "") << keys;
  }
  EXPECT_FALSE(ParsePolicy("[databases.\"a b\"]\nsqlite = \"/a\"", "mine"));
}

}  // namespace
}  // namespace belljar::judgement::policy
