#include "cell/limits/meter.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <utility>

#include "cell/limits/cgroup_fake.h"
#include "foundation/base/sys.h"

namespace belljar::cell::limits {
namespace {

// A group that has only the counters of `controllers`, and a procfs with one guest: 30 ms of CPU
// time, 4 MiB, two threads.
class MixedMeterTest : public testing::Test {
 protected:
  Reading ReadWith(const std::string& controllers) {
    fake_.MountV2("groups", "/", controllers);
    fake_.Put("proc/7/stat", "7 (guest) S 1 7 7 0 -1 4194304 97 0 0 0 2 1 0 0 20 0 2 0 1 1 1 1\n");
    fake_.Put("proc/7/status", "Name:\tguest\nRssAnon:\t4096 kB\nRssShmem:\t0 kB\n");
    auto tree = CgroupTree::OpenWith(fake_, fake_.root() + "/groups");
    const auto group = tree->Create("c1", {});
    auto proc = Open(fake_.root() + "/proc", O_RDONLY | O_DIRECTORY);
    counts_all_ = CountsAll(tree->support());
    const auto reading = MixedMeter(*group, SampleMeter(*std::move(proc), 64 << 20)).Read();
    EXPECT_TRUE(reading) << reading.error().message();
    return *reading;
  }
  FakeCgroups fake_;
  bool counts_all_ = false;
};

TEST_F(MixedMeterTest, SamplesWhatTheGroupDoesNotCount) {
  const Reading reading = ReadWith("cpu pids");
  EXPECT_FALSE(counts_all_);
  EXPECT_EQ(reading.memory_peak_bytes, 4096u << 10) << "sampled";
  EXPECT_EQ(reading.cpu_us, 4321u) << "the group's";
  EXPECT_EQ(reading.processes_peak, 7u) << "the group's";
  EXPECT_EQ(reading.forks_denied, 5u) << "the group's";
}

TEST_F(MixedMeterTest, WithoutACounterOfCpuTimeItIsSampled) {
  fake_.Lack("cpu.stat");
  const Reading reading = ReadWith("memory pids");
  EXPECT_FALSE(counts_all_);
  EXPECT_EQ(reading.cpu_us, 30'000u) << "sampled";
  EXPECT_EQ(reading.memory_peak_bytes, 1048576u) << "the group's";
}

TEST_F(MixedMeterTest, SinceTellsOnlyWhatCameAfter) {
  class Fixed final : public Meter {
   public:
    Result<Reading> Read() override { return Reading{500, 4096, 3, 2, 5, true}; }
    std::chrono::milliseconds interval() const override { return std::chrono::milliseconds(1); }
  };
  Fixed whole;
  const auto part = SinceMeter(whole, Reading{200, 9000, 9, 1, 5, true}).Read();
  ASSERT_TRUE(part);
  EXPECT_EQ(part->cpu_us, 300u);
  EXPECT_EQ(part->oom_kills, 1u);
  EXPECT_EQ(part->forks_denied, 0u);
  EXPECT_EQ(part->memory_peak_bytes, 4096u) << "a peak has no parts";
}

TEST(CgroupMeter, ReadsNoPeaksWhereOnlySumsAreWanted) {
  FakeCgroups fake;
  fake.MountV2("groups", "/", "cpu memory pids");
  auto tree = CgroupTree::OpenWith(fake, fake.root() + "/groups");
  const auto group = tree->Create("c1", {});
  CgroupMeter meter(*group);
  const auto all = meter.Read();
  const auto sums = meter.ReadSums();
  ASSERT_TRUE(all && sums);
  EXPECT_EQ(sums->cpu_us, all->cpu_us);
  EXPECT_EQ(sums->oom_kills, all->oom_kills);
  EXPECT_EQ(sums->forks_denied, all->forks_denied);
  EXPECT_EQ(sums->counts_denials, all->counts_denials);
  EXPECT_TRUE(all->memory_peak_bytes && all->processes_peak);
  EXPECT_FALSE(sums->memory_peak_bytes || sums->processes_peak);
}

class SaidMeter final : public Meter {
 public:
  explicit SaidMeter(const Reading& reading) : reading_(reading) {}
  Result<Reading> Read() override { return reading_; }
  std::chrono::milliseconds interval() const override { return std::chrono::milliseconds(20); }

 private:
  const Reading& reading_;
};

TEST(ContainedMeter, TakesOffWhatTheRuntimeHadUsed) {
  Reading now{170'000, 60 << 20, 50, 0, 0, true};
  ContainedMeter meter(std::make_unique<SaidMeter>(now), now, 4);
  now.cpu_us = 175'000;
  EXPECT_EQ(meter.Read()->cpu_us, 5'000u);
  EXPECT_EQ(meter.Read()->processes_peak, 1u) << "the program itself";
  now.processes_peak = 60;
  EXPECT_EQ(meter.Read()->processes_peak, 11u);
  EXPECT_EQ(meter.Read()->forks_denied, 0u) << "the kernel counts, and has refused nothing";
}

TEST(ContainedMeter, HoldsTheLimitOfProcessesWhereNobodyElseDoes) {
  Reading now{0, 0, 50, 0, 0, false};
  ContainedMeter meter(std::make_unique<SaidMeter>(now), now, 53);
  now.processes_peak = 53;
  EXPECT_EQ(meter.Read()->forks_denied, 0u);
  now.processes_peak = 54;
  EXPECT_EQ(meter.Read()->forks_denied, 1u);
}

}  // namespace
}  // namespace belljar::cell::limits
