#include "engine/switch_off.h"

#include <algorithm>
#include <utility>

#include "result/workspace.h"
#include "vault/conflict.h"

namespace belljar::engine {
namespace {

constexpr std::string_view kLimit = "limit_";

struct Lifter {
  std::string_view name;
  void (*lift)(policy::Limits&);
};

struct Check {
  std::string_view name;
  result::FetchCheck check;
};
constexpr Check kChecks[] = {{"fetch_beneath", result::FetchCheck::kBeneath},
                             {"fetch_regular", result::FetchCheck::kRegular},
                             {"fetch_one_link", result::FetchCheck::kOneLink}};

bool LeaveOutCheck(std::string_view name) {
  if (name == "vault_conflict") {
    vault::LeaveOutConflictCheck();
    return true;
  }
  const auto found = std::find_if(std::begin(kChecks), std::end(kChecks),
                                  [&](const Check& check) { return check.name == name; });
  if (found == std::end(kChecks)) return false;
  result::LeaveOut(found->check);
  return true;
}

struct Stage {
  std::string_view name;
  void (*leave_out)(SwitchedOff&);
};

template <broker::Control kControl>
void OfBroker(SwitchedOff& off) {
  off.broker.Add(kControl);
}

// Each has a test in tests/test_mutation.py, which reads this table.
constexpr Stage kStages[] = {
    {"judgement", [](SwitchedOff& off) { off.judgement = true; }},
    {"redaction", [](SwitchedOff& off) { off.redaction = true; }},
    {"guard", [](SwitchedOff& off) { off.guard = true; }},
    {"egress_hosts", OfBroker<broker::Control::kHosts>},
    {"egress_addresses", OfBroker<broker::Control::kAddresses>},
    {"egress_server_name", OfBroker<broker::Control::kServerName>},
    {"egress_secret_host", OfBroker<broker::Control::kSecretHost>},
    {"tool_names", OfBroker<broker::Control::kToolNames>},
    {"tool_arguments", OfBroker<broker::Control::kToolArguments>},
    {"tool_question", OfBroker<broker::Control::kToolQuestion>},
    {"database_read_only", OfBroker<broker::Control::kReadOnly>},
    {"database_question", OfBroker<broker::Control::kWriteQuestion>},
    {"artefact_marks",
     [](SwitchedOff& off) { off.artefact_marks = artefact::Store::Marks::kLeftOut; }},
};

bool LeaveOutStage(std::string_view name, SwitchedOff& off) {
  const auto found = std::find_if(std::begin(kStages), std::end(kStages),
                                  [&](const Stage& stage) { return stage.name == name; });
  if (found == std::end(kStages)) return false;
  found->leave_out(off);
  return true;
}

Result<isolate::StepMask> MaskOfStep(const std::string& name) {
  for (int step = 0; step < static_cast<int>(isolate::Step::kCount); ++step) {
    const auto candidate = static_cast<isolate::Step>(step);
    if (name == isolate::StepName(candidate)) return isolate::MaskOf(candidate);
  }
  return Error(Kind::kInvalid, "no control is named \"" + name + "\"");
}

constexpr std::uint32_t kMany = 30'000;
constexpr std::uint64_t kHuge = std::uint64_t{1} << 40;

constexpr Lifter kLifters[] = {
    {"limit_wall", [](policy::Limits& l) { l.wall = std::chrono::hours(1); }},
    {"limit_cpu_time", [](policy::Limits& l) { l.cpu_time = std::chrono::hours(1); }},
    {"limit_memory", [](policy::Limits& l) { l.memory_bytes = kHuge; }},
    {"limit_cpus", [](policy::Limits& l) { l.cpu_millis = 64'000; }},
    {"limit_processes", [](policy::Limits& l) { l.processes = kMany; }},
    {"limit_output_lines", [](policy::Limits& l) { l.output_lines = ~0U; }},
    {"limit_output_bytes", [](policy::Limits& l) { l.output_bytes = kHuge; }},
    {"limit_workspace", [](policy::Limits& l) { l.workspace_bytes = kHuge; }},
    {"limit_workspace_inodes", [](policy::Limits& l) { l.workspace_inodes = ~0U - 16; }},
    {"limit_open_files", [](policy::Limits& l) { l.open_files = kMany; }},
    {"limit_file_size", [](policy::Limits& l) { l.file_size_bytes = kHuge; }},
    {"limit_file_operations", [](policy::Limits& l) { l.file_operations = kHuge; }},
};

}  // namespace

bool CanSwitchOff() { return true; }

Result<SwitchedOff> ParseSwitchOff(std::string_view names) {
  SwitchedOff off;
  while (!names.empty()) {
    const std::size_t comma = std::min(names.find(','), names.size());
    const std::string name(names.substr(0, comma));
    names.remove_prefix(std::min(comma + 1, names.size()));
    if (LeaveOutCheck(name) || LeaveOutStage(name, off)) continue;
    if (!name.starts_with(kLimit)) {
      off.steps |= BJ_TRY(MaskOfStep(name));
      continue;
    }
    const bool known = std::any_of(std::begin(kLifters), std::end(kLifters),
                                   [&](const Lifter& lifter) { return lifter.name == name; });
    if (!known) return Error(Kind::kInvalid, "no limit is named \"" + name + "\"");
    off.limits.insert(name);
  }
  return off;
}

void Lift(const SwitchedOff& off, policy::Limits& limits) {
  for (const Lifter& lifter : kLifters) {
    if (off.limits.contains(std::string(lifter.name))) lifter.lift(limits);
  }
}

}  // namespace belljar::engine
