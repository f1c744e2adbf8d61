// CgroupTree against the kernel of this machine. Needs root and working memory, process and kill
// groups; skipped with a message otherwise.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <linux/sched.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <optional>
#include <sstream>

#include "cell/limits/cgroup.h"
#include "cell/limits/cgroup_files.h"
#include "foundation/base/sys.h"

namespace belljar::cell::limits {
namespace {

constexpr std::chrono::seconds kLong{10};  // upper bound; reached only when a test fails

// Starts `body` in a child that has joined `group` in every tree.
template <class Body>
pid_t Spawn(const Cgroup& group, Body body) {
  clone_args args{};
  args.exit_signal = SIGCHLD;
  if (group.v2_dir()) {
    args.flags = CLONE_INTO_CGROUP;
    args.cgroup = static_cast<std::uint64_t>(group.v2_dir().get());
  }
  const long pid = ::syscall(SYS_clone3, &args, sizeof(args));
  if (pid != 0) return static_cast<pid_t>(pid);
  for (const Fd& join : group.v1_joins()) {
    if (::write(join.get(), "0", 1) != 1) ::_exit(99);
  }
  body();
  ::_exit(0);
}

[[noreturn]] void SleepForEver() {
  for (;;) ::pause();
}

int Reap(pid_t pid) {
  int status = -1;
  EXPECT_EQ(::waitpid(pid, &status, 0), pid);
  return status;
}

void SayReady(int write_end) {
  if (::write(write_end, "r", 1) != 1) ::_exit(98);
}

bool AwaitReady(const Fd& read_end) {
  char byte = 0;
  return ::read(read_end.get(), &byte, 1) == 1;
}

// True if the other end of the pipe is closed within kLong, that is, if all its holders died.
bool Ends(const Fd& read_end) {
  const auto ended = WaitReadable(read_end, kLong);
  return ended && *ended;
}

bool WaitForEvent(const Fd& events, int timeout_ms) {
  pollfd waited{events.get(), POLLPRI, 0};
  return ::poll(&waited, 1, timeout_ms) == 1 && (waited.revents & POLLPRI) != 0;
}

request::Limits TightLimits() {
  request::Limits limits;
  limits.memory_bytes = 16 * request::kMiB;
  limits.processes = 3;
  return limits;
}

// Hides the v2 hierarchy: a machine without cgroup v2.
class WithoutV2 : public CgroupFiles {
 public:
  Result<std::string> MountInfo() const override {
    std::istringstream all(BJ_TRY(CgroupFiles::MountInfo()));
    std::string kept;
    for (std::string line; std::getline(all, line);) {
      if (line.find(" - cgroup2 ") == std::string::npos) kept += line + "\n";
    }
    return kept;
  }
};

class CgroupOnThisKernel : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "missing: root, to create cgroups";
    auto tree = CgroupTree::Open();
    ASSERT_TRUE(tree);
    tree_.emplace(*std::move(tree));
    const CgroupSupport& support = tree_->support();
    const bool usable = support.memory != CgroupBy::kNone && support.processes != CgroupBy::kNone &&
                        support.kill != CgroupBy::kNone;
    if (!usable) GTEST_SKIP() << "missing: usable cgroups: " << support.notes.front();
  }
  Cgroup Create() {
    auto group = tree_->Create("test", TightLimits());
    if (!group) ADD_FAILURE() << group.error().message();
    return *std::move(group);
  }
  std::optional<CgroupTree> tree_;
};

TEST_F(CgroupOnThisKernel, RemoveKillsAProcessThatWillNotEnd) {
  Cgroup group = Create();
  const pid_t pid = Spawn(group, SleepForEver);
  EXPECT_TRUE(*group.Populated());
  EXPECT_EQ(*group.Processes(), 1U);
  const auto removed = group.Remove();
  EXPECT_TRUE(removed) << removed.error().message();
  const int status = Reap(pid);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
}

TEST_F(CgroupOnThisKernel, KillEndsAStoppedProcess) {
  Cgroup group = Create();
  const pid_t pid = Spawn(group, [] { ::raise(SIGSTOP); });
  int status = 0;
  ASSERT_EQ(::waitpid(pid, &status, WUNTRACED), pid);
  ASSERT_TRUE(WIFSTOPPED(status));
  ASSERT_TRUE(group.Kill());
  EXPECT_TRUE(WIFSIGNALED(Reap(pid)));
}

// Forks until the kernel refuses, reports that, and stays alive.
void ForkUntilRefused(int write_end) {
  pid_t child = 1;
  while (child > 0) child = ::fork();
  if (child < 0) SayReady(write_end);
  SleepForEver();
}

TEST_F(CgroupOnThisKernel, ARefusedForkIsCounted) {
  Cgroup group = Create();
  auto pipe = MakePipe();
  ASSERT_TRUE(pipe);
  const pid_t pid = Spawn(group, [&] { ForkUntilRefused(pipe->write.get()); });
  pipe->write.Close();
  ASSERT_TRUE(AwaitReady(pipe->read));
  const auto counters = group.Read();
  ASSERT_TRUE(counters) << counters.error().message();
  EXPECT_GE(counters->forks_denied, 1u);
  EXPECT_EQ(counters->processes_peak.value_or(3), 3u);
  EXPECT_TRUE(group.Remove());
  Reap(pid);
}

