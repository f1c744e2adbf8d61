#include "monitor/apart.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <thread>
#include <vector>

#include "base/sys.h"

namespace belljar::monitor {
namespace {

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define BELLJAR_UNDER_TSAN 1
#endif
#endif
#ifdef BELLJAR_UNDER_TSAN
constexpr bool kThreadSanitizer = true;
#else
constexpr bool kThreadSanitizer = false;
#endif

std::vector<int> Cpus(pid_t thread = 0) {
  cpu_set_t set;
  std::vector<int> cpus;
  EXPECT_EQ(::sched_getaffinity(thread, sizeof set, &set), 0);
  for (unsigned cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) cpus.push_back(static_cast<int>(cpu));
  }
  return cpus;
}

// A process that sleeps where it was put, under a name of its own choice.
class Process {
 public:
  Process(int cpu, const char* name) : ends_(*MakePipe()), pid_(::fork()) {
    if (pid_ == 0) Sleep(cpu, name);
    char ready = 0;
    EXPECT_EQ(::read(ends_.read.get(), &ready, 1), 1);
  }
  ~Process() {
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
  }
  pid_t pid() const { return pid_; }

 private:
  [[noreturn]] void Sleep(int cpu, const char* name) {
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(static_cast<unsigned>(cpu), &one);
    ::sched_setaffinity(0, sizeof one, &one);
    ::prctl(PR_SET_NAME, name);
    static_cast<void>(::write(ends_.write.get(), "x", 1) == 1);
    for (;;) ::pause();
  }

  PipeEnds ends_;
  pid_t pid_;
};

// On a thread of their own: what is left behind must not reach other tests.
void OnAThread(const std::function<void()>& work) { std::thread(work).join(); }

TEST(Apart, FindsTheCpuOfAProcessWhateverItsName) {
  for (const int cpu : Cpus()) {
    const Process process(cpu, ") R 1 2 3 4 5 (");
    EXPECT_EQ(LastCpuOf(process.pid()), cpu);
  }
  EXPECT_EQ(LastCpuOf(1 << 30), -1);
}

TEST(Apart, KeepsTheThreadOffWhereThereIsAnotherCpu) {
  const std::vector<int> all = Cpus();
  const Process process(all.front(), "guest");
  OnAThread([&] {
    Apart apart;
    apart.Keep(process.pid());
    EXPECT_EQ(Cpus(), all) << "nobody has looked yet";
    apart.Look();
    apart.Keep(process.pid());
    const std::vector<int> others(all.begin() + 1, all.end());
    EXPECT_EQ(Cpus(), others.empty() ? all : others);
    apart.LetGo();
    EXPECT_EQ(Cpus(), all);
    apart.Keep(process.pid());
    EXPECT_EQ(Cpus(), all) << "it has been forgotten";
  });
}

TEST(Apart, WhatTheThreadStartsHasAllCpus) {
  if (kThreadSanitizer) {
    GTEST_SKIP() << "the thread sanitizer gives pthread_create() attributes of its own";
  }
  const std::vector<int> all = Cpus();
  const Process process(all.front(), "guest");
  OnAThread([&] {
    Apart apart;
    apart.Keep(process.pid());
    apart.Look();
    apart.Keep(process.pid());
    OnAThread([&] { EXPECT_EQ(Cpus(), all); });
    UseAllCpus();
    EXPECT_EQ(Cpus(), all);
  });
}

TEST(Apart, GoesToAnotherThreadAsAWhole) {
  const std::vector<int> all = Cpus();
  const Process process(all.front(), "guest");
  Apart apart;
  pid_t first = 0;
  OnAThread([&] {
    first = ::gettid();
    apart.Keep(process.pid());
    apart.Look();
    apart.Keep(process.pid());
    OnAThread([&] {
      apart.Keep(process.pid());
      EXPECT_EQ(Cpus(first), all);
      EXPECT_EQ(Cpus().size(), all.size() > 1 ? all.size() - 1 : 1);
    });
  });
  apart.LetGo();  // of a thread that has ended
}

}  // namespace
}  // namespace belljar::monitor
