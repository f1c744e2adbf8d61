#include "cell/pool/cell_factory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>

#include "cell/limits/sampler.h"
#include "cell/pool/cell_meter.h"
#include "foundation/base/sys.h"

namespace belljar::cell::pool {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kHelloLook{250};
constexpr std::chrono::seconds kStandsStill{4};
// With fewer descriptors Node can load itself, but then cannot open the program's first file.
constexpr std::uint64_t kFewOpenFiles = 32;

// A cell gets a group if the tree serves at least one need.
bool HasGroups(const limits::CgroupSupport& support) {
  using limits::CgroupBy;
  return support.memory != CgroupBy::kNone || support.processes != CgroupBy::kNone ||
         support.cpu != CgroupBy::kNone || support.cpu_usage != CgroupBy::kNone ||
         support.kill != CgroupBy::kNone;
}

Placement PlacementIn(const std::optional<limits::Cgroup>& group,
                      const limits::CgroupSupport& support) {
  Placement placement;
  if (!group) return placement;
  if (group->v2_dir()) placement.v2_dir = group->v2_dir().get();
  for (const Fd& join : group->v1_joins()) placement.v1_joins.push_back(join.get());
  placement.memory_held = support.memory != limits::CgroupBy::kNone;
  placement.processes_held = support.processes != limits::CgroupBy::kNone;
  placement.cpu_held = support.cpu != limits::CgroupBy::kNone;
  return placement;
}

// Detects an interpreter that has used no CPU time for a while: if Node is refused a thread it
// waits for it forever, and without a control group the refusal is not counted anywhere.
class Stillness {
 public:
  explicit Stillness(const PreparedCell& prepared)
      : is_watched_(!prepared.group && prepared.cell->runtime_processes() == 0),
        sampler_(Fd(::fcntl(prepared.cell->procfs().get(), F_DUPFD_CLOEXEC, 3)), UINT64_MAX) {}

  bool Lasts() {
    if (!is_watched_) return false;
    const auto sample = sampler_.Take();
    if (!sample || sample->cpu_time != used_) since_ = Clock::now();
    if (sample) used_ = sample->cpu_time;
    return Clock::now() - since_ >= kStandsStill;
  }

 private:
  bool is_watched_;
  limits::ProcSampler sampler_;
  std::chrono::microseconds used_{0};
  Clock::time_point since_ = Clock::now();
};

Error Still(const request::Limits& limits) {
  return Error(Kind::kExhausted,
               fmt::format("the interpreter does not get going: it may need more than {} MiB of "
                           "memory, or more than {} processes and threads",
                           limits.memory_bytes / request::kMiB, limits.processes));
}

// Returns an error if the cell's limits are the reason that its interpreter did not send HELLO.
Result<> CheckLimits(const PreparedCell& prepared, const request::Limits& limits) {
  if (!prepared.group) return {};
  const auto counters = prepared.group->Read();
  if (counters && counters->forks_denied > 0) {
    return Error(Kind::kExhausted,
                 fmt::format("the interpreter itself needs more than {} processes and threads",
                             limits.processes));
  }
  if (counters && counters->oom_kills > 0) {
    return Error(Kind::kExhausted, fmt::format("the interpreter itself needs more than {} MiB",
                                               limits.memory_bytes / request::kMiB));
  }
  return {};
}

Error FewFiles(const request::Limits& limits) {
  return Error(Kind::kExhausted,
               fmt::format("the interpreter ended before its first word: it may need more than {} "
                           "open files",
                           limits.open_files));
}

Error Silent(const Patience& patience, Cell& cell) {
  const double seconds = std::chrono::duration<double>(patience.time).count();
  const std::string condition = cell.Condition();
  return Error(Kind::kUnavailable,
               fmt::format("the guest did not say hello within {:g} s{}{}{}{}", seconds,
                           condition.empty() ? "" : ", and ", condition,
                           patience.advice.empty() ? "" : ": ", patience.advice));
}

Result<> AwaitHello(PreparedCell& prepared, const request::Limits& limits,
                    const Patience& patience) {
  const auto deadline = Clock::now() + patience.time;
  std::array<char, 4096> chunk;
  Stillness stillness(prepared);
  while (!prepared.dialogue.ready()) {
    if (!BJ_TRY(WaitReadable(prepared.cell->control(), kHelloLook))) {
      BJ_TRY(CheckLimits(prepared, limits));
      if (stillness.Lasts()) return Still(limits);
      if (Clock::now() < deadline) continue;
      return Silent(patience, *prepared.cell);
    }
    const long n = BJ_TRY(Check("read", "the guest's hello", [&] {
      return ::read(prepared.cell->control().get(), chunk.data(), chunk.size());
    }));
    if (n == 0) {
      BJ_TRY(CheckLimits(prepared, limits));
      if (limits.open_files < kFewOpenFiles) return FewFiles(limits);
      return EndedEarly(prepared, "its hello");
    }
    BJ_TRY(prepared.dialogue.Feed({chunk.data(), static_cast<std::size_t>(n)}));
  }
  return {};
}

std::uint64_t CpuSoFar(const PreparedCell& prepared, const limits::CgroupSupport& support,
                       const request::Limits& limits) {
  const auto meter = MeterFor(prepared, support, limits);
  const auto reading = meter ? (*meter)->Read() : Result<limits::Reading>(meter.error());
  return reading ? reading->cpu_us.value_or(0) : 0;
}

}  // namespace

Error EndedEarly(const PreparedCell& prepared, std::string_view before) {
  std::array<char, 1024> words{};
  const ssize_t said = ::read(prepared.cell->stderr_pipe().get(), words.data(), words.size() - 1);
  return Error(Kind::kInternal, fmt::format("the guest ended before {}{}{}", before,
                                            said > 0 ? ": " : "", words.data()));
}

Result<PreparedCell> CellFactory::Make(const CellSpec& spec) {
  PreparedCell prepared;
  const limits::CgroupSupport& support = groups_.support();
  if (HasGroups(support)) {
    const std::string name = "cell-" + std::to_string(next_.fetch_add(1));
    prepared.group =
        BJ_TRY(groups_.Create(name, backend_.GroupLimits(spec)).While("control group"));
  }
  prepared.cell = BJ_TRY(backend_.Start(spec, PlacementIn(prepared.group, support)));
  if (!spec.resumes) {
    const auto patience = backend_.PatienceFor(spec);
    BJ_TRY(AwaitHello(prepared, spec.limits, patience).While("start cell"));
  }
  if (prepared.group) prepared.group->Joined();
  // A forked interpreter has used next to nothing; a container's meter starts at zero anyway.
  const bool has_started = !prepared.cell->copy_of() && prepared.cell->runtime_processes() == 0;
  if (has_started) prepared.cpu_us_before = CpuSoFar(prepared, support, spec.limits);
  return prepared;
}

}  // namespace belljar::cell::pool
