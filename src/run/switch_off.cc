#include "run/switch_off.h"

#include <algorithm>
#include <utility>

#include "resource/vault/conflict.h"
#include "run/workspace.h"

namespace belljar::run {
namespace {

constexpr std::string_view kLimit = "limit_";

struct Lifter {
  std::string_view name;
  void (*lift)(request::Limits&);
};

struct Check {
  std::string_view name;
  FetchCheck check;
};
constexpr Check kChecks[] = {{"fetch_beneath", FetchCheck::kBeneath},
                             {"fetch_regular", FetchCheck::kRegular},
                             {"fetch_one_link", FetchCheck::kOneLink}};

bool LeaveOutCheck(std::string_view name) {
  if (name == "vault_conflict") {
    resource::vault::LeaveOutConflictCheck();
    return true;
  }
  const auto found = std::find_if(std::begin(kChecks), std::end(kChecks),
                                  [&](const Check& check) { return check.name == name; });
  if (found == std::end(kChecks)) return false;
  LeaveOut(found->check);
  return true;
}

struct Stage {
  std::string_view name;
  void (*leave_out)(SwitchedOff&);
};

template <resource::Control kControl>
void OfBroker(SwitchedOff& off) {
  off.broker.Add(kControl);
}

// Each entry has a test in tests/test_mutation.py, which reads this table.
constexpr Stage kStages[] = {
    {"judgement", [](SwitchedOff& off) { off.judgement = true; }},
    {"redaction", [](SwitchedOff& off) { off.redaction = true; }},
    {"guard", [](SwitchedOff& off) { off.guard = true; }},
    {"egress_hosts", OfBroker<resource::Control::kHosts>},
    {"egress_addresses", OfBroker<resource::Control::kAddresses>},
    {"egress_server_name", OfBroker<resource::Control::kServerName>},
    {"egress_secret_host", OfBroker<resource::Control::kSecretHost>},
    {"tool_names", OfBroker<resource::Control::kToolNames>},
    {"tool_arguments", OfBroker<resource::Control::kToolArguments>},
    {"tool_question", OfBroker<resource::Control::kToolQuestion>},
    {"database_read_only", OfBroker<resource::Control::kReadOnly>},
    {"database_question", OfBroker<resource::Control::kWriteQuestion>},
    {"artefact_marks",
     [](SwitchedOff& off) { off.artefact_marks = resource::artefact::Store::Marks::kLeftOut; }},
};

bool LeaveOutStage(std::string_view name, SwitchedOff& off) {
  const auto found = std::find_if(std::begin(kStages), std::end(kStages),
                                  [&](const Stage& stage) { return stage.name == name; });
  if (found == std::end(kStages)) return false;
  found->leave_out(off);
  return true;
}

Result<cell::native::StepMask> MaskOfStep(const std::string& name) {
  for (int step = 0; step < static_cast<int>(cell::native::Step::kCount); ++step) {
    const auto candidate = static_cast<cell::native::Step>(step);
    if (name == cell::native::StepName(candidate)) return cell::native::MaskOf(candidate);
  }
  return Error(Kind::kInvalid, "no control is named \"" + name + "\"");
}

constexpr std::uint32_t kMany = 30'000;
constexpr std::uint64_t kHuge = std::uint64_t{1} << 40;

constexpr Lifter kLifters[] = {
    {"limit_wall", [](request::Limits& l) { l.wall = std::chrono::hours(1); }},
    {"limit_cpu_time", [](request::Limits& l) { l.cpu_time = std::chrono::hours(1); }},
    {"limit_memory", [](request::Limits& l) { l.memory_bytes = kHuge; }},
    {"limit_cpus", [](request::Limits& l) { l.cpu_millis = 64'000; }},
    {"limit_processes", [](request::Limits& l) { l.processes = kMany; }},
    {"limit_output_lines", [](request::Limits& l) { l.output_lines = ~0U; }},
    {"limit_output_bytes", [](request::Limits& l) { l.output_bytes = kHuge; }},
    {"limit_workspace", [](request::Limits& l) { l.workspace_bytes = kHuge; }},
    {"limit_workspace_inodes", [](request::Limits& l) { l.workspace_inodes = ~0U - 16; }},
    {"limit_open_files", [](request::Limits& l) { l.open_files = kMany; }},
    {"limit_file_size", [](request::Limits& l) { l.file_size_bytes = kHuge; }},
    {"limit_file_operations", [](request::Limits& l) { l.file_operations = kHuge; }},
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

void Lift(const SwitchedOff& off, request::Limits& limits) {
  for (const Lifter& lifter : kLifters) {
    if (off.limits.contains(std::string(lifter.name))) lifter.lift(limits);
  }
}

}  // namespace belljar::run
