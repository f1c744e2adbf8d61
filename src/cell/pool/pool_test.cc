#include "cell/pool/pool.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>

#include <algorithm>
#include <future>
#include <set>

#include "cell/fake.h"
#include "cell/limits/cgroup_fake.h"

namespace belljar::cell::pool {
namespace {

using testing::HasSubstr;

CellSpec Spec(std::size_t number) {
  CellSpec spec;
  spec.image = "image-" + std::to_string(number);
  return spec;
}

bool IsAlive(const PreparedCell& prepared) {
  pollfd ended{prepared.cell->ended().get(), POLLIN, 0};
  return ::poll(&ended, 1, 0) == 0;
}

class WarmPoolTest : public testing::Test {
 protected:
  WarmPoolTest() : tree_(*limits::CgroupTree::OpenWith(files_, files_.root())) {}

  PreparedCell MustTake(WarmPool& pool, const CellSpec& spec) {
    auto taken = pool.Take(spec);
    if (!taken) {
      ADD_FAILURE() << taken.error().message();
      return {};
    }
    return *std::move(taken);
  }
  std::ptrdiff_t BuiltHere() const {
    return std::ranges::count(backend_.builders(), std::this_thread::get_id());
  }

  limits::FakeCgroups files_;  // a machine without control groups
  limits::CgroupTree tree_;
  FakeBackend backend_;
  CellFactory factory_{backend_, tree_};
};

TEST_F(WarmPoolTest, HandsOutEachCellOnce) {
  WarmPool pool(factory_, 2);
  ASSERT_TRUE(pool.Fill(Spec(1), 2));
  std::set<pid_t> seen;
  for (int turn = 0; turn < 8; ++turn) {
    PreparedCell cell = MustTake(pool, Spec(1));
    EXPECT_TRUE(cell.dialogue.ready());
    EXPECT_TRUE(seen.insert(cell.cell->number()).second) << "a used cell came back";
    pool.Discard(std::move(cell));
  }
}

TEST_F(WarmPoolTest, HandsOutAReadyCellWithoutBuilding) {
  WarmPool pool(factory_, 1);
  ASSERT_TRUE(pool.Fill(Spec(1), 1));
  const PreparedCell cell = MustTake(pool, Spec(1));
  EXPECT_EQ(BuiltHere(), 0);
}

TEST_F(WarmPoolTest, BuildsInTheCallersThreadWhenNoneIsReadyOrBegun) {
  WarmPool pool(factory_, 1);
  const PreparedCell cell = MustTake(pool, Spec(1));
  EXPECT_EQ(BuiltHere(), 1);
}

TEST_F(WarmPoolTest, OneCallerWaitsForTheCellThatIsBeingBuiltAndTheOthersBuildTheirOwn) {
  WarmPool pool(factory_, 1);
  backend_.HoldOtherThreads();
  const PreparedCell first = MustTake(pool, Spec(1));
  backend_.AwaitStarted(2);  // the one that the refiller builds
  std::promise<void> taken;
  std::future<void> outcome = taken.get_future();
  const std::jthread waiter([&] {
    const PreparedCell second = MustTake(pool, Spec(1));
    taken.set_value();
  });
  EXPECT_EQ(outcome.wait_for(std::chrono::milliseconds(50)), std::future_status::timeout);
  const PreparedCell third = MustTake(pool, Spec(1));
  EXPECT_EQ(BuiltHere(), 2);
  EXPECT_EQ(backend_.started(), 3u) << "the waiting caller has built nothing";
  backend_.Release();
  outcome.get();
}

TEST_F(WarmPoolTest, RefillsWhatWasTaken) {
  WarmPool pool(factory_, 2);
  const PreparedCell cell = MustTake(pool, Spec(1));
  ASSERT_TRUE(pool.Fill(Spec(1), 2));
  EXPECT_EQ(pool.ready(Spec(1)), 2u);
  EXPECT_EQ(backend_.alive(), 3u);
}

TEST_F(WarmPoolTest, BuildsOnlyWhatIsUrgentWhileAProgramBegins) {
  WarmPool pool(factory_, 64);
  pool.StandBack(std::chrono::hours(1));
  ASSERT_TRUE(pool.Fill(Spec(1), 9)) << "more than half of a good number";
  // Each refiller may have begun one more cell before that.
  EXPECT_LE(pool.ready(Spec(1)), 8 + std::max(1U, std::thread::hardware_concurrency()));
}

TEST_F(WarmPoolTest, LeavesTheMachineToWhoeverTakesManyUntilNoneIsLeft) {
  WarmPool pool(factory_, 3);
  ASSERT_TRUE(pool.Fill(Spec(1), 3));
  auto quiet = std::make_unique<WarmPool::Quiet>(pool);
  const auto first = pool.TakeReady(Spec(1));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_EQ(backend_.started(), 3u) << "nothing is built ahead";
  const auto second = pool.TakeReady(Spec(1));
  const auto third = pool.TakeReady(Spec(1));
  backend_.AwaitStarted(4);  // for later callers
  quiet.reset();
  ASSERT_TRUE(pool.Fill(Spec(1), 3));
}

TEST_F(WarmPoolTest, DropsReadyCellsThatHaveDied) {
  WarmPool pool(factory_, 2);
  ASSERT_TRUE(pool.Fill(Spec(1), 2));
  backend_.HoldOtherThreads();
  backend_.EndGuests();
  const PreparedCell cell = MustTake(pool, Spec(1));
  EXPECT_TRUE(IsAlive(cell));
  EXPECT_EQ(BuiltHere(), 1);
  EXPECT_EQ(pool.ready(Spec(1)), 0u);
  backend_.AwaitAlive(1);  // dead cells are destroyed, not kept
  backend_.Release();
}

TEST_F(WarmPoolTest, SaysWhyItCannotBeFilled) {
  WarmPool pool(factory_, 1);
  backend_.Script(FakeGuest::kIsNotStarted);
  const auto filled = pool.Fill(Spec(1), 1);
  ASSERT_FALSE(filled);
  const auto made = factory_.Make(Spec(1));
  ASSERT_FALSE(made);
  EXPECT_EQ(filled.error().message(), "the pool could not build a cell: " + made.error().message());
}

TEST_F(WarmPoolTest, GivesEachSpecAShelf) {
  WarmPool pool(factory_, 1);
  CellSpec larger = Spec(1);
  larger.limits.memory_bytes *= 2;
  ASSERT_TRUE(pool.Fill(Spec(1), 1));
  ASSERT_TRUE(pool.Fill(larger, 1));
  backend_.HoldOtherThreads();
  const PreparedCell cell = MustTake(pool, larger);
  EXPECT_EQ(pool.ready(Spec(1)), 1u);
  EXPECT_EQ(pool.ready(larger), 0u);
  EXPECT_EQ(BuiltHere(), 0);
  backend_.Release();
}

TEST_F(WarmPoolTest, KeepsCellsOfTheSpecsLatelyAskedFor) {
  WarmPool pool(factory_, 1);
  for (std::size_t n = 0; n < WarmPool::kMaxSpecs; ++n) ASSERT_TRUE(pool.Fill(Spec(n), 1));
  ASSERT_TRUE(pool.Fill(Spec(0), 1));
  ASSERT_TRUE(pool.Fill(Spec(100), 1));
  EXPECT_EQ(pool.ready(Spec(0)), 1u) << "it was asked for again";
  EXPECT_EQ(pool.ready(Spec(1)), 0u) << "the one longest not asked for";
  backend_.AwaitAlive(WarmPool::kMaxSpecs);
}

TEST_F(WarmPoolTest, TellsCallersWhyACellCannotBeBuilt) {
  WarmPool pool(factory_, 1);
  backend_.Script(FakeGuest::kIsNotStarted);
  const auto taken = pool.Take(Spec(1));
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().kind(), Kind::kUnavailable);
  EXPECT_THAT(taken.error().message(), HasSubstr("told to fail"));
  EXPECT_FALSE(pool.Fill(Spec(1), 1));
}

TEST_F(WarmPoolTest, DoesNotTryAgainUnlessAskedAgain) {
  WarmPool pool(factory_, 1);
  backend_.Script(FakeGuest::kDiesBeforeHello);
  ASSERT_FALSE(pool.Fill(Spec(1), 1));
  EXPECT_EQ(backend_.started(), 1u);
  backend_.Script(FakeGuest::kSaysHello);
  // If the spec were still wanted, it would be built more than once during these fills.
  for (std::size_t n = 2; n < 7; ++n) ASSERT_TRUE(pool.Fill(Spec(n), 1));
  EXPECT_EQ(pool.ready(Spec(1)), 0u);
  EXPECT_EQ(backend_.started(), 6u);

  const PreparedCell cell = MustTake(pool, Spec(1));
  ASSERT_TRUE(pool.Fill(Spec(1), 1));
}

TEST_F(WarmPoolTest, FillWaitsUntilTheCellsAreReady) {
  WarmPool pool(factory_, 1);
  backend_.HoldOtherThreads();
  std::promise<bool> filled;
  std::future<bool> outcome = filled.get_future();
  const std::jthread filler([&] {
    filled.set_value(static_cast<bool>(pool.Fill(Spec(1), 3)) && pool.ready(Spec(1)) == 3);
  });
  backend_.AwaitStarted(1);
  EXPECT_EQ(outcome.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
  backend_.Release();
  EXPECT_TRUE(outcome.get());
}

TEST_F(WarmPoolTest, TakesWaitingAndUsedCellsWithItWhenItEnds) {
  {
    WarmPool pool(factory_, 3);
    ASSERT_TRUE(pool.Fill(Spec(1), 3));
    ASSERT_TRUE(pool.Fill(Spec(2), 3));
    for (int turn = 0; turn < 3; ++turn) pool.Discard(MustTake(pool, Spec(1)));
  }
  EXPECT_EQ(backend_.alive(), 0u);
}

TEST_F(WarmPoolTest, EndsWhileItIsStillFilling) {
  {
    WarmPool pool(factory_, 50);
    const PreparedCell cell = MustTake(pool, Spec(1));
    backend_.AwaitStarted(3);
  }
  EXPECT_EQ(backend_.alive(), 0u);
}

TEST_F(WarmPoolTest, ServesManyThreadsWithoutGivingACellToTwo) {
  WarmPool pool(factory_, 2);
  std::mutex mutex;
  std::set<pid_t> seen;
  {
    std::vector<std::jthread> callers;
    for (std::size_t caller = 0; caller < 4; ++caller) {
      callers.emplace_back([&, caller] {
        for (int turn = 0; turn < 25; ++turn) {
          PreparedCell cell = MustTake(pool, Spec(caller % 2));
          const std::lock_guard lock(mutex);
          EXPECT_TRUE(seen.insert(cell.cell->number()).second);
          pool.Discard(std::move(cell));
        }
      });
    }
  }
  EXPECT_EQ(seen.size(), 100u);
}

using WarmPoolDeathTest = WarmPoolTest;

// In a process of its own: the failures it looks for are an endless wait and a use after free.
TEST_F(WarmPoolDeathTest, FillReturnsWhenItsSpecIsPushedOutMeanwhile) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto fill = [&] {
    WarmPool pool(factory_, 1);
    backend_.HoldOtherThreads();
    std::promise<void> returned;
    std::jthread filler([&] {
      const auto ignored = pool.Fill(Spec(0), 1);
      returned.set_value();
    });
    backend_.AwaitStarted(1);
    for (std::size_t n = 1; n <= WarmPool::kMaxSpecs; ++n) pool.Discard(MustTake(pool, Spec(n)));
    backend_.Release();
    const auto status = returned.get_future().wait_for(std::chrono::seconds(2));
    std::_Exit(status == std::future_status::ready ? 0 : 1);
  };
  EXPECT_EXIT(fill(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace belljar::cell::pool
