#include "cell/limits/cgroup.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "cell/limits/cgroup_branch.h"
#include "cell/limits/cgroup_files.h"
#include "cell/limits/cgroup_layout.h"
#include "cell/limits/kernel_file.h"
#include "foundation/base/sys.h"

namespace belljar::cell::limits {
namespace {

constexpr std::array<const char*, kNeeds> kNeedNames{"memory limit", "process limit", "CPU limit",
                                                     "CPU time", "kill"};

using Branches = std::vector<CgroupBranch>;

const CgroupBranch* ServerOf(const Branches& branches, Need need) {
  const auto found =
      std::ranges::find_if(branches, [&](const CgroupBranch& one) { return one.Serves(need); });
  return found == branches.end() ? nullptr : &*found;
}

// v2 is opened first; v1 is used only for needs that are not served yet.
Branches OpenBranches(const CgroupFiles& files, const std::string& mount_root, WhyNot& why) {
  Branches branches;
  const auto mounts = files.MountInfo();
  const auto groups = files.OwnGroups();
  if (!mounts || !groups) {
    why.fill(mounts ? groups.error().message() : mounts.error().message());
    return branches;
  }
  Needs missing;
  missing.set();
  for (const Hierarchy& hierarchy : FindHierarchies(*mounts, *groups, mount_root)) {
    auto branch = CgroupBranch::Open(files, hierarchy, missing, why);
    if (!branch) continue;
    missing &= ~branch->serves();
    branches.push_back(*std::move(branch));
  }
  return branches;
}

CgroupSupport Summarize(const Branches& branches, const WhyNot& why) {
  CgroupSupport support;
  const std::array<CgroupBy*, kNeeds> by{&support.memory, &support.processes, &support.cpu,
                                         &support.cpu_usage, &support.kill};
  for (std::size_t i = 0; i < kNeeds; ++i) {
    const CgroupBranch* branch = ServerOf(branches, static_cast<Need>(i));
    if (branch != nullptr) {
      *by[i] = branch->version();
    } else {
      support.notes.push_back(fmt::format("no {}: {}", kNeedNames[i], why[i]));
    }
  }
  for (const CgroupBranch& branch : branches) {
    support.leftovers_removed += branch.leftovers_removed();
  }
  return support;
}

bool IsGroupName(const std::string& name) {
  return !name.empty() && name.size() <= 200 && name[0] != '.' &&
         name.find_first_of(std::string_view("/\n\0", 3)) == std::string::npos;
}

}  // namespace

struct Cgroup::State {
  State(const Branches& all, std::string group) : branches(&all), name(std::move(group)) {}
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { static_cast<void>(Remove()); }

  Result<> Add(const CgroupBranch& branch, const request::Limits& limits);
  Result<> Remove();
  Fd OpenEvents(Need need, const char* file) const;

