#include "resource/skill/registry_suite.h"

#include <thread>

namespace belljar::resource::skill {
namespace {

using testing::ElementsAre;

std::vector<std::string> NamesOf(const Result<std::vector<Skill>>& skills) {
  std::vector<std::string> names;
  if (!skills) return {skills.error().message()};
  for (const Skill& skill : *skills) names.push_back(HandleText(skill));
  return names;
}

TEST_P(RegistryTest, KeepsADefinitionAsItWasAcrossARestart) {
  Definition stored = Sample("print('\xc3\xa4')\n");
  stored.threshold = 250;
  stored.request_template.lang = request::Lang::kBash;
  stored.request_template.image = "data";
  stored.request_template.limits.memory_bytes = 64 << 20;
  stored.request_template.output_schema = json::object{{"type", "object"}};
  stored.input_schema = json::object{{"type", "array"}};
  Add(stored);
  first_ = {};
  second_ = {};
  first_ = Open();
  const Skill found = Find({"count", {}});
  EXPECT_EQ(found.definition.request_template, stored.request_template);
  EXPECT_EQ(found.definition.input_schema, stored.input_schema);
  EXPECT_EQ(found.definition.description, stored.description);
  EXPECT_EQ(found.definition.threshold, stored.threshold);
  EXPECT_EQ(found.version, 1);
  EXPECT_EQ(found.state, State::kEnabled);
  EXPECT_EQ(found.code_bytes, static_cast<std::int64_t>(stored.request_template.code.size()));
}

TEST_P(RegistryTest, MakesAVersionOfWhatIsNewAndNoneOfWhatIsThere) {
  EXPECT_EQ(Add(Sample("a = 1")), 1);
  const auto again = first_->Add("ci", Sample("a = 1"));
  ASSERT_TRUE(again);
  EXPECT_FALSE(again->is_new);
  EXPECT_EQ(again->skill.version, 1);
  EXPECT_EQ(Add(Sample("a = 2")), 2);
  Definition slower = Sample("a = 2");
  slower.request_template.limits.wall = std::chrono::seconds(6);
  EXPECT_EQ(Add(slower), 3) << "limits are part of it";
  EXPECT_EQ(Add(Sample("a = 1")), 4) << "going back is going on";
  EXPECT_EQ(Find({"count", {}}).definition.request_template.code, "a = 1");
  EXPECT_EQ(Find({"count", 2}).definition.request_template.code, "a = 2");
  EXPECT_THAT(NamesOf(first_->Versions("ci", "count")),
              ElementsAre("count@4", "count@3", "count@2", "count@1"));
  EXPECT_EQ(FailureOf(first_->Find("ci", {"count", 5})), Kind::kNotFound);
}

TEST_P(RegistryTest, ListsTheNewestOfEachByName) {
  Add(Sample("1", "b"));
  Add(Sample("2", "b"));
  Add(Sample("1", "a"));
  EXPECT_THAT(NamesOf(first_->List("ci")), ElementsAre("a@1", "b@2"));
  EXPECT_EQ(first_->List("ci")->front().definition.request_template.code, "")
      << "lists go without code";
}

TEST_P(RegistryTest, ShowsACallerNothingOfAnother) {
  Add(Sample(), "ann");
  EXPECT_TRUE(first_->List("eve")->empty());
  EXPECT_EQ(FailureOf(first_->Find("eve", {"count", {}})), Kind::kNotFound);
  EXPECT_EQ(FailureOf(first_->Versions("eve", "count")), Kind::kNotFound);
  EXPECT_EQ(FailureOf(first_->History("eve", {"count", {}}, 10)), Kind::kNotFound);
  EXPECT_EQ(FailureOf(first_->Disable("eve", {"count", {}}, "")), Kind::kNotFound);
  EXPECT_EQ(FailureOf(first_->Remove("eve", "count")), Kind::kNotFound);
  EXPECT_EQ(Add(Sample("2"), "eve"), 1);
  EXPECT_EQ(Find({"count", {}}, "ann").definition.request_template.code, "print(1)\n");
}

TEST_P(RegistryTest, DisablesAndEnablesOneVersionOrAll) {
  Add(Sample("1"));
  Add(Sample("2"));
  EXPECT_EQ(first_->Disable("ci", {"count", 1}, "too old")->size(), 1U);
  EXPECT_EQ(Find({"count", 1}).why, "too old");
  EXPECT_EQ(Find({"count", 2}).state, State::kEnabled);
  EXPECT_EQ(first_->Disable("ci", {"count", {}}, "")->size(), 1U) << "one was already";
  EXPECT_EQ(Find({"count", 1}).why, "too old") << "the first reason stays";
  EXPECT_EQ(first_->Enable("ci", {"count", {}})->size(), 2U);
  EXPECT_EQ(second_->Find("ci", {"count", 1})->state, State::kEnabled);
  EXPECT_EQ(FailureOf(first_->Enable("ci", {"count", 3})), Kind::kNotFound);
}

TEST_P(RegistryTest, RemovesASkillWithEverythingOfIt) {
  Add(Sample("1"));
  Add(Sample("2"));
  Note(Find({"count", {}}), Verdict::kFailure);
  EXPECT_EQ(*first_->Remove("ci", "count"), 2U);
  EXPECT_EQ(FailureOf(first_->Find("ci", {"count", {}})), Kind::kNotFound);
  EXPECT_EQ(FailureOf(first_->Remove("ci", "count")), Kind::kNotFound);
  EXPECT_EQ(Add(Sample("3")), 1);
  EXPECT_TRUE(first_->History("ci", {"count", {}}, 10)->empty());
}

TEST_P(RegistryTest, OfManyWhoStoreAtOnceEachGetsAVersion) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    for (const OpenedRegistry* opened : {&first_, &second_}) {
      threads.emplace_back([opened, i, this] {
        const std::string code = std::to_string(i) + (opened == &first_ ? "a" : "b");
        EXPECT_TRUE((*opened)->Add("ci", Sample(code)));
      });
    }
  }
  threads.clear();
  EXPECT_EQ(Find({"count", {}}).version, 8);
}

