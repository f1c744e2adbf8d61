#include "cell/pool/cell_factory.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "cell/fake.h"
#include "cell/limits/cgroup_fake.h"

namespace belljar::cell::pool {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class CellFactoryTest : public testing::Test {
 protected:
  CellFactoryTest() : tree_(OpenTree()), factory_(backend_, tree_) {}

  limits::CgroupTree OpenTree() {
    files_.MountV2("", "/app", "cpu memory pids");
    return *limits::CgroupTree::OpenWith(files_, files_.root());
  }
  std::vector<std::string> Groups() const {
    return files_.GroupsAt("app/belljar-" + std::to_string(::getpid()));
  }
  // The error of a failed start; also checks that the attempt left nothing behind.
  std::string Complaint(FakeGuest guest) {
    backend_.Script(guest);
    const auto made = factory_.Make({});
    EXPECT_EQ(backend_.alive(), made ? 1u : 0u);
    EXPECT_THAT(Groups(), SizeIs(made ? 1 : 0));
    return made ? "" : made.error().message();
  }

  limits::FakeCgroups files_;
  limits::CgroupTree tree_;
  FakeBackend backend_;
  CellFactory factory_;
};

TEST_F(CellFactoryTest, MakesACellWhoseGuestHasSaidHello) {
  for (const FakeGuest guest : {FakeGuest::kSaysHello, FakeGuest::kSaysHelloInTwoParts}) {
    backend_.Script(guest);
    const auto made = factory_.Make({});
    ASSERT_TRUE(made) << made.error().message();
    EXPECT_TRUE(made->dialogue.ready());
    EXPECT_EQ(made->dialogue.report().guest, "fake");
  }
}

TEST_F(CellFactoryTest, NotesWhatTheInterpreterTookToStart) {
  const auto made = factory_.Make({});
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_EQ(made->cpu_us_before, 4321u);  // as the fake groups' cpu.stat has it
}

TEST_F(CellFactoryTest, PutsEachCellIntoAGroupOfItsOwn) {
  {
    const auto first = factory_.Make({});
    const auto second = factory_.Make({});
    ASSERT_TRUE(first && second);
    EXPECT_THAT(Groups(), SizeIs(2));
    EXPECT_GE(backend_.last_placement().v2_dir, 0);
    EXPECT_TRUE(backend_.last_placement().memory_held);
    EXPECT_TRUE(backend_.last_placement().cpu_held);
  }
  EXPECT_THAT(Groups(), IsEmpty());
}

TEST_F(CellFactoryTest, StartsNothingWhenALimitCannotBeSet) {
  for (const char* file : {"memory.max", "pids.max", "cpu.max"}) {
    files_.FailWrites(file, EIO);
    const auto made = factory_.Make({});
    ASSERT_FALSE(made) << file;
    EXPECT_THAT(made.error().message(), HasSubstr(file));
    EXPECT_EQ(backend_.started(), 0u);
    EXPECT_THAT(Groups(), IsEmpty());
    files_.FailWrites(file, 0);
  }
}

TEST_F(CellFactoryTest, StartsNothingWhenNoGroupCanBeMade) {
  files_.FailMaking(ENOSPC);
  const auto made = factory_.Make({});
  ASSERT_FALSE(made);
  EXPECT_THAT(made.error().message(), HasSubstr("control group"));
  EXPECT_EQ(backend_.started(), 0u);
}

TEST_F(CellFactoryTest, SaysWhyTheBackendDidNotStartACell) {
  EXPECT_EQ(Complaint(FakeGuest::kIsNotStarted), "the fake backend was told to fail");
}

TEST_F(CellFactoryTest, RepeatsTheLastWordsOfAGuestThatEndedEarly) {
  const limits::FakeCgroups bare;
  auto no_groups = *limits::CgroupTree::OpenWith(bare, bare.root());
  CellFactory factory(backend_, no_groups);
  backend_.Script(FakeGuest::kDiesBeforeHello);
  const auto made = factory.Make({});
  ASSERT_FALSE(made);
  EXPECT_EQ(made.error().message(),
            "start cell: the guest ended before its hello: Fatal Python error");
}

TEST_F(CellFactoryTest, BlamesTheLimitThatKeptAnInterpreterFromStarting) {
  // The counters of a new fake group already show refused forks.
  EXPECT_EQ(Complaint(FakeGuest::kDiesBeforeHello),
            "start cell: the interpreter itself needs more than 64 processes and threads");
}

TEST_F(CellFactoryTest, RefusesAGuestThatBreaksTheProtocol) {
  EXPECT_THAT(Complaint(FakeGuest::kSaysGarbage), HasSubstr("start cell: "));
  EXPECT_THAT(Complaint(FakeGuest::kSaysMoreThanHello), HasSubstr("start cell: "));
}

TEST(CellFactoryWithoutGroups, LeavesTheLimitsToTheBackend) {
  const limits::FakeCgroups files;
  auto tree = *limits::CgroupTree::OpenWith(files, files.root());
  FakeBackend backend;
  const auto made = CellFactory(backend, tree).Make({});
  ASSERT_TRUE(made) << made.error().message();
  EXPECT_FALSE(made->group);
  EXPECT_EQ(backend.last_placement().v2_dir, -1);
  EXPECT_THAT(backend.last_placement().v1_joins, IsEmpty());
  EXPECT_FALSE(backend.last_placement().memory_held);
  EXPECT_FALSE(backend.last_placement().cpu_held);
}

}  // namespace
}  // namespace belljar::cell::pool
