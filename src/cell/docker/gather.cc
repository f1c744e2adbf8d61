#include "cell/docker/gather.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>

#include "foundation/base/sys.h"

namespace belljar::cell::docker {
namespace {

namespace fs = std::filesystem;

constexpr int kMostRounds = 50;
constexpr std::size_t kMostProcText = 1 << 16;

// The entries of a procfs directory that are numbers.
std::vector<pid_t> NumbersIn(const std::string& path) {
  std::vector<pid_t> numbers;
  std::error_code failed;
  for (fs::directory_iterator at(path, failed); !failed && at != fs::directory_iterator();
       at.increment(failed)) {
    const std::string name = at->path().filename().string();
    pid_t number = 0;
    const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (wrong == std::errc() && end == name.data() + name.size()) numbers.push_back(number);
  }
  return numbers;
}

// The fields "state" and "parent" follow the last ')', because the name may contain anything.
pid_t ParentOf(pid_t pid) {
  const auto text = ReadFile(fmt::format("/proc/{}/stat", pid), kMostProcText);
  const std::size_t end = text ? text->rfind(") ") : std::string::npos;
  if (end == std::string::npos || end + 4 >= text->size()) return 0;
  pid_t parent = 0;
  std::from_chars(text->data() + end + 4, text->data() + text->size(), parent);
  return parent;
}

// The container's processes at this moment.
std::set<pid_t> ProcessesOf(pid_t first, const std::string& container) {
  std::multimap<pid_t, pid_t> children;
  for (const pid_t pid : NumbersIn("/proc")) children.emplace(ParentOf(pid), pid);
  std::set<pid_t> found = {first};
  const auto [begin, end] = children.equal_range(ParentOf(first));
  for (auto beside = begin; beside != end; ++beside) {
    const bool ours = CommandLineOf(beside->second).find(container) != std::string::npos;
    if (ours) found.insert(beside->second);
  }
  std::vector<pid_t> open(found.begin(), found.end());
  while (!open.empty()) {
    const pid_t parent = open.back();
    open.pop_back();
    const auto [from, to] = children.equal_range(parent);
    for (auto child = from; child != to; ++child) {
      if (found.insert(child->second).second) open.push_back(child->second);
    }
  }
  return found;
}

// Moves one process or thread. One that has ended meanwhile is no error.
Result<> WriteNumber(int file, pid_t number) {
  const std::string text = std::to_string(number);
  const auto written =
      Check("write", "a control group", [&] { return ::write(file, text.data(), text.size()); });
  if (!written && written.error().sys() != ESRCH) return written.error();
  return {};
}

class Gatherer {
 public:
  explicit Gatherer(const Placement& placement) : placement_(placement) {}

  Result<> Open() {
    if (placement_.v2_dir < 0) return {};
    const long raw = BJ_TRY(Check("open", "cgroup.procs", [&] {
      return ::openat(placement_.v2_dir, "cgroup.procs", O_WRONLY | O_CLOEXEC);
    }));
    v2_ = Fd(static_cast<int>(raw));
    return {};
  }

  // Returns whether any process or thread was new.
  Result<bool> Move(const std::set<pid_t>& processes) {
    const std::size_t before = moved_.size();
    for (const pid_t pid : processes) {
      for (const pid_t thread : NumbersIn(fmt::format("/proc/{}/task", pid))) {
        if (!moved_.insert(thread).second) continue;
        // v1 groups take single threads, v2 groups a process with all its threads.
        for (const int join : placement_.v1_joins) BJ_TRY(WriteNumber(join, thread));
        if (v2_ && thread == pid) BJ_TRY(WriteNumber(v2_.get(), pid));
      }
    }
    return moved_.size() > before;
  }

 private:
  const Placement& placement_;
  Fd v2_;
  std::set<pid_t> moved_;  // processes and threads
};

}  // namespace

std::string CommandLineOf(pid_t pid) {
  auto text = ReadFile(fmt::format("/proc/{}/cmdline", pid), kMostProcText);
  if (!text) return "";
  std::ranges::replace(*text, '\0', ' ');
  return *std::move(text);
}

void EndAllOf(const std::string& container) {
  for (const pid_t pid : NumbersIn("/proc")) {
    const std::string line = CommandLineOf(pid);
    const std::string program = line.substr(0, line.find(' '));
    // Skips other processes whose arguments mention the id, for example a client of Docker.
    const bool holds =
        program.starts_with("runsc-") || program.find("containerd-shim") != std::string::npos;
    if (holds && line.find(container) != std::string::npos) ::kill(pid, SIGKILL);
  }
}

// Children of a process that was moved are born in the new group; so a round that finds no new
// process is the last.
Result<> GatherInto(const Placement& placement, pid_t first, const std::string& container) {
  Gatherer gatherer(placement);
  BJ_TRY(gatherer.Open());
  for (int round = 0; round < kMostRounds; ++round) {
    if (!BJ_TRY(gatherer.Move(ProcessesOf(first, container)))) return {};
  }
  return Error(Kind::kUnavailable, "the container's processes change too fast to be held");
}

}  // namespace belljar::cell::docker
