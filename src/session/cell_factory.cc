#include "session/cell_factory.h"

#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>

#include "base/sys.h"

namespace belljar::session {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::milliseconds kHelloLook{250};

// Any tree that serves anything is worth a group.
bool HasGroups(const monitor::CgroupSupport& support) {
  using monitor::CgroupBy;
  return support.memory != CgroupBy::kNone || support.processes != CgroupBy::kNone ||
         support.cpu != CgroupBy::kNone || support.cpu_usage != CgroupBy::kNone ||
         support.kill != CgroupBy::kNone;
}

isolate::Placement PlacementIn(const std::optional<monitor::Cgroup>& group,
                               const monitor::CgroupSupport& support) {
  isolate::Placement placement;
  if (!group) return placement;
  if (group->v2_dir()) placement.v2_dir = group->v2_dir().get();
  for (const Fd& join : group->v1_joins()) placement.v1_joins.push_back(join.get());
  placement.memory_held = support.memory != monitor::CgroupBy::kNone;
  placement.processes_held = support.processes != monitor::CgroupBy::kNone;
  placement.cpu_held = support.cpu != monitor::CgroupBy::kNone;
  return placement;
}

// Why an interpreter does not get as far as HELLO, if its limits are the reason.
Result<> CheckLimits(const PreparedCell& prepared, const policy::Limits& limits) {
  if (!prepared.group) return {};
  const auto counters = prepared.group->Read();
  if (counters && counters->forks_denied > 0) {
    return Error(Kind::kExhausted,
                 fmt::format("the interpreter itself needs more than {} processes and threads",
                             limits.processes));
  }
  if (counters && counters->oom_kills > 0) {
    return Error(Kind::kExhausted, fmt::format("the interpreter itself needs more than {} MiB",
                                               limits.memory_bytes / policy::kMiB));
  }
  return {};
}

Error Silent(const isolate::Patience& patience, isolate::Cell& cell) {
  const double seconds = std::chrono::duration<double>(patience.time).count();
  const std::string condition = cell.Condition();
  return Error(Kind::kUnavailable,
               fmt::format("the guest did not say hello within {:g} s{}{}{}{}", seconds,
                           condition.empty() ? "" : ", and ", condition,
                           patience.advice.empty() ? "" : ": ", patience.advice));
}

Result<> AwaitHello(PreparedCell& prepared, const policy::Limits& limits,
                    const isolate::Patience& patience) {
  const auto deadline = Clock::now() + patience.time;
  std::array<char, 4096> chunk;
  while (!prepared.dialogue.ready()) {
    if (!BJ_TRY(WaitReadable(prepared.cell->control(), kHelloLook))) {
      BJ_TRY(CheckLimits(prepared, limits));
      if (Clock::now() < deadline) continue;
      return Silent(patience, *prepared.cell);
    }
    const long n = BJ_TRY(Check("read", "the guest's hello", [&] {
      return ::read(prepared.cell->control().get(), chunk.data(), chunk.size());
    }));
    if (n == 0) {
      BJ_TRY(CheckLimits(prepared, limits));
      return EndedEarly(prepared, "its hello");
    }
    BJ_TRY(prepared.dialogue.Feed({chunk.data(), static_cast<std::size_t>(n)}));
  }
  return {};
}

}  // namespace

Error EndedEarly(const PreparedCell& prepared, std::string_view before) {
  std::array<char, 1024> words{};
  const ssize_t said = ::read(prepared.cell->stderr_pipe().get(), words.data(), words.size() - 1);
  return Error(Kind::kInternal, fmt::format("the guest ended before {}{}{}", before,
                                            said > 0 ? ": " : "", words.data()));
}

Result<PreparedCell> CellFactory::Make(const isolate::CellSpec& spec) {
  PreparedCell prepared;
  const monitor::CgroupSupport& support = groups_.support();
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
  return prepared;
}

}  // namespace belljar::session
