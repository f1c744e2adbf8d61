#include "judgement/policy/policy.h"

#include <gtest/gtest.h>

#include "judgement/analysis/analyse.h"
#include "judgement/policy/decide.h"

namespace belljar::judgement::policy {
namespace {

std::string WhyRefused(std::string_view toml) {
  const auto policy = ParsePolicy(toml, "mine");
  return policy ? "" : policy.error().message();
}

TEST(Policy, PresetsPassTheirOwnExamples) {
  for (const std::string_view name : request::kLevels) {
    const auto preset = Preset(name);
    ASSERT_TRUE(preset) << preset.error().message();
    EXPECT_FALSE((*preset)->own_examples.empty());
    for (const Example& example : (*preset)->own_examples) {
      const auto language = example.lang == request::Lang::kPython ? analysis::Language::kPython
                            : example.lang == request::Lang::kJavaScript
                                ? analysis::Language::kJavaScript
                                : analysis::Language::kBash;
      const auto decision = Decide(analysis::Analyse(language, example.code), **preset, {});
      EXPECT_EQ(ActionName(decision.action), ActionName(example.expect))
          << name << ": " << example.says;
    }
  }
}

TEST(Policy, ExtendsAPresetByWhatIsDifferent) {
  const auto policy = ParsePolicy(
      "extends = \"standard\"\n[classes]\nfiles = \"block\"\n[rules]\npy-eval = \"allow\"\n"
      "[ask]\ntimeout = \"5m\"\n",
      "mine");
  ASSERT_TRUE(policy) << policy.error().message();
  EXPECT_EQ(policy->classes[static_cast<std::size_t>(analysis::Class::kFiles)], Action::kBlock);
  EXPECT_EQ(policy->rules.at("py-eval"), Action::kAllow);
  EXPECT_EQ(policy->ask.timeout, std::chrono::minutes(5));
  EXPECT_EQ(policy->python.forbidden, (*Preset("standard"))->python.forbidden);
}

TEST(Policy, NamesTheNearestKeyOfAnUnknownOne) {
  EXPECT_EQ(WhyRefused("extends = \"standard\"\n[clases]\n"),
            "policy mine: line 2: unknown key \"clases\"; did you mean \"classes\"?");
  EXPECT_EQ(WhyRefused("[classes]\nimports = \"block\"\n"),
            "policy mine: line 1: \"classes\": line 2, [classes]: unknown key \"imports\"; did you "
            "mean \"import\"?");
  EXPECT_NE(WhyRefused("[rules]\npy-evil = \"block\"\n").find("\"py-eval\""), std::string::npos);
}

TEST(Policy, RefusesAModuleThatIsAllowedWithoutANote) {
  EXPECT_NE(WhyRefused("extends = \"strict\"\n[python]\nallowed = [\"lxml\"]\n")
                .find("\"lxml\" is allowed without a note"),
            std::string::npos);
  const std::string noted =
      "extends = \"strict\"\n[python]\nallowed = [\"lxml\"]\n[modules.python]\nlxml = { files = "
      "true, network = true, memory = true, note = \"reads XML\" }\n";
  EXPECT_EQ(WhyRefused(noted), "");
  EXPECT_NE(WhyRefused("[modules.python]\nlxml = { files = true, note = \"reads XML\" }\n")
                .find("needs files, network, memory and note"),
            std::string::npos);
}

TEST(Policy, RefusesWhatItDoesNotKnow) {
  EXPECT_NE(WhyRefused("extends = \"lax\"\n").find("known: strict, standard, relaxed"),
            std::string::npos);
  EXPECT_NE(WhyRefused("extends = \"standart\"\n").find("did you mean \"standard\"?"),
            std::string::npos);
  EXPECT_NE(WhyRefused("[classes]\nimport = \"maybe\"\n").find("allow, warn, review or block"),
            std::string::npos);
  EXPECT_NE(WhyRefused("x = \n"), "");
}

TEST(Covers, TakesTheLongestThatCovers) {
  const std::vector<std::string> patterns = {"os", "os.path.*", "urllib"};
  EXPECT_EQ(Covers(patterns, "os.path.join"), 7U);
  EXPECT_EQ(Covers(patterns, "os.system"), 2U);
  EXPECT_EQ(Covers(patterns, "osx"), 0U);
  EXPECT_EQ(Covers(patterns, "urllib"), 6U);
}

TEST(PolicyRecovery, IsReadForAllAndForSingleCallers) {
  const auto policy = ParsePolicy(R"(extends = "standard"
[recovery]
on = ["timeout", "exception"]
review = true
[callers.robot.recovery]
on = ["memory"]
fallback = true
rollback = true
)",
                                  "mine");
  ASSERT_TRUE(policy) << policy.error().message();
  const RecoveryTerms& all = RecoveryFor(*policy, "somebody");
  EXPECT_EQ(all.on, (std::vector<std::string>{"timeout", "exception"}));
  EXPECT_TRUE(all.review && !all.fallback && !all.rollback);
  const RecoveryTerms& own = RecoveryFor(*policy, "robot");
  EXPECT_EQ(own.on, std::vector<std::string>{"memory"});
  EXPECT_TRUE(!own.review && own.fallback && own.rollback);
  EXPECT_TRUE(RecoveryFor(**Preset("standard"), "robot").on.empty());
}

TEST(PolicyRecovery, RefusesWhatItDoesNotKnow) {
  for (const char* text :
       {"[recovery]\non = [\"ok\"]\n", "[recovery]\nalerts = true\n",
        "[recovery]\nalert = \"log\"\n", "[recovery]\nalert = [\"ftp://a\"]\n",
        "[recovery]\nreview = 1\n", "[callers.a]\nreview = true\n", "callers = 3\n"}) {
    EXPECT_FALSE(ParsePolicy(text, "mine")) << text;
  }
}

}  // namespace
}  // namespace belljar::judgement::policy
