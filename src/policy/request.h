// Request: what a caller asks for. A plain value, made by one parser for --jsonl and every later
// front door; the command line fills it from flags and calls the same Validate.
//
// Nothing is guessed. A key that is unknown, given twice, of the wrong type or out of range is an
// error that names it, and so is a key of the contract that this version does not have yet: a
// caller who believes a limit is in force must not be wrong. Boost.JSON keeps the last of two
// equal keys when it builds a value, so duplicates are found by a pass of its event parser before
// (request_scan.h); that holds for every object in the request, "env" and "files" included.
//
// Everything here is a pure function of its arguments and may be called from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/relative_path.h"
#include "base/result.h"
#include "base/safe_text.h"
#include "policy/artefact.h"
#include "policy/backend.h"
#include "policy/limits.h"
#include "policy/vault.h"

namespace belljar::policy {

enum class Lang { kPython, kJavaScript, kTypeScript, kBash };

std::string_view LangName(Lang lang);
// "python", "javascript", "typescript", "bash", and the short forms people type (py, js, node, sh).
Result<Lang> ParseLang(std::string_view name);

// A file to put into the workspace before the run.
struct InputFile {
  std::string path;  // relative, checked by Validate
  std::string bytes;
  bool operator==(const InputFile&) const = default;
};

struct Request {
  std::string id;
  bool numeric_id = false;  // it was given as a number, and goes back as one
  std::string correlation_id;
  Lang lang = Lang::kPython;
  // Exactly one of the two is used: the command unless it is empty. An empty code is a program
  // that does nothing, as an empty file is; only the parser can tell it from a missing one.
  std::string code;
  std::vector<std::string> command;  // a program and its arguments, never a shell line
  std::string level;                 // of the policy; empty: the default
  std::string image = "default";
  std::optional<BackendKind> backend;  // none: the policy's
  std::string session;                 // id or name of the session to run in; empty: a fresh cell
  std::string reason;
  Limits limits;
  std::string stdin_bytes;
  // A JSON value for the program, which is its standard input then (request_input.h).
  std::optional<json::value> input;
  std::optional<json::value> input_schema;   // what it must look like
  std::optional<json::value> output_schema;  // what the program must print
  std::optional<json::object> fallback;      // a simpler one (request_fallback.h)
  TextMode text = TextMode::kRaw;            // how what it prints is shown
  std::vector<std::string> args;             // of the code; a command carries its own
  std::map<std::string, std::string> env;
  std::vector<InputFile> files;
  std::vector<std::string> fetch;  // workspace paths whose content comes back in the result
  // What it is expected to create, change or delete, as patterns (base/glob.h). Empty: nothing.
  std::optional<std::vector<std::string>> writes;
  std::vector<Vault> vaults;                   // host directories it may see
  std::vector<std::string> allow_hosts;        // that it may reach (host_pattern.h)
  std::vector<Artefact> artefacts;             // that it may read
  std::optional<std::uint64_t> deterministic;  // the seed

  bool operator==(const Request&) const = default;
};

// Sizes beyond which a request is refused before anything is started.
constexpr std::size_t kMaxIdBytes = 256;  // id and correlation_id
constexpr std::size_t kMaxReasonBytes = 4096;
constexpr std::size_t kMaxCodeBytes = 8 * kMiB;
constexpr std::size_t kMaxStdinBytes = 64 * kMiB;
constexpr std::size_t kMaxArgs = 1024;
constexpr std::size_t kMaxArgBytes = 128 * 1024;     // the kernel's MAX_ARG_STRLEN
constexpr std::size_t kMaxArgTotalBytes = 1 * kMiB;  // args, command and env together
constexpr std::size_t kMaxFiles = 1000;
constexpr std::size_t kMaxFileBytesTotal = 64 * kMiB;
constexpr std::size_t kMaxWrites = 64;             // patterns
constexpr std::size_t kMaxWritesBytes = 4096;      // of them together
constexpr std::size_t kMaxLineBytes = 160 * kMiB;  // one line of --jsonl

// Reads one request object; limits that it does not name are `defaults`. What it returns has
// passed Validate.
Result<Request> ParseRequest(std::string_view json_text, const Limits& defaults = Limits());

// The "id" of a line that may be malformed otherwise, or "". It is found as long as the text is
// JSON up to and including the id, which is safer than searching for the letters: an id quoted in
// the code would answer for another request. Two ids are no id. At most kMaxLineBytes are read.
std::string SalvageId(std::string_view json_text);

// The same as it goes back to the caller: a string, or a number if it was given as one.
json::value SalvageIdJson(std::string_view json_text);
json::value IdJson(const std::string& id, bool numeric_id);

// Checks what involves sizes, encodings, paths and ranges. ParseRequest calls it; front doors
// that build a Request from flags call it themselves.
Result<> Validate(const Request& request);
// The same of a request that is to run: TypeScript is read only.
Result<> ValidateToRun(const Request& request);

// A path inside the workspace.
inline Result<> ValidateWorkspacePath(std::string_view path) { return CheckRelativePath(path); }

// "512M", "512MiB", "1G", "64K", "1048576" (bytes). Powers of 1024.
Result<std::uint64_t> ParseSize(std::string_view text);
// "30", "0.5", "30s", "500ms", "2m", "1h": a time of at least a millisecond.
Result<std::chrono::milliseconds> ParseDuration(std::string_view text);
// "1", "0.5": thousandths of a CPU, rounded to the nearest.
Result<std::uint32_t> ParseCpus(std::string_view text);

// The CPU time of a run that names none: twice what its CPUs can do in its wall time, so that it
// is a second line behind the wall clock and never the first.
std::chrono::milliseconds DefaultCpuTime(const Limits& limits);

}  // namespace belljar::policy
