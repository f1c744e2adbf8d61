#include "cell/guest/shell/young_child.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <array>
#include <string>

namespace belljar::cell::guest {
namespace {

// An upper bound of the time from fork to exec, plus the hundredth of a second by which the kernel
// rounds.
constexpr double kYoungSeconds = 0.03;

std::string ReadSmallFile(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "";
  std::array<char, 4096> bytes;
  const ssize_t n = ::read(fd, bytes.data(), bytes.size());
  ::close(fd);
  return n > 0 ? std::string(bytes.data(), static_cast<std::size_t>(n)) : "";
}

// The start time of a process in seconds since boot; 0 when it has ended.
double StartOf(long pid) {
  const std::string stat = ReadSmallFile("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name_end = stat.rfind(')');
  if (name_end == std::string::npos) return 0;
  unsigned long long ticks = 0;  // field 22; the one after the name is field 3
  const char* const kFields =
      "%*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s "
      "%*s %*s %llu";
  if (::sscanf(stat.c_str() + name_end + 1, kFields, &ticks) != 1) return 0;
  return static_cast<double>(ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace

double SecondsSinceBoot() {
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

bool HasYoungChild(pid_t shell, double moment) {
  const std::string task = "/proc/" + std::to_string(shell) + "/task/" + std::to_string(shell);
  const std::string children = ReadSmallFile(task + "/children");
  const char* at = children.c_str();
  for (char* end = nullptr;; at = end) {
    const long pid = ::strtol(at, &end, 10);
    if (end == at) return false;
    if (StartOf(pid) > moment - kYoungSeconds) return true;
  }
}

}  // namespace belljar::cell::guest
