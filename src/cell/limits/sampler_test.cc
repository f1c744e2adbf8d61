#include "cell/limits/sampler.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "foundation/base/sys.h"

namespace belljar::cell::limits {
namespace {

using std::chrono_literals::operator""ms;

constexpr std::uint64_t kNever = ~std::uint64_t{0};

struct FakeProcess {
  std::string name = "guest";
  int utime = 0, stime = 0, cutime = 0, cstime = 0;
  int threads = 1;
  int anon_kb = 0, shmem_kb = 0;
};

class ProcSamplerTest : public testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(::sysconf(_SC_CLK_TCK), 100);
    std::string pattern = testing::TempDir() + "procXXXXXX";
    root_ = ::mkdtemp(pattern.data());
    Add(1, {.name = "init", .utime = 500, .threads = 1, .anon_kb = 999});
  }
  void TearDown() override { std::filesystem::remove_all(root_); }

  void Put(int pid, const std::string& file, const std::string& text) {
    const std::string dir = fmt::format("{}/{}", root_, pid);
    std::filesystem::create_directories(dir);
    std::ofstream(dir + "/" + file) << text;
  }
  void Add(int pid, const FakeProcess& p) {
    Put(pid, "stat",
        fmt::format("{} ({}) S 1 {} {} 0 -1 4194304 97 0 0 0 {} {} {} {} 20 0 {} 0 263652 3133440 "
                    "382 18446744073709551615\n",
                    pid, p.name, pid, pid, p.utime, p.stime, p.cutime, p.cstime, p.threads));
    Put(pid, "status",
        fmt::format("Name:\t{}\nState:\tS (sleeping)\nVmRSS:\t  77777 kB\nRssAnon:\t  {} kB\n"
                    "RssFile:\t  5555 kB\nRssShmem:\t  {} kB\nThreads:\t{}\n",
                    p.name, p.anon_kb, p.shmem_kb, p.threads));
  }
  void AddShares(int pid, int anon_kb, int shmem_kb) {
    Put(pid, "smaps_rollup",
        fmt::format("5652ca287000-7fff15ecd000 ---p 00000000 00:00 0   [rollup]\nRss:  9999 kB\n"
                    "Pss:  8888 kB\nPss_Anon:  {} kB\nPss_File:  190 kB\nPss_Shmem:  {} kB\n",
                    anon_kb, shmem_kb));
  }
  Result<Sample> Take(std::uint64_t exact_above_bytes) {
    Fd root = BJ_TRY(Open(root_, O_PATH | O_DIRECTORY));
    return ProcSampler(std::move(root), exact_above_bytes).Take();
  }
  Sample MustTake(std::uint64_t exact_above_bytes = kNever) {
    const auto sample = Take(exact_above_bytes);
    if (!sample) {
      ADD_FAILURE() << sample.error().message();
      return {};
    }
    return *sample;
  }

  std::string root_;
};

TEST_F(ProcSamplerTest, AnEmptyCellUsesNothing) { EXPECT_EQ(MustTake(), Sample{}); }

TEST_F(ProcSamplerTest, AddsUpProcessesThreadsMemoryAndTime) {
  Add(7, {.utime = 10, .stime = 5, .cutime = 2, .cstime = 1, .threads = 4, .anon_kb = 100});
  Add(12, {.utime = 1, .threads = 1, .anon_kb = 20, .shmem_kb = 3});
  const Sample sample = MustTake();
  EXPECT_EQ(sample.processes, 5u);
  EXPECT_EQ(sample.memory_bytes, 123u * 1024);
  EXPECT_EQ(sample.cpu_time, 190ms);
  EXPECT_FALSE(sample.memory_is_exact);
}

TEST_F(ProcSamplerTest, TheTimeOfReapedOrphansIsNotLostWithInit) {
  Add(1, {.name = "init", .utime = 500, .cutime = 30, .cstime = 3});
  EXPECT_EQ(MustTake().cpu_time, 330ms);
}

TEST_F(ProcSamplerTest, AProcessCannotHideBehindItsName) {
  Add(7, {.name = ") Z 0 0 0 (", .utime = 40, .threads = 2});
  Add(8, {.name = "a) R 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 0", .utime = 2, .threads = 3});
  const Sample sample = MustTake();
  EXPECT_EQ(sample.processes, 5u);
  EXPECT_EQ(sample.cpu_time, 420ms);
}

TEST_F(ProcSamplerTest, ANameThatLooksLikeAMemoryLineCountsForNothing) {
  Add(7, {.name = "RssAnon: 0 kB", .anon_kb = 64});
  EXPECT_EQ(MustTake().memory_bytes, 64u * 1024);
}

