// ProcSampler: what a cell uses, seen through the cell's own procfs. For machines without usable
// cgroups.
//
// The procfs is mounted inside the cell's pid namespace and therefore lists the cell's processes
// and no others. The supervisor keeps a descriptor of its root and looks 50 times a second. That
// is weaker than a cgroup in three ways: what happens between two looks is not seen; memory that
// no process has mapped (a memfd, files on a tmpfs) is not seen; and the CPU time of a child
// whose parent ignores SIGCHLD is lost. The rlimits of the cell are the second line.
//
// Memory is counted in two steps, because neither alone will do. The kernel's counters of
// anonymous and shared memory (status) are cheap, but a page that several forked processes share
// is counted for each: the sum is never too small and may be much too large. Proportional shares
// (smaps_rollup) divide a page among all who have it, but to read them costs a walk over all
// pages. So the cheap sum is taken, and only if it is above `exact_above_bytes` (the limit) are
// the shares read: no cell is ended on account of pages counted twice, and a cell well within its
// limit is never walked. A cell that forks so as to be walked over and over must not cost us a
// processor (30 ms per GiB mapped): walks that find it within its limit get a tenth of the time,
// and between them the last shares are given again. One exception remains: between vfork() and
// exec() two processes have one address space, and each is told all of it. Who ends a cell should
// want two samples in a row; shares above the limit are always read anew.
//
// Pid 1 is our own init, and neither its memory nor its own time is counted; but the time of
// the orphans it has reaped is.
//
// All numbers come from the kernel. The guest chooses only the names of its processes, which is
// why stat is read from the last ')' on. Not thread-safe.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"

namespace belljar::cell::limits {

struct Sample {
  std::uint64_t processes = 0;     // processes and threads, zombies too: each has a task
  std::uint64_t memory_bytes = 0;  // anonymous and shared memory, resident
  bool memory_is_exact = false;    // by shares, of now or of a moment ago; else an upper bound
  std::chrono::microseconds cpu_time{0};

  bool operator==(const Sample&) const = default;
};

class ProcSampler {
 public:
  // More processes than this are not looked at: any limit is passed by then.
  static constexpr std::size_t kMostProcesses = 4096;

  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  // `proc` is the root of the cell's procfs; it may be an O_PATH descriptor.
  ProcSampler(Fd proc, std::uint64_t exact_above_bytes,
              Clock clock = &std::chrono::steady_clock::now);

  // A process that ends while it is looked at counts with what was seen of it.
  Result<Sample> Take();

 private:
  struct Counted {
    std::uint64_t pid;
    std::uint64_t upper_bound_bytes;
    std::uint64_t page_table_bytes;
  };
  struct Shares {
    std::uint64_t bytes = 0;
    bool exact = false;
  };

  Shares ReadShares(const std::vector<Counted>& all) const;
  void UseShares(const std::vector<Counted>& all, Sample& sample);

  Fd proc_;
  std::uint64_t exact_above_bytes_;
  Clock clock_;
  long ticks_per_second_;
  Shares last_shares_;
  std::chrono::steady_clock::time_point next_walk_{};
};

}  // namespace belljar::cell::limits
