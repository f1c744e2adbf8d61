// CgroupBranch: one mounted cgroup hierarchy and Belljar's groups in it.
//
// A pure v2 machine has one branch, a hybrid one up to five. A branch owns the base group
// "belljar-<pid>" below the group of this process, and below it each cell has a group of its own. A
// v2 group that also holds other processes, for example those of a login session, cannot enable
// controllers for its children. Then the base is made below the nearest ancestor that can, and that
// this user may write to; a login manager makes the groups of other sessions there too. What the
// branch can do is found by trying it on a probe group that is then removed: a file that exists may
// still refuse the write.
//
// v1 and v2 differ only in file names and in the spelling of values; the names are in a table in
// cgroup_branch.cc.
//
// Immutable after Open(), so a branch may be used by several threads.
#pragma once

#include <array>
#include <bitset>
#include <chrono>
#include <cstddef>
#include <string>

#include "cell/limits/cgroup.h"
#include "cell/limits/cgroup_files.h"
#include "cell/limits/cgroup_layout.h"
#include "cell/limits/kernel_file.h"
#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "request/limits.h"

namespace belljar::cell::limits {

enum Need : std::size_t { kMemory, kProcesses, kCpu, kCpuUsage, kKill, kNeeds };
using Needs = std::bitset<kNeeds>;
// For each need that is not served, the reason.
using WhyNot = std::array<std::string, kNeeds>;

// How long the kernel may take to allow the removal of an emptied group.
inline constexpr std::chrono::seconds kRemovalTime{1};

// Open event files of a group; empty unless they are polled. A polled file must be read through the
// same descriptor, because that acknowledges the event.
struct OpenFiles {
  const Fd& forks;
  const Fd& oom;
  KeptFiles& others;
};

class CgroupBranch {
 public:
  // Makes the base group in `hierarchy` and probes the needs in `wanted`. If the branch serves none
  // of them, that is an error. `why` receives the reason for each need that is not served.
  static Result<CgroupBranch> Open(const CgroupFiles& files, const Hierarchy& hierarchy,
                                   Needs wanted, WhyNot& why);
  CgroupBranch(CgroupBranch&&) noexcept = default;
  CgroupBranch& operator=(CgroupBranch&&) = delete;
  // removes the base group if it is empty, and moves this process back from the leaf
  ~CgroupBranch();

  CgroupBy version() const { return version_; }
  bool Serves(Need need) const { return serves_.test(need); }
  Needs serves() const { return serves_; }
  const Fd& base() const { return base_; }
  int leftovers_removed() const { return leftovers_; }

  Result<> Make(const std::string& group) const;
  // Writes the limits that this branch serves.
  Result<> Limit(const std::string& group, const request::Limits& limits) const;
  // See Cgroup::ShareCpu.
  Result<> Weigh(const std::string& group, std::uint32_t count) const;
  Result<> Kill(const std::string& group) const;
  // Adds the counters that this branch serves.
  Result<> Count(const std::string& group, Counted counted, OpenFiles open,
                 CgroupCounters& counters) const;
  Result<> Remove(const std::string& group, Deadline deadline) const;

 private:
  CgroupBranch(const CgroupFiles& files, CgroupBy version) : files_(&files), version_(version) {}

  static Result<CgroupBranch> OpenBelow(const CgroupFiles& files, CgroupBy version,
                                        const std::string& dir, Needs wanted, WhyNot& why);
  Result<> TakePlace(const std::string& dir);
  Result<> MakeBase();
  Needs EnableControllers(Needs wanted, WhyNot& why);
  Result<> WriteControllers(const std::string& text);
  Result<> MoveSelfToLeaf();
  void MoveBack() const;
  void Probe(Needs wanted, WhyNot& why);
  Result<> ProbeOne(Need need, const std::string& group);
  Result<> LimitMemory(const std::string& group, std::uint64_t bytes) const;
  Result<> LimitCpu(const std::string& group, std::uint32_t cpu_millis) const;
  Result<> Write(const std::string& group, const char* file, std::string_view text) const;
  Result<std::uint64_t> CpuUsage(const std::string& group, KeptFiles& files) const;
  Result<std::uint64_t> Number(const std::string& path, const char* key, KeptFiles& files) const;

  const CgroupFiles* files_;
  CgroupBy version_;
  Fd own_;   // the group this process is in, or was in before it moved to a leaf
  Fd base_;  // its directory is locked
  std::string base_name_;
  Needs serves_;
  std::string controllers_;  // v2: the controllers enabled for children, "+memory +pids"
  bool crowded_ = false;     // v2: the own group holds other processes, so it enables nothing
  bool moved_ = false;       // v2: this branch has moved this process into the leaf
  int leftovers_ = 0;
  // Files that some kernels lack; probed once.
  enum Extra : std::size_t { kSwapLimit, kOomGroup, kMemoryPeak, kProcessesPeak, kExtras };
  std::bitset<kExtras> has_;
  std::uint64_t cpu_ceiling_us_ = 0;  // v1: quota of the own group; a higher one is EINVAL; 0: none
};

}  // namespace belljar::cell::limits
