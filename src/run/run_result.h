// RunResult: what a caller gets back. One struct, one JSON form, for every front listener.
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

// From the supervisor's own counters. An absent one is not offered by this machine.
struct Usage {
  double wall_ms = 0;
  std::optional<double> cpu_ms;
  std::optional<std::uint64_t> memory_peak_bytes;
  std::optional<std::uint64_t> processes_peak;
  std::optional<std::uint64_t> processes_left;   // when the program ended by itself
  std::optional<std::uint64_t> file_operations;  // the guest's count
  std::optional<std::uint64_t> bytes_written;    // what the workspace grew by
  std::optional<std::uint64_t> refusals;         // by the guard, where there is one; its own count
  std::uint64_t network_requests = 0;            // calls to the broker, refused ones too
};

// Paths in the workspace, and those committed to vaults as "/vault/NAME/…"; sorted.
struct FileChanges {
  std::vector<std::string> created;
  std::vector<std::string> changed;
  std::vector<std::string> deleted;
  std::map<std::string, std::string> fetched;        // path to bytes
  std::map<std::string, std::string> fetch_refused;  // path to the reason
  // Of all these, what the caller did not expect; nothing where nobody said what to expect.
  std::optional<std::vector<std::string>> unexpected;
  bool incomplete = false;  // there were more, or deeper, than is listed
};

// What has become of a vault.
enum class VaultOutcome {
  kCommitted,  // its changes are on the host
  kDropped,    // the program did not end well
  kUnchanged,  // nothing to commit, or not to be written to
  kRefused,    // the program ended well, and its changes could not be committed
};
std::string_view VaultOutcomeName(VaultOutcome outcome);

struct VaultResult {
  std::string host;
  request::VaultMode mode = request::VaultMode::kReadOnly;
  VaultOutcome outcome = VaultOutcome::kUnchanged;
  std::string message;  // why, where that needs words
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
  std::optional<json::value> output;  // of a program that printed what its caller wanted
  std::vector<json::object> results;  // MIME bundles: what a run in a session displayed
  Usage usage;
  FileChanges files;
  std::vector<VaultResult> vaults;
  json::array findings;    // what the analysis saw that the policy minds
  json::object decision;   // what the policy made of it
  json::array recovery;    // what was done about a run that did not end well
  json::array redactions;  // what was taken out of it: kind, where, how often
  json::object layers;
  json::object audit;    // where the record of it lies, if there is one
  json::object skill;    // of a run of one: its name and version
  json::object session;  // of a run in one: its id, and what has become of it
};

// In `memory`: a result is many small pieces, and most are told once and thrown away.
json::object ToJson(const RunResult& result, const json::storage_ptr& memory = {});

// The result that a daemon has sent as JSON. What ToJson replaced in stdout and stderr stays so.
Result<RunResult> ReadResult(const json::object& object);

// The exit status of `belljar run` and `belljar exec`.
int ExitStatus(const RunResult& result);

}  // namespace belljar::run