TEST_P(RegistryTest, HasBounds) {
  for (std::size_t i = 0; i < Registry::kMostSkillsOfOne; ++i) {
    Add(Sample("1", "s" + std::to_string(i)));
  }
  EXPECT_EQ(FailureOf(first_->Add("ci", Sample("1", "more"))), Kind::kExhausted);
  EXPECT_EQ(Add(Sample("2", "s0")), 2);
  EXPECT_EQ(Add(Sample("1", "more"), "other"), 1);
  const auto much =
      first_.database->Execute("UPDATE skill_versions SET code_bytes = 268435456", {});
  ASSERT_TRUE(much);
  EXPECT_EQ(FailureOf(first_->Add("other", Sample("1", "another"))), Kind::kExhausted);
  EXPECT_EQ(FailureOf(first_->Add("new", Sample(std::string(9 << 20, 'x')))), Kind::kInvalid);
}

TEST_P(RegistryHealthTest, CountsAndMeasures) {
  Add(Sample());
  const Skill skill = Find({"count", {}});
  EXPECT_EQ(first_->StatsOf(skill)->runs, 0);
  for (int i = 1; i <= 20; ++i) Note(skill, Verdict::kSuccess, i * 1000);
  Note(skill, Verdict::kFailure, 100'000, "KeyError: \xff'x'");
  Note(skill, Verdict::kNone, 1);
  const auto stats = first_->StatsOf(skill);
  ASSERT_TRUE(stats) << stats.error().message();
  EXPECT_EQ(stats->runs, 22);
  EXPECT_EQ(stats->counted, 21);
  EXPECT_EQ(stats->successes, 20);
  EXPECT_EQ(stats->p50_ms, 11);
  EXPECT_EQ(stats->p95_ms, 20);
  EXPECT_EQ(stats->last_error, "KeyError: \xef\xbf\xbd'x'");
  EXPECT_GT(stats->last_run_ms, 1'795'000'000'000);
  const auto runs = first_->History("ci", {"count", {}}, 2);
  ASSERT_EQ(runs->size(), 2U);
  EXPECT_EQ(runs->front().verdict, Verdict::kNone);
  EXPECT_EQ(runs->back().outcome, "exception");
}

TEST_P(RegistryHealthTest, DisablesWhatFailsTooOftenWithAReason) {
  Add(Sample());
  const Skill skill = Find({"count", {}});
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(Note(skill, Verdict::kFailure)) << "too few to know";
  EXPECT_TRUE(Note(skill, Verdict::kFailure));
  EXPECT_FALSE(Note(skill, Verdict::kFailure)) << "it is told once";
  const Skill disabled = Find({"count", {}});
  EXPECT_EQ(disabled.state, State::kDisabled);
  EXPECT_EQ(disabled.why, "0 of its last 5 runs succeeded, which is below its threshold of 0.5");
}

TEST_P(RegistryHealthTest, EnablingBeginsANewCount) {
  Add(Sample());
  const Skill skill = Find({"count", {}});
  for (int i = 0; i < 5; ++i) Note(skill, Verdict::kFailure);
  ASSERT_EQ(first_->Enable("ci", {"count", {}})->size(), 1U);
  for (int i = 0; i < 4; ++i) EXPECT_FALSE(Note(skill, Verdict::kFailure));
  EXPECT_TRUE(Note(skill, Verdict::kFailure));
}

TEST_P(RegistryHealthTest, OnlyTheLastRunsAndOnlyThoseOfTheVersionCount) {
  Add(Sample("1"));
  Add(Sample("2"));
  const Skill old = Find({"count", 1});
  const Skill skill = Find({"count", 2});
  for (int i = 0; i < 4; ++i) Note(old, Verdict::kFailure);
  for (int i = 0; i < 100; ++i) Note(skill, Verdict::kSuccess);
  for (int i = 0; i < 10; ++i) EXPECT_FALSE(Note(skill, Verdict::kFailure)) << i;
  EXPECT_TRUE(Note(skill, Verdict::kFailure)) << "9 of 20 are less than half";
  EXPECT_EQ(Find({"count", 1}).state, State::kEnabled);
}

TEST_P(RegistryHealthTest, WhatSaysNothingOfTheSkillDoesNotCountAgainstIt) {
  Add(Sample());
  const Skill skill = Find({"count", {}});
  for (int i = 0; i < 30; ++i) EXPECT_FALSE(Note(skill, Verdict::kNone));
  Definition patient = Sample("2");
  patient.threshold = 0;
  Add(patient);
  for (int i = 0; i < 30; ++i) EXPECT_FALSE(Note(Find({"count", {}}), Verdict::kFailure));
}

TEST_P(RegistryHealthTest, RemembersAThousandRunsAndCountsThemAll) {
  Add(Sample());
  const Skill skill = Find({"count", {}});
  const auto all = first_.database->Transaction([&]() -> Result<> {
    for (int i = 0; i < 1'050; ++i) Note(skill, Verdict::kSuccess);
    return {};
  });
  ASSERT_TRUE(all);
  EXPECT_EQ(first_->StatsOf(skill)->runs, 1'050);
  EXPECT_EQ(first_->History("ci", {"count", {}}, 5'000)->size(), 1'000U);
}

TEST_P(RegistryHealthTest, ForgetsARunOfWhatHasGoneMeanwhile) {
  Add(Sample());
  const Skill gone = Find({"count", {}});
  ASSERT_TRUE(first_->Remove("ci", "count"));
  EXPECT_FALSE(Note(gone, Verdict::kFailure));
  Add(Sample("another"));
  EXPECT_FALSE(Note(gone, Verdict::kFailure));
  EXPECT_TRUE(first_->History("ci", {"count", {}}, 10)->empty());
}

}  // namespace
}  // namespace belljar::resource::skill
