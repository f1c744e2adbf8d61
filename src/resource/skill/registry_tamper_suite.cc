// Attacks on skills by someone who can write to the database but does not have the key.
#include <fmt/format.h>

#include <filesystem>

#include "resource/skill/registry_suite.h"

namespace belljar::resource::skill {
namespace {

using storage::Value;

// A change of a column to another value of the same type; the table below has every column that
// affects what is run.
struct Change {
  std::string_view table, column, value;
};
constexpr Change kChanges[] = {
    {"skills", "newest", "1"},
    {"skills", "seal", "(SELECT seal FROM skill_versions LIMIT 1)"},
    {"skill_versions", "digest", "digest || 'x'"},
    {"skill_versions", "state", "'disabled'"},
    {"skill_versions", "why", "why || 'x'"},
    {"skill_versions", "created_ms", "created_ms + 1"},
    {"skill_versions", "changed_ms", "changed_ms + 1"},
    {"skill_versions", "judged_after", "judged_after + 1"},
    {"skill_versions", "code_bytes", "code_bytes + 1"},
    {"skill_versions", "terms", "replace(terms, 'strict', 'relaxed')"},
    {"skill_versions", "seal", "(SELECT seal FROM skills LIMIT 1)"},
};

class Hand {
 public:
  explicit Hand(storage::Database& database) : database_(database) {}
  void Do(const std::string& sql, std::vector<Value> params = {}) {
    const auto done = database_.Execute(sql, params);
    EXPECT_TRUE(done) << sql << ": " << done.error().message();
    EXPECT_TRUE(done && *done > 0) << sql;
  }

 private:
  storage::Database& database_;
};

TEST_P(RegistryTamperTest, ARowWithAnyColumnChangedIsNotFound) {
  Hand hand(*second_.database);
  for (const Change& change : kChanges) {
    Add(Sample("1"));
    Add(Sample("2"));
    hand.Do(fmt::format("UPDATE {} SET {} = {}", change.table, change.column, change.value));
    EXPECT_EQ(FailureOf(first_->Find("ci", {"count", {}})), Kind::kDenied) << change.column;
    const auto listed = first_->List("ci");
    ASSERT_TRUE(listed && listed->size() == 1U) << change.column;
    EXPECT_EQ(listed->front().state, State::kTampered) << change.column;
    EXPECT_EQ(listed->front().definition.description, "") << change.column;
    EXPECT_EQ(FailureOf(first_->Enable("ci", {"count", {}})), Kind::kDenied) << change.column;
    EXPECT_EQ(FailureOf(first_->Add("ci", Sample("3"))), Kind::kDenied) << change.column;
    EXPECT_TRUE(first_->Remove("ci", "count")) << "which is the way out";
  }
}

TEST_P(RegistryTamperTest, OtherCodeIsNotRun) {
  Add(Sample("1"));
  Hand(*second_.database).Do("UPDATE skill_versions SET code = $1", {storage::Blob{"import os"}});
  EXPECT_EQ(FailureOf(first_->Find("ci", {"count", {}})), Kind::kDenied);
}

TEST_P(RegistryTamperTest, ADisabledOneCannotBeEnabledByHand) {
  Add(Sample("1"));
  ASSERT_TRUE(first_->Disable("ci", {"count", {}}, "no"));
  Hand(*second_.database).Do("UPDATE skill_versions SET state = 'enabled', why = ''");
  EXPECT_EQ(FailureOf(first_->Find("ci", {"count", {}})), Kind::kDenied);
}

TEST_P(RegistryTamperTest, ANewestVersionThatHasGoneIsMissed) {
  Add(Sample("1"));
  Add(Sample("2"));
  Hand(*second_.database).Do("DELETE FROM skill_versions WHERE version = 2");
  EXPECT_EQ(FailureOf(first_->Find("ci", {"count", {}})), Kind::kDenied);
  EXPECT_EQ(Find({"count", 1}).definition.request_template.code, "1");
}

TEST_P(RegistryTamperTest, OneCallersSkillCannotBeMadeAnothers) {
  Add(Sample("1"), "ann");
  Hand hand(*second_.database);
  hand.Do("UPDATE skills SET caller = 'eve'");
  hand.Do("UPDATE skill_versions SET caller = 'eve'");
  EXPECT_EQ(FailureOf(first_->Find("eve", {"count", {}})), Kind::kDenied);
  EXPECT_EQ(first_->List("eve")->front().definition.request_template.code, "");
}

TEST_P(RegistryTamperTest, ARowOfAnotherKeyIsNoRow) {
  Add(Sample("1"));
  std::filesystem::rename(key_file(), key_file() + ".gone");
  const OpenedRegistry other = Open();
  EXPECT_EQ(FailureOf(other->Find("ci", {"count", {}})), Kind::kDenied);
  EXPECT_EQ(Find({"count", {}}).version, 1);
}

TEST_P(RegistryTamperTest, NonsenseInTheHistoryHarmsNobody) {
  Add(Sample("1"));
  const Skill skill = Find({"count", {}});
  for (int i = 0; i < 3; ++i) Note(skill, Verdict::kFailure);
  Hand(*second_.database)
      .Do("UPDATE skill_runs SET verdict = 77, wall_us = -5, runs = -1, counted = -1, "
          "successes = 9, time_ms = -1, outcome = ''");
  EXPECT_TRUE(first_->StatsOf(skill));
  EXPECT_FALSE(json::serialize(ToJson(*first_->StatsOf(skill))).empty());
  EXPECT_EQ(first_->History("ci", {"count", {}}, 10)->size(), 3U);
  EXPECT_FALSE(Note(skill, Verdict::kFailure));
}

}  // namespace
}  // namespace belljar::resource::skill
