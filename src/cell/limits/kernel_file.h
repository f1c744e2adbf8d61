// Small files written by the kernel (procfs, cgroupfs), read with three system calls.
//
// Such a file is shorter than a page, and the kernel gives a page whole in one read(); so one
// read() into a buffer on the stack is enough, and nothing is unbounded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"

namespace belljar::cell::limits {

// openat(), close-on-exec. For paths this program has made itself, never for a guest's.
Result<Fd> OpenAt(const Fd& dir, const std::string& path, int flags);

// The content of `path` below `dir`. A page or more is an error.
Result<std::string> ReadKernelFile(const Fd& dir, const std::string& path);
// The same from the start of an open file. Also tells poll() that the present state is known.
Result<std::string> ReadKernelFile(const Fd& file, std::string_view what);

// Files that are read again and again. As long as this program keeps few of them open they stay so
// from the first reading on, and the next costs one system call instead of three.
class KeptFiles {
 public:
  KeptFiles() = default;
  KeptFiles(const KeptFiles&) = delete;
  KeptFiles& operator=(const KeptFiles&) = delete;
  ~KeptFiles() { Close(); }

  Result<std::string> Read(const Fd& dir, const std::string& path);
  void Close();

 private:
  struct Kept {
    int dir;
    std::string path;
    Fd file;
  };
  std::vector<Kept> kept_;
};

// The decimal number that `text` starts with, after blanks; empty if there is none.
std::optional<std::uint64_t> LeadingNumber(std::string_view text);
// The number after `key` at the start of a line: "oom_kill 3", "RssAnon:   120 kB". The key
// must be followed by a blank.
std::optional<std::uint64_t> NumberOf(std::string_view text, std::string_view key);

}  // namespace belljar::cell::limits
