// CgroupTree and Cgroup: the kernel's limits and counters for one cell.
//
// Three kinds of machine are supported: cgroup v2, cgroup v1, and both at once (hybrid: the
// controllers are in v1, and a v2 tree without controllers still offers cgroup.kill, cgroup.freeze,
// cpu.stat and CLONE_INTO_CGROUP). Each need (memory, processes, CPU cap, kill, CPU time) is probed
// separately, so that a hybrid host uses the best of both. If this process may not create groups,
// support() gives the reason for each need, and the caller decides how to proceed.
//
// Every cell has a new Cgroup, which removes itself: counters of a reused group would carry one
// run's usage into another's. Because one is made and removed for every run, creation opens no file
// that is needed only later, and removal of an empty group is one rmdir() per tree.
//
// Threads: a CgroupTree may be used by several threads, a Cgroup by one at a time. The tree must
// outlive its groups. Open the tree once, at start: it removes the groups that dead processes have
// left. An owner is dead if the lock on its base group is free and its pid does not exist; a child
// that keeps its owner's descriptors (no exec, no close_range) keeps the lock too.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "request/limits.h"

namespace belljar::cell::limits {

class CgroupFiles;

enum class CgroupBy { kNone, kV1, kV2 };

// Which cgroup version serves each need on this machine.
struct CgroupSupport {
  CgroupBy memory = CgroupBy::kNone;
  CgroupBy processes = CgroupBy::kNone;
  CgroupBy cpu = CgroupBy::kNone;        // the cap
  CgroupBy cpu_usage = CgroupBy::kNone;  // the counter
  CgroupBy kill = CgroupBy::kNone;       // cgroup.kill, v2 only
  std::vector<std::string> notes;        // why a need is not served, one sentence each
  int leftovers_removed = 0;             // groups of dead processes, removed by Open()
};

// Counters of the kernel at this moment. One that this machine does not offer is nullopt.
struct CgroupCounters {
  std::optional<std::uint64_t> cpu_us;
  std::optional<std::uint64_t> memory_peak_bytes;
  std::optional<std::uint64_t> processes_peak;
  std::uint64_t oom_kills = 0;
  std::uint64_t forks_denied = 0;
  bool counts_denials = false;  // forks_denied comes from the kernel
};

// Sums can be attributed to a run by subtraction; peaks cannot.
enum class Counted { kAll, kSums };

class Cgroup {
 public:
  Cgroup(Cgroup&&) noexcept;
  Cgroup& operator=(Cgroup&&) noexcept;
  ~Cgroup();  // kills what is left, removes the groups

  // The v2 directory for CLONE_INTO_CGROUP; empty without v2.
  const Fd& v2_dir() const;
  // Open "tasks" files of the v1 groups: a single-threaded process joins by writing "0" to each.
  const std::vector<Fd>& v1_joins() const;
  // Closes these files; call it when all processes that need to have joined.
  void Joined();

  // Sets the CPU weight for the `count`-th group of one owner. When CPUs are short, the group gets
  // less than a first one by the square of `count`, so that all groups of an owner together get
  // less than two first ones: an owner with many runs slows itself down, not an owner with one run.
  // No effect if support().cpu is kNone.
  Result<> ShareCpu(std::uint32_t count);

  // Sends SIGKILL to every process at once. An error if support().kill is kNone.
  Result<> Kill();
  // Whether any process is left in the group (v2 cgroup.events, else v1 cgroup.procs).
  Result<bool> Populated() const;
  // How many processes are in the group. Zombies do not count.
  Result<std::uint64_t> Processes() const;
  // Also acknowledges the two events below: they are silent until they occur again.
  Result<CgroupCounters> Read(Counted counted = Counted::kAll) const;

  // Memory in use that the kernel cannot reclaim, so without the page cache. nullopt if no group
  // counts memory.
  Result<std::optional<std::uint64_t>> MemoryHeld() const;

  // Both events are for poll() with POLLPRI. The first call opens the file and must come before the
  // guest starts, because earlier events are not reported. The descriptor is empty if v2 does not
  // serve processes or memory; then Read() must be called regularly instead: a v1 kernel counts in
  // pids.events but does not wake pollers (Linux 6.18), and its notification for low memory would
  // cost an eventfd and two more open files per group.
  // pids.events: a fork was refused.
  const Fd& fork_denied_event() const;
  // memory.events: the kernel's OOM killer has run, or nearly (see Read().oom_kills). v2 has then
  // killed the whole group; v1 kills one process, and the caller must kill the rest when the
  // counter has risen.
  const Fd& oom_event() const;
  // Kills, waits until the group is empty (at most a second) and removes it. The destructor does
  // the same and ignores errors; call this if a failure must be known.
  Result<> Remove();

 private:
  friend class CgroupTree;
  struct State;
  explicit Cgroup(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

class CgroupTree {
 public:
  // Looks at the hierarchies mounted at or below `mount_root` (normally /sys/fs/cgroup) and at the
  // groups of this process, creates "belljar-<pid>" below those, and probes each need by doing it
  // once. Never fails because a feature is missing; support() reports that.
  //
  // A v2 group that enables controllers for its children may hold no processes. If this process is
  // the only one in its group, it moves to a leaf, "belljar-supervisor", and back when the tree is
  // closed. If not, "belljar-<pid>" is made further up, below the nearest group that holds no
  // processes and that this user may write to. If there is no such group, the controllers are not
  // used, and a note says how to start Belljar in a group of its own.
  static Result<CgroupTree> Open(const std::string& mount_root = "/sys/fs/cgroup");
  // Like Open(), with another CgroupFiles, which must outlive the tree.
  static Result<CgroupTree> OpenWith(const CgroupFiles& files, const std::string& mount_root);
  CgroupTree(CgroupTree&&) noexcept;
  ~CgroupTree();  // removes its own groups if empty

  const CgroupSupport& support() const;
  // A new group, named `name` (one path component), with the memory, process and CPU limits of
  // `limits` written. A write that fails is an error: the cell must then not start.
  Result<Cgroup> Create(const std::string& name, const request::Limits& limits);

 private:
  struct State;
  explicit CgroupTree(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace belljar::cell::limits
