#include "request/artefact.h"

#include <gtest/gtest.h>

#include "judgement/policy/decide.h"
#include "judgement/policy/policy.h"
#include "request/request_json.h"

namespace belljar::judgement::policy {
namespace {

const std::string kOne = "sha256:" + std::string(64, '1');
const std::string kTwo = "sha256:" + std::string(64, '2');

TEST(Artefact, IsANameAndPerhapsADigest) {
  const auto plain = request::ParseArtefact("weights-7b.v2");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->name, "weights-7b.v2");
  EXPECT_EQ(plain->digest, "");
  const auto pinned = request::ParseArtefact("iris@" + kOne);
  ASSERT_TRUE(pinned);
  EXPECT_EQ(pinned->digest, kOne);
  EXPECT_EQ(request::ArtefactText(*pinned), "iris@" + kOne);
}

TEST(Artefact, HasTheNameOfASafeFile) {
  for (const char* const bad :
       {"", ".", "..", ".hidden", "-rf", "_x", "a/b", "a b", "a\n", "a\\b", "ä", "a@", "@a"}) {
    EXPECT_FALSE(request::ParseArtefact(bad)) << bad;
  }
  EXPECT_FALSE(request::ParseArtefact(std::string(65, 'a')));
  EXPECT_TRUE(request::ParseArtefact(std::string(64, 'a')));
}

TEST(Artefact, HasADigestOfOneSpelling) {
  for (const std::string& bad :
       {"sha256:" + std::string(63, '1'), "sha256:" + std::string(64, 'A'),
        "sha512:" + std::string(64, '1'), std::string(64, '1'), kOne + "@" + kOne}) {
    EXPECT_FALSE(request::ParseArtefact("iris@" + bad)) << bad;
  }
}

TEST(Artefact, IsAskedForOnceAndNotTooOften) {
  EXPECT_TRUE(request::ValidateArtefacts({{"a", ""}, {"b", kOne}}));
  const auto twice = request::ValidateArtefacts({{"a", ""}, {"a", kOne}});
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().message(), "the artefact \"a\" is asked for twice");
  std::vector<request::Artefact> many;
  for (int i = 0; i < 9; ++i) many.push_back({"a" + std::to_string(i), ""});
  EXPECT_FALSE(request::ValidateArtefacts(many));
}

TEST(Artefact, OpensByPatternAndByDigest) {
  EXPECT_TRUE(request::IsArtefactOpen({"imagenet-*"}, {"imagenet-train", kOne}));
  EXPECT_FALSE(request::IsArtefactOpen({"imagenet-*"}, {"weights", kOne}));
  EXPECT_FALSE(request::IsArtefactOpen({}, {"weights", kOne}));
  EXPECT_TRUE(request::IsArtefactOpen({"weights@" + kOne}, {"weights", kOne}));
  EXPECT_FALSE(request::IsArtefactOpen({"weights@" + kOne}, {"weights", kTwo}));
  // The digest behind the name is unknown, so a pattern with a digest does not allow it.
  EXPECT_FALSE(request::IsArtefactOpen({"weights@" + kOne}, {"weights", ""}));
}

TEST(Artefact, OfAPolicyIsReadStrictly) {
  const auto good =
      ParsePolicy("extends = \"standard\"\n[artefacts]\nallow = [\"iris\", \"w-*\"]\n", "p");
  ASSERT_TRUE(good) << good.error().message();
  EXPECT_EQ(good->artefacts, (std::vector<std::string>{"iris", "w-*"}));
  for (const char* const bad :
       {"[artefacts]\nallow = [\"a/b\"]\n", "[artefacts]\nallow = [\"a@sha256:1\"]\n",
        "[artefacts]\nallow = [\"\"]\n", "[artefacts]\nallow = \"a\"\n",
        "[artefacts]\nalow = []\n"}) {
    EXPECT_FALSE(ParsePolicy(bad, "p")) << bad;
  }
}

TEST(Artefact, IsAWishThatAPersonAgreesTo) {
  request::Request request;
  request.artefacts = {{"iris", kOne}};
  Policy policy = **Preset("standard");
  const analysis::Analysis nothing;
  const Decision asked = Decide(nothing, policy, WishesOf(request));
  EXPECT_EQ(asked.action, Action::kReview);
  ASSERT_EQ(asked.wishes.size(), 1U);
  EXPECT_EQ(asked.wishes[0], "it asks for the artefact iris@" + kOne);
  policy.artefacts = {"iris"};
  EXPECT_EQ(Decide(nothing, policy, WishesOf(request)).action, Action::kAllow);
}

TEST(Artefact, TravelsInARequest) {
  const auto request =
      request::ParseRequest(R"({"code":"","artefacts":["iris","w@)" + kOne + R"("]})");
  ASSERT_TRUE(request) << request.error().message();
  EXPECT_EQ(request->artefacts, (std::vector<request::Artefact>{{"iris", ""}, {"w", kOne}}));
  const auto again = request::ParseRequest(json::serialize(request::ToJson(*request)));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->artefacts, request->artefacts);
  for (const char* const bad :
       {R"({"code":"","artefacts":"iris"})", R"({"code":"","artefacts":[1]})",
        R"({"code":"","artefacts":["../x"]})", R"({"code":"","artefacts":["a","a"]})"}) {
    EXPECT_FALSE(request::ParseRequest(bad)) << bad;
  }
}

}  // namespace
}  // namespace belljar::judgement::policy
