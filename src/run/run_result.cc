#include "run/run_result.h"

#include <signal.h>

#include "foundation/base/text.h"
#include "run/advice.h"

namespace belljar::run {
namespace {

template <class T>
json::value OrNull(const std::optional<T>& value) {
  if (!value) return nullptr;
  return json::value(*value);
}

using Memory = json::storage_ptr;

json::array Names(const std::vector<std::string>& paths, const Memory& memory) {
  json::array array(memory);
  for (const std::string& path : paths) array.emplace_back(path);
  return array;
}

json::object UsageJson(const Usage& usage, const Memory& memory) {
  json::object object({{"wall_ms", usage.wall_ms},
                       {"cpu_ms", OrNull(usage.cpu_ms)},
                       {"memory_peak_bytes", OrNull(usage.memory_peak_bytes)},
                       {"processes_peak", OrNull(usage.processes_peak)},
                       {"processes_left", OrNull(usage.processes_left)},
                       {"file_operations", OrNull(usage.file_operations)},
                       {"bytes_written", OrNull(usage.bytes_written)},
                       {"network_requests", usage.network_requests}},
                      memory);
  if (usage.refusals) object["refusals"] = *usage.refusals;
  return object;
}

json::object FilesJson(const FileChanges& files, const Memory& memory) {
  json::object object({{"created", Names(files.created, memory)},
                       {"changed", Names(files.changed, memory)},
                       {"deleted", Names(files.deleted, memory)}},
                      memory);
  if (files.unexpected) object["unexpected"] = Names(*files.unexpected, memory);
  if (files.incomplete) object["incomplete"] = true;
  if (!files.fetched.empty() || !files.fetch_refused.empty()) {
    json::object fetched(memory);
    for (const auto& [path, bytes] : files.fetched) fetched[path] = Base64Encode(bytes);
    object["fetched"] = std::move(fetched);
    json::object refused(memory);
    for (const auto& [path, why] : files.fetch_refused) refused[path] = why;
    object["fetch_refused"] = std::move(refused);
  }
  return object;
}

json::array VaultsJson(const std::vector<VaultResult>& vaults) {
  json::array array;
  for (const VaultResult& vault : vaults) {
    array.push_back({{"host", vault.host},
                     {"mode", request::VaultModeName(vault.mode)},
                     {"outcome", VaultOutcomeName(vault.outcome)},
                     {"message", vault.message}});
  }
  return array;
}

json::value ErrorJson(const std::optional<cell::guest::GuestError>& error) {
  if (!error) return nullptr;
  json::object told = {
      {"type", error->type}, {"message", error->message}, {"traceback", error->traceback}};
  if (const std::string advice = AdviceFor(*error); !advice.empty()) told["advice"] = advice;
  return told;
}

}  // namespace

std::string_view VaultOutcomeName(VaultOutcome outcome) {
  switch (outcome) {
    case VaultOutcome::kCommitted:
      return "committed";
    case VaultOutcome::kDropped:
      return "dropped";
    case VaultOutcome::kUnchanged:
      return "unchanged";
    case VaultOutcome::kRefused:
      return "refused";
  }
  return "refused";
}

json::object ToJson(const RunResult& result, const json::storage_ptr& memory) {
  CleanText out = ToValidUtf8(result.stdout_captured.bytes);
  CleanText err = ToValidUtf8(result.stderr_captured.bytes);
  json::object object(
      {
          {"id", result.id},
          {"correlation_id", result.correlation_id},
          {"outcome", OutcomeName(result.outcome)},
          {"exit_code", OrNull(result.exit_code)},
          {"signal", OrNull(result.signal)},
          {"stdout", std::move(out.text)},
          {"stderr", std::move(err.text)},
          {"truncated",
           {{"stdout", result.stdout_captured.truncated},
            {"stderr", result.stderr_captured.truncated}}},
          {"replaced", {{"stdout", out.replaced}, {"stderr", err.replaced}}},
          {"error", ErrorJson(result.error)},
          {"results", json::array(result.results.begin(), result.results.end(), memory)},
          {"usage", UsageJson(result.usage, memory)},
          {"files", FilesJson(result.files, memory)},
          {"findings", result.findings},
          {"decision", result.decision},
          {"redactions", result.redactions},
          {"layers", result.layers},
      },
      memory);
  if (result.output) object["output"] = *result.output;
  if (!result.reason.empty()) object["reason"] = result.reason;
  if (!result.recovery.empty()) object["recovery"] = result.recovery;
  if (!result.vaults.empty()) object["vaults"] = VaultsJson(result.vaults);
  if (!result.traceparent.empty()) object["traceparent"] = result.traceparent;
  if (!result.audit.empty()) object["audit"] = result.audit;
  if (!result.skill.empty()) object["skill"] = result.skill;
  if (!result.session.empty()) object["session"] = result.session;
  return object;
}

int ExitStatus(const RunResult& result) {
  // The program succeeded, but Belljar could not commit a vault.
  for (const VaultResult& vault : result.vaults) {
    if (vault.outcome == VaultOutcome::kRefused) return 125;
  }
  switch (result.outcome) {
    case Outcome::kOk:
    case Outcome::kExit:
      return result.exit_code.value_or(1);
    case Outcome::kException:
      // An OutputMismatch: the program exited with 0, but its output did not match the schema.
      return result.exit_code.value_or(1) == 0 ? 1 : result.exit_code.value_or(1);
    case Outcome::kSignal:
      // A guest that was killed for a protocol violation at its end may have no signal set.
      return 128 + result.signal.value_or(SIGKILL);
    case Outcome::kTimeout:
      return 124;
    case Outcome::kMemory:
    case Outcome::kProcesses:
    case Outcome::kOutput:
    case Outcome::kDisk:
      return 137;
    case Outcome::kRefused:
    case Outcome::kDenied:
      return 126;
    case Outcome::kNeedsApproval:
      return 127;
    case Outcome::kCancelled:
      return 130;
  }
  return 125;
}

}  // namespace belljar::run
