#include "run/skill_json.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belljar::run {
namespace {

TEST(SkillJsonForm, SaysOfATamperedRowThatItIsOneAndNothingElse) {
  resource::skill::Skill skill;
  skill.definition.name = "count";
  skill.definition.description = "whatever somebody wrote there";
  skill.state = resource::skill::State::kTampered;
  EXPECT_EQ(json::serialize(SkillJson(skill, {})),
            R"({"name":"count","version":0,"state":"tampered"})");
}

TEST(SkillJsonForm, HasWhatAListOfToolsNeeds) {
  resource::skill::Skill skill;
  skill.definition.name = "count";
  skill.definition.description = "counts";
  const json::object told = SkillJson(skill, {});
  for (const char* const key : {"name", "description", "input_schema", "output_schema"}) {
    EXPECT_TRUE(told.contains(key)) << key;
  }
  EXPECT_FALSE(told.contains("code"));
}

resource::skill::Skill Counting() {
  resource::skill::Skill skill;
  skill.definition.name = "count";
  skill.definition.request_template.code = "print(1)";
  skill.definition.request_template.level = "strict";
  skill.definition.request_template.limits.wall = std::chrono::seconds(5);
  return skill;
}

TEST(SkillRunBody, GivesAnInputAndNothingOfTheSkillsTerms) {
  const auto request = ParseSkillRun(Counting(), R"({"input":{"n":1},"id":7,"reason":"a test"})");
  ASSERT_TRUE(request) << request.error().message();
  EXPECT_EQ(request->code, "print(1)");
  EXPECT_EQ(request->level, "strict");
  EXPECT_EQ(request->limits.wall, std::chrono::seconds(5));
  EXPECT_EQ(request->reason, "a test");
  EXPECT_EQ(request->id, "7");
  EXPECT_TRUE(request->numeric_id);
}

TEST(SkillRunBody, IsHeldAgainstTheSkillsSchema) {
  resource::skill::Skill skill = Counting();
  skill.definition.input_schema =
      json::object{{"type", "object"}, {"properties", {{"n", {{"type", "integer"}}}}}};
  EXPECT_EQ(ParseSkillRun(skill, R"({"input":{"n":1}})")->stdin_bytes, "{\"n\":1}\n");
  const auto wrong = ParseSkillRun(skill, R"({"input":{"n":"x"}})");
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message(), "input.n: must be an integer, not a string");
  EXPECT_FALSE(ParseSkillRun(skill, "{}")) << "and it must be there";
}

TEST(SkillRunBody, IsRefusedWhereItWouldChangeTheSkill) {
  for (const char* const body :
       {R"({"code":"2"})", R"({"level":"relaxed"})", R"({"timeout":60})", R"({"env":{}})",
        R"({"files":{}})", R"({"vaults":[]})", R"({"session":"s"})", R"({"args":[]})",
        R"({"input_schema":{}})", R"({"input":1,"input":2})", "[]", "{"}) {
    EXPECT_FALSE(ParseSkillRun(Counting(), body)) << body;
  }
  EXPECT_TRUE(ParseSkillRun(Counting(), ""));
}

}  // namespace
}  // namespace belljar::run
