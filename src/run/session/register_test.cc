#include "run/session/register.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/storage/scratch.h"

namespace belljar::run {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class RegisterTest : public testing::Test {
 protected:
  void SetUp() override {
    database_ = *storage::Database::Open("sqlite:" + dir_.path("x.db"));
    register_ = *Register::Open(*database_);
  }
  static SessionRow Session(const std::string& id, const std::string& caller) {
    SessionRow row;
    row.id = id;
    row.caller = caller;
    row.lang = "python";
    row.image = "default";
    row.backend = "native";
    row.created_ms = row.last_used_ms = 5;
    return row;
  }
  void EndAt(SessionRow row, std::int64_t when_ms) {
    row.ended_ms = when_ms;
    row.reason = "a reason";
    ASSERT_TRUE(register_->End(row));
  }
  static std::vector<std::string> IdsOf(const Result<std::vector<SessionRow>>& rows) {
    std::vector<std::string> ids;
    for (const SessionRow& row : *rows) ids.push_back(row.id);
    return ids;
  }

  storage::ScratchDir dir_;
  std::unique_ptr<storage::Database> database_;
  std::unique_ptr<Register> register_;
};

TEST_F(RegisterTest, ASessionLivesUntilItIsMarked) {
  ASSERT_TRUE(register_->Begin(Session("s-1", "ann")));
  EXPECT_THAT(IdsOf(register_->Living()), ElementsAre("s-1"));
  EXPECT_EQ(*register_->FindEnded("ann", "s-1"), std::nullopt);
  EndAt(Session("s-1", "ann"), 9);
  EXPECT_THAT(IdsOf(register_->Living()), IsEmpty());
  EXPECT_EQ((*register_->FindEnded("ann", "s-1"))->reason, "a reason");
}

TEST_F(RegisterTest, KeepsEveryMemberOfARow) {
  SessionRow row = Session("s-1", "ann");
  ASSERT_TRUE(register_->Begin(row));
  row.ended_ms = 10;
  row.reason = "r";
  row.last_used_ms = 9;
  row.runs = 3;
  row.wall_ms = 4;
  row.cpu_ms = 5;
  row.kept_bytes = 6;
  row.kept_files = 7;
  row.trouble = "t";
  ASSERT_TRUE(register_->End(row));
  EXPECT_EQ(**register_->FindEnded("ann", "s-1"), row);
}

TEST_F(RegisterTest, ANameStandsForTheLatestThatWasGivenIt) {
  SessionRow row = Session("s-1", "ann");
  row.name = "work";
  ASSERT_TRUE(register_->Begin(row));
  EndAt(row, 9);
  EXPECT_EQ((*register_->FindEndedNamed("ann", "work"))->id, "s-1");
  EXPECT_EQ(*register_->FindEndedNamed("bob", "work"), std::nullopt);
  EXPECT_EQ(*register_->FindEndedNamed("ann", ""), std::nullopt);
  row.id = "s-2";
  ASSERT_TRUE(register_->Begin(row));
  EXPECT_EQ(*register_->FindEndedNamed("ann", "work"), std::nullopt);
  ASSERT_TRUE(register_->Forget("s-2"));
  EXPECT_EQ(*register_->FindEndedNamed("ann", "work"), std::nullopt);
  EXPECT_EQ((*register_->FindEnded("ann", "s-1"))->name, "work");
}

TEST_F(RegisterTest, OneCallerDoesNotSeeAnothersSessions) {
  ASSERT_TRUE(register_->Begin(Session("s-1", "ann")));
  EndAt(Session("s-1", "ann"), 9);
  EXPECT_EQ(*register_->FindEnded("bob", "s-1"), std::nullopt);
  EXPECT_THAT(IdsOf(register_->ListEnded("bob")), IsEmpty());
  EXPECT_THAT(IdsOf(register_->ListEnded("ann")), ElementsAre("s-1"));
}

TEST_F(RegisterTest, FindsWhatIsDueOldestFirst) {
  for (const char* id : {"s-1", "s-2", "s-3", "s-4"}) {
    ASSERT_TRUE(register_->Begin(Session(id, "ann")));
  }
  EndAt(Session("s-1", "ann"), 30);
  EndAt(Session("s-2", "ann"), 10);
  EndAt(Session("s-3", "ann"), 20);
  EXPECT_THAT(IdsOf(register_->EndedBefore(30)), ElementsAre("s-2", "s-3"));
  EXPECT_THAT(IdsOf(register_->ListEnded("ann")), ElementsAre("s-1", "s-3", "s-2"));
  EXPECT_THAT(IdsOf(register_->ListEnded("ann", 2)), ElementsAre("s-2"));
  ASSERT_TRUE(register_->Forget("s-2"));
  EXPECT_THAT(IdsOf(register_->EndedBefore(30)), ElementsAre("s-3"));
  EXPECT_THAT(*register_->Ids("s-1"), ElementsAre("s-3", "s-4"));
}

TEST_F(RegisterTest, AnIdIsUsedOnce) {
  ASSERT_TRUE(register_->Begin(Session("s-1", "ann")));
  EXPECT_FALSE(register_->Begin(Session("s-1", "bob")));
}

TEST_F(RegisterTest, OneThatHasEndedMayBeginAgainAsItsCallers) {
  SessionRow row = Session("s-1", "ann");
  ASSERT_TRUE(register_->Begin(row));
  row.ended_ms = 5;
  ASSERT_TRUE(register_->End(row));
  EXPECT_FALSE(register_->Begin(Session("s-1", "bob")));
  EXPECT_TRUE(register_->Begin(Session("s-1", "ann")));
}

}  // namespace
}  // namespace belljar::run
