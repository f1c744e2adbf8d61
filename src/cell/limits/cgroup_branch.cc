#include "cell/limits/cgroup_branch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "cell/limits/kernel_file.h"
#include "foundation/base/sys.h"

namespace belljar::cell::limits {
namespace {

// The file that serves each need. pids.max, pids.events and pids.peak have the same name in v1 and
// v2.
struct FileNames {
  const char* memory_limit;
  const char* swap_limit;
  const char* memory_peak;
  const char* oom_events;  // has a line "oom_kill N"
  const char* cpu_cap;
  const char* cpu_usage;
};
constexpr FileNames kNamesV2{"memory.max",    "memory.swap.max", "memory.peak",
                             "memory.events", "cpu.max",         "cpu.stat"};
constexpr FileNames kNamesV1{"memory.limit_in_bytes",     "memory.memsw.limit_in_bytes",
                             "memory.max_usage_in_bytes", "memory.oom_control",
                             "cpu.cfs_quota_us",          "cpuacct.usage"};

const FileNames& NamesOf(CgroupBy version) {
  return version == CgroupBy::kV2 ? kNamesV2 : kNamesV1;
}

constexpr std::uint64_t kPeriodUs = 100'000;  // the kernel's default, left as it is
constexpr std::uint64_t kLeastQuotaUs = 1'000;
constexpr int kMostBases = 16;
constexpr const char* kProbe = "probe";
constexpr const char* kLeaf = "belljar-supervisor";

struct Controller {
  Need need;
  std::string_view name;
};
constexpr std::array<Controller, 3> kControllersV2{
    {{kMemory, "memory"}, {kProcesses, "pids"}, {kCpu, "cpu"}}};
constexpr std::array<Controller, 4> kControllersV1{
    {{kMemory, "memory"}, {kProcesses, "pids"}, {kCpu, "cpu"}, {kCpuUsage, "cpuacct"}}};

bool HasWord(std::string_view text, std::string_view word) {
  for (std::size_t at = text.find(word); at != std::string_view::npos;
       at = text.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool starts = at == 0 || text[at - 1] == ' ';
    const bool ends = end == text.size() || text[end] == ' ' || text[end] == '\n';
    if (starts && ends) return true;
  }
  return false;
}

void Explain(Needs needs, const std::string& reason, WhyNot& why) {
  for (std::size_t i = 0; i < kNeeds; ++i) {
    if (needs.test(i)) why[i] = reason;
  }
}

// The needs that a hierarchy may serve; for v2 it is only known after its controllers are enabled.
Needs OfferedBy(const Hierarchy& hierarchy) {
  Needs offered;
  if (hierarchy.version == CgroupBy::kV2) return offered.set();
  for (const Controller& one : kControllersV1) {
    if (hierarchy.Has(one.name)) offered.set(one.need);
  }
  return offered;
}

// A process that has moved itself to the leaf makes its groups beside the leaf, not below it.
std::string WithoutLeaf(const std::string& dir) {
  const std::string suffix = std::string("/") + kLeaf;
  return dir.ends_with(suffix) ? dir.substr(0, dir.size() - suffix.size()) : dir;
}

bool Exists(const Fd& dir, const std::string& path) {
  return ::faccessat(dir.get(), path.c_str(), F_OK, 0) == 0;
}

// The v1 quota of a group, scaled to our period; 0 if it has none ("-1", or no such file).
std::uint64_t CeilingOf(const Fd& own) {
  const auto quota = ReadKernelFile(own, std::string("cpu.cfs_quota_us"));
  const auto period = ReadKernelFile(own, std::string("cpu.cfs_period_us"));
  if (!quota || !period) return 0;
  const std::uint64_t period_us = LeadingNumber(*period).value_or(0);
  return period_us == 0 ? 0 : LeadingNumber(*quota).value_or(0) * kPeriodUs / period_us;
}

std::string WithAdvice(CgroupBy version, const Error& error) {
  if (version != CgroupBy::kV2 || error.kind() != Kind::kDenied) return error.message();
  return fmt::format(
      "{}; start it in a delegated group: systemd-run {}--scope -p Delegate=yes belljar ...",
      error.message(), ::geteuid() == 0 ? "" : "--user ");
}

// A guest is cloned into a group below `own`, which requires write permission for cgroup.procs.
Result<> RequireEntry(const Fd& own) {
  BJ_TRY(Check("access", "cgroup.procs",
               [&] { return ::faccessat(own.get(), "cgroup.procs", W_OK, AT_EACCESS); }));
  return {};
}

}  // namespace

Result<CgroupBranch> CgroupBranch::Open(const CgroupFiles& files, const Hierarchy& hierarchy,
                                        Needs wanted, WhyNot& why) {
  wanted &= OfferedBy(hierarchy);
  if (wanted.none()) return Error(Kind::kNotFound, "nothing is wanted of this hierarchy");
  std::string dir = WithoutLeaf(hierarchy.own_dir);
  auto nearest = OpenBelow(files, hierarchy.version, dir, wanted, why);
  if (!nearest || !nearest->crowded_) return nearest;
  while (dir.size() > hierarchy.top_dir.size()) {
    dir.resize(dir.rfind('/'));
    WhyNot why_above = why;
    auto above = OpenBelow(files, hierarchy.version, dir, wanted, why_above);
    if (!above || above->serves_.count() <= nearest->serves_.count()) continue;
    why = why_above;
    return above;
  }
  return nearest;
}

Result<CgroupBranch> CgroupBranch::OpenBelow(const CgroupFiles& files, CgroupBy version,
                                             const std::string& dir, Needs wanted, WhyNot& why) {
  CgroupBranch branch(files, version);
  const auto placed = branch.TakePlace(dir);
  if (!placed) {
    Explain(wanted, WithAdvice(version, placed.error()), why);
    return placed.error();
  }
  if (version == CgroupBy::kV2) wanted = branch.EnableControllers(wanted, why);
  branch.Probe(wanted, why);
  if (branch.serves_.none()) return Error(Kind::kUnavailable, "no need is served");
  return branch;
}

CgroupBranch::~CgroupBranch() {
  if (!base_) return;
  // A base that still has groups stays; the next start removes it as a leftover.
  static_cast<void>(files_->RemoveGroup(own_, base_name_));
  if (moved_) MoveBack();
}

Result<> CgroupBranch::TakePlace(const std::string& dir) {
  own_ = BJ_TRY(belljar::Open(dir, O_RDONLY | O_DIRECTORY));
  leftovers_ = RemoveLeftovers(*files_, own_, std::chrono::steady_clock::now() + kRemovalTime);
  BJ_TRY(MakeBase());
  return version_ == CgroupBy::kV2 ? RequireEntry(own_) : Result<>();
}

Result<> CgroupBranch::MakeBase() {
  const std::string first = fmt::format("belljar-{}", ::getpid());
  std::string name = first;
  auto made = files_->MakeGroup(own_, name);
  for (int n = 2; !made && made.error().sys() == EEXIST && n <= kMostBases; ++n) {
    name = fmt::format("{}-{}", first, n);  // another tree of this process has the first
    made = files_->MakeGroup(own_, name);
  }
  if (!made) return made;
  base_ = BJ_TRY(OpenAt(own_, name, O_RDONLY | O_DIRECTORY));
  base_name_ = name;
  return LockBase(base_);
}

// Returns the needs that are still worth probing: those that require no controller, and those whose
// controller is now enabled for the groups below the base.
Needs CgroupBranch::EnableControllers(Needs wanted, WhyNot& why) {
  const auto offered = ReadKernelFile(own_, std::string("cgroup.controllers"));
  Needs enabled = wanted;
  for (const Controller& one : kControllersV2) {
    if (!wanted.test(one.need)) continue;
    enabled.reset(one.need);
    if (!offered || !HasWord(*offered, one.name)) {
      why[one.need] = fmt::format("this process's v2 group is given no {} controller", one.name);
      continue;
    }
    enabled.set(one.need);
    controllers_ += fmt::format("{}+{}", controllers_.empty() ? "" : " ", one.name);
  }
  if (controllers_.empty()) return enabled;
  const auto written = WriteControllers(controllers_);
  if (written) return enabled;
  crowded_ = written.error().sys() == EBUSY;
  for (const Controller& one : kControllersV2) {
    if (!enabled.test(one.need)) continue;
    enabled.reset(one.need);
    why[one.need] = WithAdvice(version_, written.error());
  }
  return enabled;
}

// A v2 group that enables controllers for its children may hold no process itself, except for the
// root group, which has no cgroup.type. The kernel refuses the write with EBUSY, but not if all
// controllers support threads (pids and cpu do, memory does not): then the group becomes a threaded
// one, and no process may enter its children.
Result<> CgroupBranch::WriteControllers(const std::string& text) {
  if (Exists(own_, "cgroup.type") && !BJ_TRY(ReadControl(own_, "cgroup.procs")).empty()) {
    BJ_TRY(MoveSelfToLeaf());
  }
  BJ_TRY(files_->Write(own_, "cgroup.subtree_control", text));
  return files_->Write(base_, "cgroup.subtree_control", text);
}

// Only if the group holds no other process: Belljar does not move processes of others.
Result<> CgroupBranch::MoveSelfToLeaf() {
  const std::string self = std::to_string(::getpid());
  const std::string listed = BJ_TRY(ReadControl(own_, "cgroup.procs"));
  if (listed != self) {
    return Error(Kind::kDenied, "this process's v2 group also holds other processes", EBUSY);
  }
  auto made = files_->MakeGroup(own_, kLeaf);
  if (!made && made.error().sys() != EEXIST) return made;
  BJ_TRY(files_->Write(own_, std::string(kLeaf) + "/cgroup.procs", self));
  moved_ = true;
  return {};
}

// A group that enables controllers accepts no process, so the next Belljar could not start in it.
// If other processes are still in the leaf, or another tree of ours uses the group, nothing is
// changed.
void CgroupBranch::MoveBack() const {
  std::string text = controllers_;
  std::ranges::replace(text, '+', '-');
  if (!files_->Write(own_, "cgroup.subtree_control", text)) return;
  if (!files_->Write(own_, "cgroup.procs", std::to_string(::getpid()))) return;
  static_cast<void>(files_->RemoveGroup(own_, kLeaf));
}

void CgroupBranch::Probe(Needs wanted, WhyNot& why) {
  const auto made = Make(kProbe);
  if (!made) {
    Explain(wanted, made.error().message(), why);
    return;
  }
  const std::string below = std::string(kProbe) + "/";
  const auto type = ReadControl(base_, below + "cgroup.type");
  if (type && *type != "domain") {
    Explain(wanted, "this process's v2 group is one of threads", why);
    wanted.reset();
  }
  has_.set(kSwapLimit, Exists(base_, below + NamesOf(version_).swap_limit));
  has_.set(kOomGroup, Exists(base_, below + "memory.oom.group"));
  has_.set(kMemoryPeak, Exists(base_, below + NamesOf(version_).memory_peak));
  has_.set(kProcessesPeak, Exists(base_, below + "pids.peak"));
  if (version_ == CgroupBy::kV1) cpu_ceiling_us_ = CeilingOf(own_);
  for (std::size_t i = 0; i < kNeeds; ++i) {
    if (!wanted.test(i)) continue;
    const auto served = ProbeOne(static_cast<Need>(i), kProbe);
    serves_.set(i, static_cast<bool>(served));
    if (!served) why[i] = served.error().message();
  }
  static_cast<void>(Remove(kProbe, std::chrono::steady_clock::now() + kRemovalTime));
}

Result<> CgroupBranch::ProbeOne(Need need, const std::string& group) {
  const request::Limits limits;
  KeptFiles files;
  switch (need) {
    case kMemory:
      BJ_TRY(LimitMemory(group, limits.memory_bytes));
      BJ_TRY(Number(group + "/" + NamesOf(version_).oom_events, "oom_kill", files));
      return {};
    case kProcesses:
      BJ_TRY(ReadKernelFile(base_, group + "/pids.events"));
      return Write(group, "pids.max", std::to_string(limits.processes));
    case kCpu:
      return LimitCpu(group, limits.cpu_millis);
    case kCpuUsage:
      BJ_TRY(CpuUsage(group, files));
      return {};
    case kKill:
      return Kill(group);
    case kNeeds:
      break;
  }
  return Error(Kind::kInternal, "no such need");
}

Result<> CgroupBranch::Make(const std::string& group) const {
  return files_->MakeGroup(base_, group);
}

Result<> CgroupBranch::Limit(const std::string& group, const request::Limits& limits) const {
  if (Serves(kMemory)) BJ_TRY(LimitMemory(group, limits.memory_bytes));
  if (Serves(kProcesses)) BJ_TRY(Write(group, "pids.max", std::to_string(limits.processes)));
  if (Serves(kCpu)) BJ_TRY(LimitCpu(group, limits.cpu_millis));
  return {};
}

// v1 limits memory and swap together in "memsw", which may not be below the memory limit; hence the
// order. v2 limits swap alone.
Result<> CgroupBranch::LimitMemory(const std::string& group, std::uint64_t bytes) const {
  const FileNames& names = NamesOf(version_);
  const std::string text = std::to_string(bytes);
  BJ_TRY(Write(group, names.memory_limit, text));
  if (has_.test(kSwapLimit)) {
    BJ_TRY(Write(group, names.swap_limit, version_ == CgroupBy::kV2 ? "0" : text));
  }
  if (has_.test(kOomGroup)) BJ_TRY(Write(group, "memory.oom.group", "1"));
  return {};
}

// On v1 a quota above that of an ancestor is EINVAL; the lower one applies in any case.
Result<> CgroupBranch::LimitCpu(const std::string& group, std::uint32_t cpu_millis) const {
  std::uint64_t quota_us = std::max(cpu_millis * kPeriodUs / 1000, kLeastQuotaUs);
  if (version_ == CgroupBy::kV2) {
    return Write(group, kNamesV2.cpu_cap, fmt::format("{} {}", quota_us, kPeriodUs));
  }
  if (cpu_ceiling_us_ != 0) quota_us = std::min(quota_us, cpu_ceiling_us_);
  return Write(group, kNamesV1.cpu_cap, std::to_string(quota_us));
}

Result<> CgroupBranch::Weigh(const std::string& group, std::uint32_t count) const {
  const bool v2 = version_ == CgroupBy::kV2;
  const std::uint32_t whole = v2 ? 100 : 1024;  // the kernel's defaults
  const std::uint32_t least = v2 ? 1 : 2;
  const std::uint32_t few = std::clamp(count, 1U, whole);
  return Write(group, v2 ? "cpu.weight" : "cpu.shares",
               std::to_string(std::max(whole / (few * few), least)));
}

Result<> CgroupBranch::Kill(const std::string& group) const {
  return Write(group, "cgroup.kill", "1");
}

Result<> CgroupBranch::Count(const std::string& group, Counted counted, OpenFiles open,
                             CgroupCounters& counters) const {
  const FileNames& names = NamesOf(version_);
  const std::string in_group = group + "/";
  const auto events = [&](const Fd& polled, const char* file) {
    return polled ? ReadKernelFile(polled, std::string_view(file))
                  : open.others.Read(base_, in_group + file);
  };
  if (Serves(kMemory)) {
    const std::string text = BJ_TRY(events(open.oom, names.oom_events));
    counters.oom_kills = NumberOf(text, "oom_kill").value_or(0);
    if (counted == Counted::kAll && has_.test(kMemoryPeak)) {
      counters.memory_peak_bytes =
          BJ_TRY(Number(in_group + names.memory_peak, nullptr, open.others));
    }
  }
  if (Serves(kProcesses)) {
    const std::string text = BJ_TRY(events(open.forks, "pids.events"));
    counters.forks_denied = NumberOf(text, "max").value_or(0);
    counters.counts_denials = true;
    if (counted == Counted::kAll && has_.test(kProcessesPeak)) {
      counters.processes_peak = BJ_TRY(Number(in_group + "pids.peak", nullptr, open.others));
    }
  }
  if (Serves(kCpuUsage)) counters.cpu_us = BJ_TRY(CpuUsage(group, open.others));
  return {};
}

Result<std::uint64_t> CgroupBranch::CpuUsage(const std::string& group, KeptFiles& files) const {
  const bool v2 = version_ == CgroupBy::kV2;
  const std::string path = group + "/" + NamesOf(version_).cpu_usage;
  const std::uint64_t used = BJ_TRY(Number(path, v2 ? "usage_usec" : nullptr, files));
  return v2 ? used : used / 1000;  // cpuacct counts nanoseconds
}

Result<> CgroupBranch::Remove(const std::string& group, Deadline deadline) const {
  return KillAndRemove(*files_, base_, group, deadline);
}

Result<> CgroupBranch::Write(const std::string& group, const char* file,
                             std::string_view text) const {
  return files_->Write(base_, group + "/" + file, text);
}

// The number in a file; if `key` is not null, the number after that key.
Result<std::uint64_t> CgroupBranch::Number(const std::string& path, const char* key,
                                           KeptFiles& files) const {
  const std::string text = BJ_TRY(files.Read(base_, path));
  const auto number = key == nullptr ? LeadingNumber(text) : NumberOf(text, key);
  if (!number) return Error(Kind::kUnavailable, path + " has not the expected number");
  return *number;
}

}  // namespace belljar::cell::limits
