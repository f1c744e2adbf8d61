// ProcSampler: measures a cell through the cell's own procfs, for machines without usable cgroups.
//
// The procfs is mounted inside the cell's pid namespace and therefore lists the cell's processes
// and no others. The supervisor keeps a descriptor of its root and samples it 50 times a second.
// That is weaker than a cgroup in three ways: activity between two samples is not seen; memory that
// no process has mapped (a memfd, files on a tmpfs) is not seen; and the CPU time of a child whose
// parent ignores SIGCHLD is lost. The rlimits of the cell are the second line of defence.
//
// Memory is counted in two steps. The kernel's counters of anonymous and shared memory (status) are
// cheap, but a page that several forked processes share is counted for each of them: the sum is
// never too small and may be much too large. Proportional shares (PSS in smaps_rollup) divide a
// page among all processes that map it, but reading them costs a walk over all pages. So the cheap
// sum is taken, and the shares are read only if it is above `exact_above_bytes` (the limit): no
// cell is killed for pages counted twice, and a cell well within its limit is never walked. A cell
// could fork in order to be walked again and again, at 30 ms per GiB mapped. So walks that find the
// cell within its limit get at most a tenth of the time, and between them the previous shares are
// returned. Shares above the limit are always read anew. One error remains: between vfork() and
// exec() two processes have one address space, and each is charged all of it. A caller should
// therefore kill a cell only after two samples in a row above the limit.
//
// Pid 1 is Belljar's own init. Its memory and its own CPU time are not counted, but the CPU time of
// the orphans that it has reaped is.
//
// All numbers come from the kernel. The guest chooses only the names of its processes, so stat is
// parsed from the last ')' on. Not thread-safe.
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
  bool memory_is_exact = false;    // from shares, now or recently read; else an upper bound
  std::chrono::microseconds cpu_time{0};

  bool operator==(const Sample&) const = default;
};

class ProcSampler {
 public:
  // Processes beyond this number are not sampled: every limit is exceeded by then.
  static constexpr std::size_t kMostProcesses = 4096;

  using Clock = std::function<std::chrono::steady_clock::time_point()>;

  // `proc` is the root of the cell's procfs; it may be an O_PATH descriptor.
  ProcSampler(Fd proc, std::uint64_t exact_above_bytes,
              Clock clock = &std::chrono::steady_clock::now);

  // A process that ends during the sample counts with the values read so far.
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
