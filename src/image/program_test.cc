#include "image/program.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <string>
#include <thread>

namespace belljar::image {
namespace {

using namespace std::chrono_literals;

// Of the daemon's threads, one may be kept off a CPU for a while (monitor/apart.h).
TEST(AskProgram, GivesItAllCpusWhateverTheThreadHas) {
  cpu_set_t all;
  ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
  std::thread([&] {
    cpu_set_t one;
    CPU_ZERO(&one);
    for (unsigned cpu = 0; CPU_COUNT(&one) == 0; ++cpu) {
      if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &one);
    }
    ASSERT_EQ(::sched_setaffinity(0, sizeof one, &one), 0);
    const auto counted = AskProgram({"/usr/bin/nproc"}, 10s);
    ASSERT_TRUE(counted) << counted.error().message();
    EXPECT_EQ(std::stoi(*counted), CPU_COUNT(&all));
  }).join();
}

}  // namespace
}  // namespace belljar::image
