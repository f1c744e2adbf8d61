// Attacks by someone who can write to the database but does not have the key.
#include <fmt/format.h>

#include <filesystem>
#include <limits>

#include "judgement/approval/approvals_suite.h"
#include "judgement/approval/row.h"

namespace belljar::judgement::approval {
namespace {

using storage::Value;

// An UPDATE that changes a column to another value of the same type.
std::string Flip(std::string_view column) {
  if (column == "seal") return "UPDATE approvals SET seal = $1";
  const bool is_number =
      column.ends_with("_ms") || column == "subject_kind" || column == "cut_bytes";
  return fmt::format("UPDATE approvals SET {0} = {0} {1}", column, is_number ? "+ 1" : "|| 'x'");
}

class Tampering {
 public:
  explicit Tampering(storage::Database& database) : database_(database) {}
  std::uint64_t Do(const std::string& sql, std::vector<Value> params = {}) {
    const auto done = database_.Execute(sql, params);
    EXPECT_TRUE(done) << sql << ": " << done.error().message();
    return done ? *done : 0;
  }
  void FlipColumn(std::string_view column) {
    std::vector<Value> params;
    if (column == "seal") params.emplace_back(storage::Blob{std::string(32, '\1')});
    EXPECT_EQ(Do(Flip(column), std::move(params)), 1U) << column;
  }

 private:
  storage::Database& database_;
};

TEST_P(ApprovalsTamperTest, AnApprovedRowWithAnyColumnChangedGrantsNothing) {
  Tampering tampering(*second_.database);
  for (const std::string_view column : kRowColumns) {
    tampering.Do("DELETE FROM approvals");
    ASSERT_TRUE(first_->Approve(Ask(Sample()), Yes(GrantKind::kDigest)));
    tampering.FlipColumn(column);
    EXPECT_FALSE(MayRun(Sample())) << column;
    const auto listed = first_->List({}, Viewer::Everything());
    ASSERT_EQ(listed->size(), 1U) << column;
    EXPECT_EQ(listed->front().state, State::kTampered) << column;
    const auto shown = first_->Show(listed->front().id, Viewer::Everything());
    ASSERT_TRUE(shown) << column;
    EXPECT_EQ(shown->state, State::kTampered) << column;
  }
}

TEST_P(ApprovalsTamperTest, AWaitingRowWithAnyColumnChangedCannotBeAnswered) {
  Tampering tampering(*second_.database);
  for (const std::string_view column : kRowColumns) {
    tampering.Do("DELETE FROM approvals");
    Ask(Sample());
    tampering.FlipColumn(column);
    const std::string id = first_->List({}, Viewer::Everything())->front().id;
    EXPECT_EQ(FailureOf(first_->Approve(id, Yes())), Kind::kDenied) << column;
    EXPECT_EQ(FailureOf(first_->Deny(id, "ann", "")), Kind::kDenied) << column;
    EXPECT_FALSE(MayRun(Sample())) << column;
  }
}

TEST_P(ApprovalsTamperTest, AWaitingRowCannotBeMadeAnApprovedOneByHand) {
  Ask(Sample());
  Tampering(*second_.database)
      .Do("UPDATE approvals SET state = 'approved', answer_by = 'ann', answer_ms = created_ms, "
          "answer_digest = digest, grant_kind = 'digest', grant_expires_ms = created_ms + 1000000");
  EXPECT_FALSE(MayRun(Sample()));
}

TEST_P(ApprovalsTamperTest, ASealIsGoodForItsOwnRowOnly) {
  const std::string approved = Ask(Sample());
  ASSERT_TRUE(first_->Approve(approved, Yes(GrantKind::kDigest)));
  NewQuestion wanted = Sample();
  wanted.digest = std::string(64, 'e');
  const std::string waiting = Ask(wanted);
  std::string columns;
  for (const std::string_view column : std::span(kRowColumns).subspan(2)) {
    if (column != "digest") columns += ", " + std::string(column);
  }
  // Copies the approved row to the id and digest of another question.
  Tampering tampering(*second_.database);
  tampering.Do("DELETE FROM approvals WHERE id = $1", {waiting});
  EXPECT_EQ(tampering.Do("INSERT INTO approvals (id, caller, digest" + columns +
                             ") SELECT $1, caller, $2" + columns + " FROM approvals",
                         {waiting, wanted.digest}),
            1U);
  EXPECT_FALSE(MayRun(wanted));
  EXPECT_TRUE(MayRun(Sample()));
}

TEST_P(ApprovalsTamperTest, ARowOfAnotherKeyIsNoRow) {
  const std::string id = Ask(Sample());
  ASSERT_TRUE(first_->Approve(id, Yes(GrantKind::kDigest)));
  std::filesystem::rename(key_file(), key_file() + ".gone");
  const Opened other = Open();
  EXPECT_EQ(other->Show(id, Viewer::Everything())->state, State::kTampered);
  EXPECT_FALSE(other->Redeem("ci", Sample().digest, "s-1")->has_value());
  EXPECT_TRUE(MayRun(Sample()));
}

TEST_P(ApprovalsTamperTest, IsNeverSealedAnewAndStopsNobodyElse) {
  const std::string id = Ask(Sample());
  Tampering(*second_.database).Do("UPDATE approvals SET level = 'L1'");
  const auto again = first_->Ask(Sample());
  ASSERT_TRUE(again && again->is_new) << "the same can be asked again";
  clock_.Pass(std::chrono::minutes(10));
  const auto expired = first_->Expire();
  ASSERT_EQ(expired->size(), 1U);
  EXPECT_EQ(expired->front().id, again->question.id);
  EXPECT_EQ(StateOf(id), State::kTampered);
  EXPECT_EQ(first_->Wait(id, Viewer::Everything(), {}, {})->state, State::kTampered);
}

TEST_P(ApprovalsTamperTest, ShowsACallerNothingOfARowThatWasMadeItsOwnByHand) {
  const std::string id = Ask(Sample());
  Tampering(*second_.database).Do("UPDATE approvals SET caller = 'eve'");
  const auto shown = first_->Show(id, Viewer::Owner("eve"));
  ASSERT_TRUE(shown) << shown.error().message();
  EXPECT_EQ(shown->state, State::kTampered);
  EXPECT_EQ(shown->subject + shown->reason + shown->digest, "");
  EXPECT_EQ(first_->List({}, Viewer::Owner("eve"))->front().subject, "");
}

TEST_P(ApprovalsTamperTest, NonsenseInARowHarmsNobody) {
  Ask(Sample());
  Tampering tampering(*second_.database);
  tampering.Do(
      "UPDATE approvals SET risks = '99999999999999999999:x', touches = '5:ab', "
      "wishes = '-1:', state = 'paid', grant_kind = 'all', created_ms = $1",
      {std::numeric_limits<std::int64_t>::max()});
  const auto listed = first_->List({}, Viewer::Everything());
  ASSERT_EQ(listed->size(), 1U);
  EXPECT_EQ(listed->front().state, State::kTampered);
  EXPECT_FALSE(json::serialize(ToJson(listed->front())).empty());
  EXPECT_TRUE(first_->Expire());
}

}  // namespace
}  // namespace belljar::judgement::approval
