#include "run/session/archive.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "foundation/base/sys.h"
#include "record/scratch.h"

namespace belljar::run {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::SizeIs;
namespace fs = std::filesystem;

class SessionArchiveTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(scratch_.path("work"));
    work_ = *belljar::Open(scratch_.path("work"), O_PATH | O_DIRECTORY);
    log_ = *record::OpenQuiet(scratch_.dir());
    database_ = *storage::Database::Open("sqlite:" + scratch_.path("belljar.db"));
    Restart();
  }
  void TearDown() override { archive_.reset(); }

  // Simulates a killed daemon and the start of another.
  void Restart() {
    archive_.reset();
    ArchiveOptions options;
    options.state_dir = scratch_.dir();
    options.keep = 24h;
    options.bytes_of_one = 10;
    options.wall = [this] { return std::chrono::system_clock::time_point(wall_.load()); };
    options.steady = [this] { return std::chrono::steady_clock::time_point(steady_.load()); };
    auto opened = SessionArchive::Open(std::move(options), *log_, *database_);
    ASSERT_TRUE(opened) << opened.error().message();
    archive_ = *std::move(opened);
  }
  void Write(const std::string& name, const std::string& text) {
    std::ofstream(scratch_.path("work/" + name)) << text;
  }
  static SessionInfo Info(const std::string& id) {
    SessionInfo info;
    info.id = id;
    info.caller = "ann";
    info.image = "default";
    return info;
  }
  void BeginAndUse(const std::string& id) {
    const SessionInfo info = Info(id);
    ASSERT_TRUE(archive_->Began(std::span(&info, 1)));
    archive_->Used(id, work_, nullptr);
  }
  void End(const std::string& id, const std::string& because) {
    SessionInfo info = Info(id);
    info.ended_because = because;
    archive_->Ended(info, work_);
  }
  std::string FileOf(const std::string& id, const std::string& name) {
    std::string bytes = "(none)";
    const auto read = archive_->WithFiles("ann", id, [&](const Fd& tree) -> Result<> {
      bytes = BJ_TRY(Fetch(tree, name, 1000));
      return {};
    });
    return read ? bytes : read.error().message();
  }
  void Pass(std::chrono::nanoseconds time) {
    steady_ = steady_.load() + time;
    wall_ = wall_.load() + std::chrono::duration_cast<Wall>(time);
  }

  using Wall = std::chrono::system_clock::duration;
  std::atomic<Wall> wall_ = Wall(std::chrono::hours(500'000));
  std::atomic<std::chrono::steady_clock::duration> steady_ =
      std::chrono::steady_clock::duration(1h);
  record::Scratch scratch_;
  Fd work_;
  std::unique_ptr<record::Log> log_;
  std::unique_ptr<storage::Database> database_;
  std::unique_ptr<SessionArchive> archive_;
};

TEST_F(SessionArchiveTest, FindsTheSessionsOfADaemonThatWasKilled) {
  Write("f", "text");
  BeginAndUse("s-1");
  Restart();
  EXPECT_EQ(archive_->orphans(), 1U);
  const auto shown = archive_->Show("ann", "s-1");
  ASSERT_TRUE(shown) << shown.error().message();
  EXPECT_EQ(shown->at("state"), "ended");
  EXPECT_EQ(shown->at("reason"), "the daemon that held it ended without saying so");
  EXPECT_EQ(shown->at("workspace").at("bytes"), 4);
  EXPECT_FALSE(shown->contains("usage"));
  EXPECT_EQ(FileOf("s-1", "f"), "text");
  Restart();
  EXPECT_EQ(archive_->orphans(), 0U);
  EXPECT_TRUE(archive_->Show("ann", "s-1"));
}

TEST_F(SessionArchiveTest, RecordsWhatBecomesOfASessionThatIsPaused) {
  for (const Turning what : {Turning::kPaused, Turning::kResumed, Turning::kDropped}) {
    ASSERT_TRUE(archive_->Turns(Info("s-1"), what));
  }
  record::Filter filter;
  filter.session_id = "s-1";
  const auto found = log_->Find(filter);
  ASSERT_TRUE(found) << found.error().message();
  ASSERT_THAT(*found, SizeIs(3));  // newest first
  EXPECT_EQ((*found)[2].event, record::Event::kCheckpoint);
  EXPECT_EQ((*found)[1].event, record::Event::kRollback);
  EXPECT_EQ((*found)[0].event, record::Event::kSession);
  ASSERT_TRUE(log_->Seal());
  EXPECT_FALSE(archive_->Turns(Info("s-1"), Turning::kPaused)) << "it could not be recorded";
}

TEST_F(SessionArchiveTest, ShowsASessionToItsCallerOnly) {
  Write("f", "text");
  BeginAndUse("s-1");
  End("s-1", "idle");
  EXPECT_FALSE(archive_->Show("bob", "s-1"));
  EXPECT_FALSE(archive_->WithFiles("bob", "s-1", [](const Fd&) -> Result<> { return {}; }));
  EXPECT_FALSE(archive_->Forget("bob", "s-1"));
  EXPECT_THAT(*archive_->List("bob"), SizeIs(0));
  EXPECT_THAT(*archive_->List("ann"), SizeIs(1));
}

TEST_F(SessionArchiveTest, KeepsWhatEndedUnaskedForItsTime) {
  Write("f", "text");
  BeginAndUse("s-1");
  End("s-1", "idle");
  Pass(23h);
  archive_->Sweep();
  EXPECT_EQ(FileOf("s-1", "f"), "text");
  Pass(2h);
  archive_->Sweep();
  EXPECT_FALSE(archive_->Show("ann", "s-1"));
  EXPECT_FALSE(fs::exists(scratch_.path("workspaces/s-1")));
}

TEST_F(SessionArchiveTest, AClockThatJumpsForgetsNothingEarly) {
  Write("f", "text");
  BeginAndUse("s-1");
  End("s-1", "idle");
  const Wall before = wall_;
  wall_ = before + std::chrono::duration_cast<Wall>(24h * 365 * 30);
  archive_->Sweep();
  EXPECT_EQ(FileOf("s-1", "f"), "text");
  wall_ = before - std::chrono::duration_cast<Wall>(24h * 365);
  archive_->Sweep();
  EXPECT_EQ(FileOf("s-1", "f"), "text");
  wall_ = before;
  Pass(25h);
  archive_->Sweep();
  EXPECT_FALSE(archive_->Show("ann", "s-1"));
}

TEST_F(SessionArchiveTest, WhatItsCallerEndedGoesAtOnce) {
  Write("f", "text");
  BeginAndUse("s-1");
  SessionInfo info = Info("s-1");
  info.ended_by_caller = true;
  archive_->Ended(info, work_);
  archive_->Used("s-1", work_, nullptr);  // a run that was still in progress
  EXPECT_FALSE(archive_->Show("ann", "s-1"));
  EXPECT_FALSE(fs::exists(scratch_.path("workspaces/s-1")));
}

TEST_F(SessionArchiveTest, TheOldestLoseTheirFilesWhenACallerLeavesTooMuch) {
  Write("f", "123456");
  for (const char* id : {"s-1", "s-2"}) {
    BeginAndUse(id);
    End(id, "idle");
    Pass(1s);
  }
  EXPECT_EQ(FileOf("s-2", "f"), "123456");
  const auto older = archive_->Show("ann", "s-1");
  ASSERT_TRUE(older);
  EXPECT_EQ(older->at("workspace").at("files"), 0);
  EXPECT_THAT(std::string(older->at("workspace").at("incomplete").as_string()),
              HasSubstr("removed early"));
}

TEST_F(SessionArchiveTest, FilesThatNoRowSpeaksOfAreRemoved) {
  fs::create_directories(scratch_.path("workspaces/s-stray/tree"));
  Restart();
  EXPECT_FALSE(fs::exists(scratch_.path("workspaces/s-stray")));
}

TEST_F(SessionArchiveTest, AnEndThatCannotBeWrittenIsWrittenLater) {
  Write("f", "text");
  BeginAndUse("s-1");
  storage::Options hasty;
  hasty.patience = 200ms;  // just longer than the log needs for its own copy
  archive_.reset();
  database_ = *storage::Database::Open("sqlite:" + scratch_.path("belljar.db"), hasty);
  Restart();  // s-1 is an orphan now; s-2 belongs to this daemon
  BeginAndUse("s-2");
  const auto locker = *storage::Database::Open("sqlite:" + scratch_.path("belljar.db"), hasty);
  ASSERT_TRUE(locker->Transaction([&]() -> Result<> {
    End("s-2", "idle");
    EXPECT_FALSE(archive_->Show("ann", "s-2"));
    return {};
  }));
  archive_->Sweep();
  const auto shown = archive_->Show("ann", "s-2");
  ASSERT_TRUE(shown);
  EXPECT_EQ(shown->at("reason"), "idle");
}

}  // namespace
}  // namespace belljar::run
