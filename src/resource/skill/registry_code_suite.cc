// Tests of the compiled-code cache, including rows that another program has changed.
#include "resource/skill/registry_suite.h"

namespace belljar::resource::skill {
namespace {

using storage::Blob;
using storage::Value;

TEST_P(RegistryCodeTest, WhatIsKeptIsFoundUntilItIsReplaced) {
  const Skill skill = Stored();
  EXPECT_FALSE(Kept(skill));
  ASSERT_TRUE(first_->KeepCompiled(skill, {"python a", std::string("\0\xff", 2)}));
  const auto kept = Kept(skill);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->by, "python a");
  EXPECT_EQ(kept->bytes, std::string("\0\xff", 2));
  EXPECT_EQ(kept->times, 1);
  ASSERT_TRUE(second_->KeepCompiled(skill, {"python b", ""}));
  EXPECT_EQ(Kept(skill)->by, "python b");
  EXPECT_EQ(Kept(skill)->bytes, "");
  EXPECT_EQ(Kept(skill)->times, 2);
}

TEST_P(RegistryCodeTest, EachVersionOfEachCallerHasItsOwn) {
  const Skill first = Stored("1");
  const Skill second = Stored("2");
  const Skill others = Stored("1", "eve");
  ASSERT_TRUE(first_->KeepCompiled(first, {"python", "x"}));
  EXPECT_FALSE(Kept(second));
  EXPECT_FALSE(Kept(others));
}

TEST_P(RegistryCodeTest, GoesWithItsSkill) {
  const Skill skill = Stored();
  ASSERT_TRUE(first_->KeepCompiled(skill, {"python", "x"}));
  ASSERT_TRUE(first_->Remove("ci", "count"));
  ASSERT_TRUE(first_->KeepCompiled(skill, {"python", "x"})) << "which keeps nothing";
  Stored("2");
  ASSERT_TRUE(first_->KeepCompiled(skill, {"python", "x"})) << "of another skill of that name";
  EXPECT_FALSE(Kept(Find({"count", {}})));
}

TEST_P(RegistryCodeTest, WhatIsTooMuchIsKeptAsEmpty) {
  const Skill skill = Stored();
  ASSERT_TRUE(first_->KeepCompiled(skill, {"python", std::string(kMaxCompiledBytes, 'x')}));
  EXPECT_EQ(Kept(skill)->bytes.size(), kMaxCompiledBytes);
  ASSERT_TRUE(first_->KeepCompiled(skill, {"python", std::string(kMaxCompiledBytes + 1, 'x')}));
  EXPECT_EQ(Kept(skill)->bytes, "");
  Do("UPDATE skill_code SET bytes = $1", {Registry::kMostCompiledOfOne - 1});
  const Skill second = Stored("2");
  ASSERT_TRUE(first_->KeepCompiled(second, {"python", "x"}));
  EXPECT_EQ(Kept(second)->bytes, "x");
  const Skill third = Stored("3");
  ASSERT_TRUE(first_->KeepCompiled(third, {"python", "x"}));
  EXPECT_EQ(Kept(third)->bytes, "");
  ASSERT_TRUE(first_->KeepCompiled(Stored("1", "eve"), {"python", "x"}));
}

TEST_P(RegistryCodeTest, ARowThatIsNotAsItWasSealedIsNotThere) {
  const Skill skill = Stored();
  const std::vector<Value> code = {Blob{"y"}};
  const std::vector<Value> seal = {Blob{std::string(32, 's')}};
  const std::vector<Value> large = {Blob{std::string(kMaxCompiledBytes + 1, 'x')}};
  const std::vector<std::pair<std::string, std::vector<Value>>> changes = {
      {"UPDATE skill_code SET code = $1", code},
      {"UPDATE skill_code SET code = $1", large},
      {"UPDATE skill_code SET seal = $1", seal},
      {"UPDATE skill_code SET seal = (SELECT seal FROM skill_versions)", {}},
      {"UPDATE skill_code SET made_by = 'another'", {}}};
  for (const auto& [sql, params] : changes) {
    ASSERT_TRUE(first_->KeepCompiled(skill, {"python", "x"}));
    ASSERT_TRUE(Kept(skill));
    Do(sql, params);
    EXPECT_FALSE(Kept(skill)) << sql;
  }
}

TEST_P(RegistryCodeTest, AnotherVersionsRowIsNotThere) {
  const Skill first = Stored("1");
  const Skill second = Stored("2");
  ASSERT_TRUE(first_->KeepCompiled(first, {"python", "x"}));
  Do("UPDATE skill_code SET version = 2");
  EXPECT_FALSE(Kept(second));
}

}  // namespace
}  // namespace belljar::resource::skill
