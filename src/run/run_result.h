// RunResult: the result a caller receives. One struct with one JSON form, for every front door.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cell/guest/protocol/wire.h"
#include "foundation/base/json.h"
#include "foundation/base/result.h"
#include "request/vault.h"
#include "run/capture.h"
#include "run/outcome.h"

namespace belljar::run {

// Measured by the supervisor's own counters. An unset field means that this machine cannot measure
// it.
struct Usage {
  double wall_ms = 0;
  std::optional<double> cpu_ms;
  std::optional<std::uint64_t> memory_peak_bytes;
  std::optional<std::uint64_t> processes_peak;
  std::optional<std::uint64_t> processes_left;   // still running when the program ended by itself
  std::optional<std::uint64_t> file_operations;  // as counted by the guest
  std::optional<std::uint64_t> bytes_written;    // growth of the workspace
  std::optional<std::uint64_t> refusals;         // by the guard, if any; as counted by the guest
  std::uint64_t network_requests = 0;            // calls to the broker, including refused ones
};

// Sorted paths in the workspace, and paths committed to vaults as "/vault/NAME/…".
struct FileChanges {
  std::vector<std::string> created;
  std::vector<std::string> changed;
  std::vector<std::string> deleted;
  std::map<std::string, std::string> fetched;        // path to bytes
  std::map<std::string, std::string> fetch_refused;  // path to the reason
  // The paths above that the caller did not expect; unset where the request states no expectation.
  std::optional<std::vector<std::string>> unexpected;
  bool incomplete = false;  // the listing hit its bound on count or depth
};

// What happened to a vault at the end of the run.
enum class VaultOutcome {
  kCommitted,  // its changes were written to the host
  kDropped,    // the program failed
  kUnchanged,  // nothing to commit, or mounted read-only
  kRefused,    // the program succeeded, but its changes could not be committed
};
std::string_view VaultOutcomeName(VaultOutcome outcome);

struct VaultResult {
  std::string host;
  request::VaultMode mode = request::VaultMode::kReadOnly;
  VaultOutcome outcome = VaultOutcome::kUnchanged;
  std::string message;  // reason, where one is needed
};

struct RunResult {
  json::value id;  // as the caller gave it
  std::string correlation_id;
  std::string traceparent;  // W3C, as the caller sent it
  Outcome outcome = Outcome::kOk;
  std::optional<int> exit_code;
  std::optional<int> signal;
  std::string reason;  // one sentence, for outcomes that need one
  Captured stdout_captured;
  Captured stderr_captured;
  std::optional<cell::guest::GuestError> error;
  std::optional<json::value> output;  // parsed output that matches the caller's schema
  std::vector<json::object> results;  // MIME bundles: what a run in a session displayed
  Usage usage;
  FileChanges files;
  std::vector<VaultResult> vaults;
  json::array findings;    // findings of the analysis that the policy acts on
  json::object decision;   // the policy's decision
  json::array recovery;    // the policy's reactions to a failed run
  json::array redactions;  // kind, stream and count of what was redacted
  json::object layers;
  json::object audit;    // position of its audit record, if there is one
  json::object skill;    // name and version, if it is a run of a skill
  json::object session;  // for a run in a session: the id, and what became of the session
};

// Allocates in `memory`: a result consists of many small pieces, and most are serialised once and
// dropped.
json::object ToJson(const RunResult& result, const json::storage_ptr& memory = {});

// Parses a result that a daemon has sent. Bytes of stdout and stderr that ToJson replaced stay
// replaced.
Result<RunResult> ReadResult(const json::object& object);

// The exit status of `belljar run` and `belljar exec`.
int ExitStatus(const RunResult& result);

}  // namespace belljar::run