TEST_F(CgroupOnThisKernel, ARefusedForkWakesThePollerUntilItIsRead) {
  if (tree_->support().processes != CgroupBy::kV2) GTEST_SKIP() << "missing: cgroup v2 pids";
  Cgroup group = Create();
  const Fd& events = group.fork_denied_event();
  ASSERT_TRUE(events);
  EXPECT_FALSE(WaitForEvent(events, 0)) << "nothing has happened yet";
  auto pipe = MakePipe();
  ASSERT_TRUE(pipe);
  const pid_t pid = Spawn(group, [&] { ForkUntilRefused(pipe->write.get()); });
  EXPECT_TRUE(WaitForEvent(events, 5000));
  ASSERT_TRUE(group.Read());
  EXPECT_FALSE(WaitForEvent(events, 0)) << "Read() acknowledges";
  EXPECT_TRUE(group.Remove());
  Reap(pid);
}

TEST_F(CgroupOnThisKernel, TooMuchMemoryKillsAndIsCounted) {
  Cgroup group = Create();
  const pid_t pid = Spawn(group, [] {
    constexpr std::size_t kBytes = 64 << 20;
    void* const memory =
        ::mmap(nullptr, kBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    std::memset(memory, 1, kBytes);
  });
  const int status = Reap(pid);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  const auto counters = group.Read();
  ASSERT_TRUE(counters);
  EXPECT_GE(counters->oom_kills, 1u);
  EXPECT_LE(counters->memory_peak_bytes.value_or(0), TightLimits().memory_bytes);
}

TEST_F(CgroupOnThisKernel, CpuTimeIsCounted) {
  Cgroup group = Create();
  const pid_t pid = Spawn(group, [] {
    timespec used{};
    while (used.tv_sec == 0 && used.tv_nsec < 30'000'000) {
      ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    }
  });
  EXPECT_EQ(Reap(pid), 0);
  const auto counters = group.Read();
  ASSERT_TRUE(counters);
  EXPECT_GE(counters->cpu_us.value_or(0), 25'000u);
}

TEST_F(CgroupOnThisKernel, ANewTreeRemovesTheCellsOfADeadOwner) {
  auto pipe = MakePipe();
  ASSERT_TRUE(pipe);
  const pid_t owner = ::fork();
  if (owner == 0) {
    auto tree = CgroupTree::Open();
    auto group = tree->Create("cell", TightLimits());
    if (!group) ::_exit(1);
    Spawn(*group, [&] {
      ::dup2(pipe->write.get(), 0);
      ::close_range(3, ~0U, 0);  // close all descriptors, so the owner's lock is not held here
      SayReady(0);
      SleepForEver();
    });
    ::_exit(AwaitReady(pipe->read) ? 0 : 1);  // skip destructors, as kill -9 would
  }
  pipe->write.Close();
  ASSERT_EQ(Reap(owner), 0);
  const auto tree = CgroupTree::Open();
  ASSERT_TRUE(tree);
  EXPECT_GE(tree->support().leftovers_removed, 1);
  EXPECT_TRUE(Ends(pipe->read)) << "the cell lives";
}

TEST_F(CgroupOnThisKernel, WithoutV2ProcessesAreKilledOneByOne) {
  if (tree_->support().processes != CgroupBy::kV1) GTEST_SKIP() << "missing: cgroup v1";
  const WithoutV2 files;
  auto tree = CgroupTree::OpenWith(files, "/sys/fs/cgroup");
  ASSERT_TRUE(tree);
  EXPECT_EQ(tree->support().kill, CgroupBy::kNone);
  EXPECT_EQ(tree->support().cpu_usage, CgroupBy::kV1);
  auto group = tree->Create("bomb", TightLimits());
  ASSERT_TRUE(group) << group.error().message();
  auto pipe = MakePipe();
  ASSERT_TRUE(pipe);
  const pid_t pid = Spawn(*group, [&] {
    SayReady(pipe->write.get());
    for (;;) {
      if (::fork() < 0) ::usleep(100);
    }
  });
  pipe->write.Close();
  ASSERT_TRUE(AwaitReady(pipe->read));
  const auto removed = group->Remove();
  EXPECT_TRUE(removed) << removed.error().message();
  EXPECT_TRUE(WIFSIGNALED(Reap(pid)));
  EXPECT_TRUE(Ends(pipe->read)) << "a process of the bomb lives";
}

TEST_F(CgroupOnThisKernel, ADroppedGroupRemovesItself) {
  pid_t pid = 0;
  {
    const Cgroup group = Create();
    pid = Spawn(group, SleepForEver);
  }
  EXPECT_TRUE(WIFSIGNALED(Reap(pid)));
  const Cgroup again = Create();  // the name is free
}

}  // namespace
}  // namespace belljar::cell::limits
