#include "monitor/awake.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <optional>

#include "base/sys.h"

namespace belljar::monitor {
namespace {

// What was asked for, in order.
class Asked {
 public:
  Asked() : ends_(*MakePipe()) {}
  Fd Give() { return std::move(ends_.write); }
  std::optional<std::int32_t> Next(int wait_ms = 2000) {
    pollfd ready{ends_.read.get(), POLLIN, 0};
    std::int32_t number = 0;
    if (::poll(&ready, 1, wait_ms) <= 0) return std::nullopt;
    if (::read(ends_.read.get(), &number, sizeof(number)) != sizeof(number)) return std::nullopt;
    return number;
  }

 private:
  PipeEnds ends_;
};

constexpr std::int32_t kAnyNumber = 2'000'000'000;

TEST(Awake, AsksForNothingByItself) {
  Asked asked;
  const Awake awake(asked.Give());
  EXPECT_EQ(asked.Next(), kAnyNumber);
  EXPECT_EQ(asked.Next(20), std::nullopt);
}

TEST(Awake, EndsByItself) {
  Asked asked;
  Awake awake(asked.Give());
  asked.Next();
  const auto began = std::chrono::steady_clock::now();
  awake.ForAMoment();
  EXPECT_EQ(asked.Next(), 0);
  EXPECT_EQ(asked.Next(), kAnyNumber);
  EXPECT_GE(std::chrono::steady_clock::now() - began, Awake::kMoment);
  awake.ForAMoment();
  EXPECT_EQ(asked.Next(), 0);
  EXPECT_EQ(asked.Next(), kAnyNumber);
}

TEST(Awake, GoesOnWithoutAskingAgainWhileItIsCalled) {
  Asked asked;
  Awake awake(asked.Give());
  asked.Next();
  const auto until = std::chrono::steady_clock::now() + 20 * Awake::kMoment;
  std::size_t calls = 0;
  for (; std::chrono::steady_clock::now() < until; ++calls) awake.ForAMoment();
  std::size_t changes = 0;
  while (asked.Next(20)) ++changes;
  EXPECT_GE(changes, 2u);
  EXPECT_LT(changes, calls);
}

TEST(Awake, EndsWithItsOwner) {
  Asked asked;
  {
    Awake awake(asked.Give());
    awake.ForAMoment();
  }
  asked.Next();
  EXPECT_EQ(asked.Next(), 0);
}

TEST(Awake, KeepsTheCallerApartAndLetsItGoInTheEnd) {
  cpu_set_t all, own;
  ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
  Asked asked;
  Awake awake(asked.Give());
  asked.Next();
  const int least = CPU_COUNT(&all) > 1 ? CPU_COUNT(&all) - 1 : 1;
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  do {
    awake.ForAMoment();
    awake.KeepOff(::getppid());
    ::sched_getaffinity(0, sizeof own, &own);
  } while (CPU_COUNT(&own) > least && std::chrono::steady_clock::now() < until);
  EXPECT_EQ(CPU_COUNT(&own), least);
  while (asked.Next(50) == 0) continue;
  ::sched_getaffinity(0, sizeof own, &own);
  EXPECT_TRUE(CPU_EQUAL(&own, &all));
}

TEST(Awake, WithoutTheFileNothingIsDone) {
  Awake awake{Fd()};
  awake.ForAMoment();
  awake.KeepOff(::getppid());
}

}  // namespace
}  // namespace belljar::monitor
