#include "monitor/apart.h"

#include <fmt/format.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/sys.h"

namespace belljar::monitor {
namespace {

constexpr unsigned kSeldom = 8;  // looks of which one is taken

// Without it all is as it should be, but that a thread which is made by one that is kept has not
// all CPUs: then none is kept.
bool GiveNewThreadsAllCpus() {
  cpu_set_t all;
  pthread_attr_t attributes;
  if (::sched_getaffinity(::getpid(), sizeof all, &all) != 0) return false;
  if (::pthread_getattr_default_np(&attributes) != 0) return false;
  const bool given = ::pthread_attr_setaffinity_np(&attributes, sizeof all, &all) == 0 &&
                     ::pthread_setattr_default_np(&attributes) == 0;
  ::pthread_attr_destroy(&attributes);
  return given;
}

bool NewThreadsHaveAllCpus() {
  static const bool given = GiveNewThreadsAllCpus();
  return given;
}

}  // namespace

// Field 39 of its status. The second is its name, of its own choice, in parentheses.
int LastCpuOf(pid_t process) {
  constexpr int kProcessor = 39;
  const auto status = ReadFile(fmt::format("/proc/{}/stat", process), 4096);
  if (!status) return -1;
  std::string_view rest = *status;
  rest.remove_prefix(std::min(rest.rfind(')') + 1, rest.size()));
  for (int field = 3; field <= kProcessor; ++field) {
    rest.remove_prefix(std::min(rest.find(' ') + 1, rest.size()));
  }
  int cpu = -1;
  std::from_chars(rest.data(), rest.data() + rest.size(), cpu);
  return cpu < CPU_SETSIZE ? cpu : -1;
}

Apart::Apart() { NewThreadsHaveAllCpus(); }

void Apart::Keep(pid_t process) {
  static thread_local const pid_t self = ::gettid();
  if (process_ != process) {
    process_ = process;
    cpu_ = -1;
    looks_ = 0;
  }
  if (cpu_ < 0 || (kept_.id == self && kept_.off == cpu_)) return;
  Free();
  Thread thread{self, cpu_};
  if (::sched_getaffinity(0, sizeof thread.before, &thread.before) != 0) return;
  cpu_set_t others = thread.before;
  CPU_CLR(static_cast<unsigned>(cpu_), &others);
  if (CPU_COUNT(&others) == 0 || !NewThreadsHaveAllCpus()) return;
  if (::sched_setaffinity(0, sizeof others, &others) == 0) kept_ = thread;
}

void Apart::Look() {
  if (process_ != 0 && looks_++ % kSeldom == 0) cpu_ = LastCpuOf(process_);
}

void Apart::LetGo() {
  Free();
  process_ = 0;
  cpu_ = -1;
}

// Its number may be another program's by now.
void Apart::Free() {
  if (kept_.id != 0 && ::tgkill(::getpid(), kept_.id, 0) == 0) {
    ::sched_setaffinity(kept_.id, sizeof kept_.before, &kept_.before);
  }
  kept_ = {};
}

}  // namespace belljar::monitor