TEST_F(ProcSamplerTest, PagesSharedAfterForkAreCountedOnceWhenItMatters) {
  Add(7, {.anon_kb = 1000});
  Add(8, {.anon_kb = 1000});
  AddShares(7, 500, 0);
  AddShares(8, 510, 7);
  EXPECT_EQ(MustTake(2000 * 1024).memory_bytes, 2000u * 1024) << "within the limit: not walked";
  const Sample above = MustTake(1999 * 1024);
  EXPECT_EQ(above.memory_bytes, 1017u * 1024);
  EXPECT_TRUE(above.memory_is_exact);
}

TEST_F(ProcSamplerTest, WalksGetNoMoreThanATenthOfTheTime) {
  Add(7, {.anon_kb = 1000});
  AddShares(7, 500, 0);
  std::chrono::steady_clock::time_point now{};
  // every reading of the clock advances it by 10 ms
  const auto clock = [&] { return now += 10ms; };
  auto root = Open(root_, O_PATH | O_DIRECTORY);
  ASSERT_TRUE(root);
  ProcSampler sampler(*std::move(root), 700 * 1024, clock);
  EXPECT_EQ(sampler.Take()->memory_bytes, 500u * 1024);
  AddShares(7, 600, 0);
  for (int look = 1; look < 9; ++look) {
    EXPECT_EQ(sampler.Take()->memory_bytes, 500u * 1024) << "walked at look " << look;
  }
  EXPECT_EQ(sampler.Take()->memory_bytes, 600u * 1024);
}

TEST_F(ProcSamplerTest, SharesAboveTheLimitAreNeverAnOldReading) {
  Add(7, {.anon_kb = 1000});
  AddShares(7, 900, 0);
  std::chrono::steady_clock::time_point now{};
  auto root = Open(root_, O_PATH | O_DIRECTORY);
  ASSERT_TRUE(root);
  ProcSampler sampler(*std::move(root), 700 * 1024, [&] { return now += 10ms; });
  EXPECT_EQ(sampler.Take()->memory_bytes, 900u * 1024);
  AddShares(7, 450, 0);
  EXPECT_EQ(sampler.Take()->memory_bytes, 450u * 1024);
}

TEST_F(ProcSamplerTest, WhoseSharesCannotBeReadIsCountedInFull) {
  Add(7, {.anon_kb = 1000});
  Add(8, {.anon_kb = 1000});
  AddShares(7, 500, 0);
  Put(8, "smaps_rollup", "");
  const Sample sample = MustTake(0);
  EXPECT_EQ(sample.memory_bytes, 1500u * 1024);
  EXPECT_FALSE(sample.memory_is_exact);
}

TEST_F(ProcSamplerTest, AProcessThatEndsMeanwhileIsPassedOver) {
  std::filesystem::create_directories(root_ + "/9");  // its files are gone
  Add(7, {.threads = 2});
  EXPECT_EQ(MustTake().processes, 2u);
}

TEST_F(ProcSamplerTest, AZombieHasATaskAndTimeButNoMemory) {
  Add(7, {.utime = 3, .threads = 1});
  Put(7, "status", "Name:\tguest\nState:\tZ (zombie)\nThreads:\t1\n");
  const Sample sample = MustTake(0);
  EXPECT_EQ(sample.processes, 1u);
  EXPECT_EQ(sample.memory_bytes, 0u);
  EXPECT_EQ(sample.cpu_time, 30ms);
}

TEST_F(ProcSamplerTest, OtherFilesOfAProcfsArePassedOver) {
  for (const char* name : {"self", "thread-self", "sys", "0x7"}) {
    std::filesystem::create_directories(root_ + "/" + name);
  }
  EXPECT_EQ(MustTake(), Sample{});
}

TEST_F(ProcSamplerTest, AnUnknownShapeIsAnErrorNotZero) {
  for (const char* text : {"", "7 guest S 1", "7 (guest)", "7 (guest) ", "7 (guest) S 1 2 3"}) {
    Put(7, "stat", text);
    const auto sample = Take(kNever);
    ASSERT_FALSE(sample) << "'" << text << "'";
    EXPECT_EQ(sample.error().kind(), Kind::kInternal);
  }
}

TEST_F(ProcSamplerTest, AFileWithoutEndIsAnError) {
  Put(7, "stat", std::string(1 << 20, 'x'));
  EXPECT_FALSE(Take(kNever));
}

TEST_F(ProcSamplerTest, ReadsWhatThisKernelWritesOfThisProcess) {
  std::vector<char> touched(8 << 20, 'x');
  const std::string dir = root_ + "/7";
  std::filesystem::create_directories(dir);
  for (const char* file : {"stat", "status", "smaps_rollup"}) {
    std::filesystem::create_symlink(std::string("/proc/self/") + file, dir + "/" + file);
  }
  const Sample bound = MustTake();
  const Sample exact = MustTake(0);
  EXPECT_GE(bound.processes, 1u);
  EXPECT_GE(bound.memory_bytes, touched.size());
  EXPECT_TRUE(exact.memory_is_exact);
  EXPECT_GE(exact.memory_bytes, touched.size());
}

}  // namespace
}  // namespace belljar::cell::limits
