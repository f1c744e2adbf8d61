// CgroupTree and Cgroup: the kernel's own limits and counters for one cell.
//
// Three kinds of machine are served: cgroup v2, cgroup v1, and both at once (hybrid: v1
// controllers in use, a v2 tree that has none but still offers cgroup.kill, cgroup.freeze,
// cpu.stat and CLONE_INTO_CGROUP). Every need (memory, processes, CPU cap, kill, CPU time) is
// looked up separately, so that a hybrid host uses the best of both. Where this process may not
// create groups, support() says so for each need, and the caller decides what that means.
//
// A Cgroup is new for each cell and removes itself: counters of a reused group would carry one
// run's usage into another's. One is made and removed for every run, so that making it opens
// nothing that is needed only later, and removing one that is empty is one rmdir() per tree.
//
// Threads: a CgroupTree may be used by several, a Cgroup by one at a time. The tree must outlive
// its groups. Open the tree once, at start: it removes what dead processes have left. Whether
// an owner is dead is told by a lock on its base group as well as by its number; a child that
// keeps the descriptors of its owner (no exec, no close_range) keeps the lock too.
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

// Which tree serves which need on this machine.
struct CgroupSupport {
  CgroupBy memory = CgroupBy::kNone;
  CgroupBy processes = CgroupBy::kNone;
  CgroupBy cpu = CgroupBy::kNone;        // the cap
  CgroupBy cpu_usage = CgroupBy::kNone;  // the counter
  CgroupBy kill = CgroupBy::kNone;       // cgroup.kill, v2 only
  std::vector<std::string> notes;        // why a need is not served, one sentence each
  int leftovers_removed = 0;             // groups of dead processes, removed by Open()
};

// Counters as the kernel has them now. An absent one is not offered by this machine.
struct CgroupCounters {
  std::optional<std::uint64_t> cpu_us;
  std::optional<std::uint64_t> memory_peak_bytes;
  std::optional<std::uint64_t> processes_peak;
  std::uint64_t oom_kills = 0;
  std::uint64_t forks_denied = 0;
  bool counts_denials = false;  // forks_denied is the kernel's count
};

// Sums can be told apart by when they were read, peaks cannot.
enum class Counted { kAll, kSums };

class Cgroup {
 public:
  Cgroup(Cgroup&&) noexcept;
  Cgroup& operator=(Cgroup&&) noexcept;
  ~Cgroup();  // kills what is left, removes the groups

  // The v2 directory for CLONE_INTO_CGROUP; empty where there is none.
  const Fd& v2_dir() const;
  // Open tasks files of the v1 groups: a process of one thread that writes "0" to each has joined.
  const std::vector<Fd>& v1_joins() const;
  // Everybody who is to join has: closes these files.
  void Joined();

  // Makes this the `count`-th group of one owner. When CPUs are short it then has less than a first
  // one by the square of the number, so that however many there are, together they have less than
  // two: who has many runs waits for them all, who has one waits for that. No effect where
  // support().cpu is kNone.
  Result<> ShareCpu(std::uint32_t count);

  // SIGKILL to every process at once. An error where support().kill is kNone.
  Result<> Kill();
  // Whether any process is left in the group (v2 cgroup.events, else v1 cgroup.procs).
  Result<bool> Populated() const;
  // How many processes are in the group. One that has ended and is not reaped yet does not count.
  Result<std::uint64_t> Processes() const;
  // Also acknowledges the two events below: they are quiet again until the next one.
  Result<CgroupCounters> Read(Counted counted = Counted::kAll) const;

  // Memory that is used now and that the kernel could not take back: without the pages of files.
  // None where no group counts memory.
  Result<std::optional<std::uint64_t>> MemoryHeld() const;

  // Both events are for poll() with POLLPRI, are opened by the first call (which must come before
  // the guest starts: what happened earlier wakes nobody), and are empty where processes or
  // memory are not served by v2. There Read() must be called now and then instead: a v1 kernel
  // counts in pids.events but (Linux 6.18) wakes nobody, and its notice of lack of memory would
  // cost an eventfd and two more open files for every group.
  //
  // pids.events: a fork was refused.
  const Fd& fork_denied_event() const;
  // memory.events: the kernel has killed for lack of memory, or come close to it (see
  // Read().oom_kills). v2 has then killed the whole group; v1 kills one process, and who sees
  // the counter rise must kill the rest.
  const Fd& oom_event() const;
  // Kills, waits until empty (at most a second), removes. The destructor does the same and
  // swallows the error; call this where a failure must be known.
  Result<> Remove();

 private:
  friend class CgroupTree;
  struct State;
  explicit Cgroup(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

class CgroupTree {
 public:
  // Looks at what is mounted at or below `mount_root` (normally /sys/fs/cgroup) and at the groups
  // this process is in, creates "belljar-<pid>" below those, and probes each need by doing it
  // once. Never fails because something is missing: that is what support() tells.
  //
  // A v2 group that hands its controllers on may hold no processes. If this process is the only
  // one in its group, it moves to a leaf, "belljar-supervisor", and back when the tree is closed.
  // If not, "belljar-<pid>" is made further up, below the nearest group that holds no processes
  // and that this user may write to. Where there is none the controllers are not used, and a note
  // says how to start in a group of one's own.
  static Result<CgroupTree> Open(const std::string& mount_root = "/sys/fs/cgroup");
  // The same through another door to the file system, which must outlive the tree.
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
