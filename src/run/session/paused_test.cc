#include "run/session/paused.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "foundation/base/sys.h"

namespace belljar::run {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;
namespace fs = std::filesystem;

PausedSession SomeSession() {
  PausedSession session;
  session.info.id = "s-1";
  session.info.name = session.wish.name = "aside";
  session.info.caller = "somebody";
  session.info.created = std::chrono::system_clock::time_point(1'700'000'000'123ms);
  session.info.runs = 7;
  session.info.wall_used = 1234ms;
  session.wish.shape.lang = request::Lang::kBash;
  session.wish.shape.env["MINE"] = "yes";
  session.wish.shape.limits.memory_bytes = 300 << 20;
  session.wish.idle = 90s;
  session.wish.cpu_budget = 5s;
  session.network_revoked = true;
  session.runs = 6;
  session.uid = 4'000'000'000;
  session.tree = "a tree";
  session.bytes = 5;
  return session;
}

TEST(PausedSession, ComesBackFromItsJson) {
  const PausedSession before = SomeSession();
  const auto after = ReadPaused(json::serialize(ToJson(before)));
  ASSERT_TRUE(after) << after.error().message();
  EXPECT_EQ(after->info.id, "s-1");
  EXPECT_EQ(after->info.name, "aside");
  EXPECT_EQ(after->info.caller, "somebody");
  EXPECT_EQ(after->info.state, SessionState::kPaused);
  EXPECT_EQ(after->info.created, before.info.created);
  EXPECT_EQ(after->info.runs, 7u);
  EXPECT_EQ(after->info.wall_used, 1234ms);
  EXPECT_EQ(after->wish.shape.lang, request::Lang::kBash);
  EXPECT_EQ(after->wish.shape.env, before.wish.shape.env);
  EXPECT_EQ(after->wish.shape.limits, before.wish.shape.limits);
  EXPECT_EQ(after->wish.idle, 90s);
  EXPECT_FALSE(after->wish.wall_budget);
  EXPECT_EQ(after->wish.cpu_budget, 5s);
  EXPECT_TRUE(after->network_revoked);
  EXPECT_EQ(after->runs, 6u);
  EXPECT_EQ(after->uid, 4'000'000'000);
  EXPECT_EQ(after->tree, "a tree");
  EXPECT_EQ(after->bytes, 5u);
}

TEST(PausedSession, WhatIsNoneIsAnError) {
  EXPECT_FALSE(ReadPaused("{"));
  EXPECT_FALSE(ReadPaused("[]"));
  EXPECT_FALSE(ReadPaused("{}"));
  json::object without = ToJson(SomeSession());
  without.erase("uid");
  EXPECT_FALSE(ReadPaused(json::serialize(without)));
}

// A state directory with a session without files that has just been saved.
class PausedTest : public testing::Test {
 protected:
  PausedTest() {
    char path[] = "/tmp/belljar-paused-XXXXXX";
    state_ = ::mkdtemp(path);
    fs::create_directory(state_ + "/workspace");
    trees_ = *snapshot::Store::Open(state_, {});
  }
  ~PausedTest() override { fs::remove_all(state_); }

  Result<> Keep(Paused& paused, const PausedSession& session) {
    const Fd workspace = BJ_TRY(Open(state_ + "/workspace", O_RDONLY | O_DIRECTORY));
    snapshot::Memory seen;
    const auto tree = BJ_TRY(trees_->Take(workspace, seen));
    SavedMemory memory;
    memory.container = BJ_TRY(SavedContainer::NewPlace(state_));
    return paused.Keep(session, memory, *trees_, tree.id);
  }
  static PausedSession Of(const std::string& caller, const std::string& id, std::uint64_t bytes) {
    PausedSession session = SomeSession();
    session.info.caller = caller;
    session.info.id = id;
    session.bytes = bytes;
    return session;
  }
  std::size_t Kept() const {
    return static_cast<std::size_t>(
        std::distance(fs::directory_iterator(state_ + "/paused"), fs::directory_iterator()));
  }

  std::string state_;
  std::unique_ptr<snapshot::Store> trees_;
};

TEST_F(PausedTest, OneCallerHasSoManyAndNoMore) {
  Paused paused(state_, {.sessions = 2, .bytes = 1000});
  ASSERT_TRUE(Keep(paused, Of("ann", "s-1", 1)));
  ASSERT_TRUE(Keep(paused, Of("ann", "s-2", 1)));
  const auto third = Keep(paused, Of("ann", "s-3", 1));
  ASSERT_FALSE(third);
  EXPECT_EQ(third.error().kind(), Kind::kExhausted);
  EXPECT_THAT(third.error().message(), HasSubstr("ann may have 2 paused sessions"));
  EXPECT_EQ(Kept(), 2U) << "the refused one left something";
  EXPECT_TRUE(Keep(paused, Of("bob", "s-3", 1))) << "another's are not counted";
  paused.Remove("s-1");
  EXPECT_TRUE(Keep(paused, Of("ann", "s-4", 1)));
}

TEST_F(PausedTest, OneCallerHasSoManyBytesAndNoMore) {
  Paused paused(state_, {.sessions = 9, .bytes = 1000});
  ASSERT_TRUE(Keep(paused, Of("ann", "s-1", 600)));
  EXPECT_FALSE(Keep(paused, Of("ann", "s-2", 401)));
  EXPECT_TRUE(Keep(paused, Of("bob", "s-2", 401)));
  EXPECT_TRUE(Keep(paused, Of("ann", "s-3", 400)));
  EXPECT_FALSE(Keep(paused, Of("ann", "s-4", 1)));
}

TEST_F(PausedTest, TheBoundsAreThoseThatTheDocumentsName) {
  EXPECT_EQ(PausedBounds().sessions, 100U);
  EXPECT_EQ(PausedBounds().bytes, std::uint64_t{8} << 30);
}

TEST_F(PausedTest, WhatADaemonBeforeHasKeptCountsToo) {
  {
    Paused before(state_);
    ASSERT_TRUE(Keep(before, Of("ann", "s-1", 600)));
  }
  Paused paused(state_, {.sessions = 1, .bytes = 1000});
  EXPECT_THAT(paused.troubles(), IsEmpty());
  EXPECT_THAT(paused.List("ann"), SizeIs(1));
  EXPECT_FALSE(Keep(paused, Of("ann", "s-2", 1)));
}

TEST_F(PausedTest, ARecordThatCannotBeReadIsNamedAndStays) {
  {
    Paused before(state_);
    ASSERT_TRUE(Keep(before, Of("ann", "s-1", 1)));
    ASSERT_TRUE(Keep(before, Of("ann", "s-2", 1)));
    ASSERT_TRUE(Keep(before, Of("ann", "s-3", 1)));
  }
  const std::string place = state_ + "/paused/";
  std::ofstream(place + "s-1/session.json") << "{";
  fs::rename(place + "s-3", place + "s-4");
  Paused paused(state_);
  EXPECT_THAT(paused.List("ann"), SizeIs(1));
  EXPECT_THAT(paused.troubles(),
              testing::UnorderedElementsAre(HasSubstr(place + "s-1/session.json"),
                                            HasSubstr(place + "s-4/session.json")));
  EXPECT_THAT(paused.troubles()[0], HasSubstr("put the file back"));
  EXPECT_TRUE(fs::exists(place + "s-1/session.json"));
}

}  // namespace
}  // namespace belljar::run