  const Branches* branches;  // of the tree
  std::string name;
  std::vector<const CgroupBranch*> made;  // the branches where the group exists
  Fd v2_dir;
  std::vector<Fd> v1_joins;
  Fd fork_events;
  Fd oom_events;
  KeptFiles counters;
  std::uint32_t shares_cpu = 1;
};

Result<> Cgroup::State::Add(const CgroupBranch& branch, const request::Limits& limits) {
  BJ_TRY(branch.Make(name));
  made.push_back(&branch);
  BJ_TRY(branch.Limit(name, limits));
  if (branch.version() == CgroupBy::kV2) {
    v2_dir = BJ_TRY(OpenAt(branch.base(), name, O_PATH | O_DIRECTORY));
  } else {
    // "tasks" instead of cgroup.procs: to move a whole process, the kernel first waits until no CPU
    // can be in the middle of a fork, up to 20 ms. A thread that moves itself does not wait.
    Fd join = BJ_TRY(OpenAt(branch.base(), name + "/tasks", O_WRONLY));
    v1_joins.push_back(std::move(join));
  }
  return {};
}

// In the order of creation: the v2 group comes first, because it can be killed at once.
Result<> Cgroup::State::Remove() {
  const Deadline deadline = std::chrono::steady_clock::now() + kRemovalTime;
  Result<> first;
  std::erase_if(made, [&](const CgroupBranch* branch) {
    auto removed = branch->Remove(name, deadline);
    const bool gone = static_cast<bool>(removed);
    if (!gone && first) first = std::move(removed).While("remove the cell's group");
    return gone;
  });
  return first;
}

// Reads the file once; otherwise poll() would report the state at opening as an event.
Fd Cgroup::State::OpenEvents(Need need, const char* file) const {
  const CgroupBranch* branch = ServerOf(*branches, need);
  if (branch == nullptr || branch->version() != CgroupBy::kV2) return Fd();
  auto events = OpenAt(v2_dir, file, O_RDONLY);
  if (!events || !ReadKernelFile(*events, std::string_view(file))) return Fd();
  return *std::move(events);
}

Cgroup::Cgroup(std::unique_ptr<State> state) : state_(std::move(state)) {}
Cgroup::Cgroup(Cgroup&&) noexcept = default;
Cgroup& Cgroup::operator=(Cgroup&&) noexcept = default;
Cgroup::~Cgroup() = default;

const Fd& Cgroup::v2_dir() const { return state_->v2_dir; }
const std::vector<Fd>& Cgroup::v1_joins() const { return state_->v1_joins; }
void Cgroup::Joined() { state_->v1_joins.clear(); }

Result<> Cgroup::ShareCpu(std::uint32_t count) {
  const CgroupBranch* branch = ServerOf(*state_->branches, kCpu);
  if (branch == nullptr || count == state_->shares_cpu) return {};
  BJ_TRY(branch->Weigh(state_->name, count));
  state_->shares_cpu = count;
  return {};
}

Result<> Cgroup::Kill() {
  const CgroupBranch* branch = ServerOf(*state_->branches, kKill);
  if (branch == nullptr) return Error(Kind::kUnavailable, "this machine has no cgroup.kill");
  return branch->Kill(state_->name);
}

Result<bool> Cgroup::Populated() const {
  if (state_->v2_dir) {
    const std::string text = BJ_TRY(ReadKernelFile(state_->v2_dir, std::string("cgroup.events")));
    return NumberOf(text, "populated") != 0u;
  }
  for (const CgroupBranch* branch : state_->made) {
    const Fd file = BJ_TRY(OpenAt(branch->base(), state_->name + "/cgroup.procs", O_RDONLY));
    char first = 0;
    if (::read(file.get(), &first, 1) != 0) return true;
  }
  return false;
}

Result<std::uint64_t> Cgroup::Processes() const {
  if (!state_->v2_dir && state_->made.empty()) {
    return Error(Kind::kUnavailable, "this machine has no control group for it");
  }
  const Fd file = BJ_TRY(state_->v2_dir ? OpenAt(state_->v2_dir, "cgroup.procs", O_RDONLY)
                                        : OpenAt(state_->made.front()->base(),
                                                 state_->name + "/cgroup.procs", O_RDONLY));
  std::uint64_t lines = 0;
  std::array<char, 4096> chunk;
  for (;;) {
    const long n = BJ_TRY(Check("read", "cgroup.procs",
                                [&] { return ::read(file.get(), chunk.data(), chunk.size()); }));
    if (n == 0) return lines;
    lines += static_cast<std::uint64_t>(std::count(chunk.data(), chunk.data() + n, '\n'));
  }
}

Result<CgroupCounters> Cgroup::Read(Counted counted) const {
  CgroupCounters counters;
  for (const CgroupBranch* branch : state_->made) {
    const OpenFiles open{state_->fork_events, state_->oom_events, state_->counters};
    BJ_TRY(branch->Count(state_->name, counted, open, counters));
  }
  return counters;
}

Result<std::optional<std::uint64_t>> Cgroup::MemoryHeld() const {
  const CgroupBranch* branch = ServerOf(*state_->branches, kMemory);
  if (branch == nullptr) return std::optional<std::uint64_t>();
  const bool v2 = branch->version() == CgroupBy::kV2;
  const std::string file = state_->name + (v2 ? "/memory.current" : "/memory.usage_in_bytes");
  const std::string usage = BJ_TRY(ReadKernelFile(branch->base(), file));
  const auto used = LeadingNumber(usage);
  const Fd open = BJ_TRY(OpenAt(branch->base(), state_->name + "/memory.stat", O_RDONLY));
  const std::string stat = BJ_TRY(ReadAll(open, 64 << 10, "memory.stat"));
  const auto inactive = NumberOf(stat, v2 ? "inactive_file" : "total_inactive_file");
  const auto active = NumberOf(stat, v2 ? "active_file" : "total_active_file");
  if (!used || !inactive || !active) {
    return Error(Kind::kUnavailable, "memory.stat has not the expected numbers");
  }
  // The three numbers were read at different moments, so the difference must not go below 0.
  return std::optional(*used - std::min(*used, *inactive + *active));
}

const Fd& Cgroup::fork_denied_event() const {
  if (!state_->fork_events) state_->fork_events = state_->OpenEvents(kProcesses, "pids.events");
  return state_->fork_events;
}

const Fd& Cgroup::oom_event() const {
  if (!state_->oom_events) state_->oom_events = state_->OpenEvents(kMemory, "memory.events");
  return state_->oom_events;
}

Result<> Cgroup::Remove() { return state_->Remove(); }

struct CgroupTree::State {
  Branches branches;
  CgroupSupport support;
};

CgroupTree::CgroupTree(std::unique_ptr<State> state) : state_(std::move(state)) {}
CgroupTree::CgroupTree(CgroupTree&&) noexcept = default;
CgroupTree::~CgroupTree() = default;

Result<CgroupTree> CgroupTree::Open(const std::string& mount_root) {
  static const CgroupFiles kernel;  // stateless
  return OpenWith(kernel, mount_root);
}

Result<CgroupTree> CgroupTree::OpenWith(const CgroupFiles& files, const std::string& mount_root) {
  WhyNot why;
  why.fill(fmt::format("no cgroup that offers it is mounted below {}", mount_root));
  auto state = std::make_unique<State>();
  state->branches = OpenBranches(files, mount_root, why);
  state->support = Summarize(state->branches, why);
  return CgroupTree(std::move(state));
}

const CgroupSupport& CgroupTree::support() const { return state_->support; }

Result<Cgroup> CgroupTree::Create(const std::string& name, const request::Limits& limits) {
  if (!IsGroupName(name)) return Error(Kind::kInvalid, "not a name for a group: '" + name + "'");
  auto state = std::make_unique<Cgroup::State>(state_->branches, name);
  for (const CgroupBranch& branch : state_->branches) {
    BJ_TRY(state->Add(branch, limits).While("create the cell's group"));
  }
  return Cgroup(std::move(state));
}

}  // namespace belljar::cell::limits
