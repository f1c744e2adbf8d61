// Request: what a caller asks for. A plain value. --jsonl and the HTTP API make it with one parser;
// the command line fills it from flags and calls the same Validate.
//
// Parsing is strict. A key that is unknown, given twice, of the wrong type or out of range is an
// error that names it, because a caller who believes that a limit is in force must not be wrong.
// When Boost.JSON builds an object, it keeps the last of two equal keys, so duplicates are found in
// a separate pass of its event parser (request_scan.h); this covers every object in the request,
// including "env" and "files".
//
// All functions here are pure and may be called from any thread.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/json.h"
#include "foundation/base/relative_path.h"
#include "foundation/base/result.h"
#include "foundation/base/safe_text.h"
#include "request/artefact.h"
#include "request/backend.h"
#include "request/limits.h"
#include "request/vault.h"

namespace belljar::request {

enum class Lang { kPython, kJavaScript, kTypeScript, kBash };

std::string_view LangName(Lang lang);
// Parses "python", "javascript", "typescript", "bash", or a common short form (py, js, node, sh).
Result<Lang> ParseLang(std::string_view name);

// A file that is written to the workspace before the run.
struct InputFile {
  std::string path;  // relative, checked by Validate
  std::string bytes;
  bool operator==(const InputFile&) const = default;
};

struct Request {
  std::string id;
  bool numeric_id = false;  // given as a number, and returned as one
  std::string correlation_id;
  Lang lang = Lang::kPython;
  // Exactly one of code and command is used: the command, unless it is empty. An empty code is
  // valid (a program that does nothing), and only the parser can distinguish it from a missing one.
  std::string code;
  std::vector<std::string> command;  // argv of a program; no shell is involved
  std::string level;                 // the policy's level; empty: the default
  std::string image = "default";
  std::optional<BackendKind> backend;  // nullopt: the policy's default
  std::string session;                 // id or name of the session to run in; empty: a fresh cell
  std::string reason;
  Limits limits;
  std::string stdin_bytes;
  // A JSON value that the program reads on its standard input (request_input.h).
  std::optional<json::value> input;
  std::optional<json::value> input_schema;   // the schema of `input`
  std::optional<json::value> output_schema;  // the schema that the program's output must match
  // A simpler request to run after a failure (request_fallback.h).
  std::optional<json::object> fallback;
  TextMode text = TextMode::kRaw;  // how the program's output is displayed
  std::vector<std::string> args;   // arguments of the code; a command includes its own
  std::map<std::string, std::string> env;
  std::vector<InputFile> files;
  std::vector<std::string> fetch;  // workspace paths whose content is returned with the result
  // Glob patterns (base/glob.h) of the files that the run is expected to create, change or delete.
  // An empty list: none.
  std::optional<std::vector<std::string>> writes;
  std::vector<Vault> vaults;                   // host directories to make available
  std::vector<std::string> allow_hosts;        // hosts to reach (host_pattern.h)
  std::vector<Artefact> artefacts;             // artefacts to read
  std::optional<std::uint64_t> deterministic;  // the seed; nullopt: not deterministic

  bool operator==(const Request&) const = default;
};

// Requests that exceed these sizes are refused before anything is started.
constexpr std::size_t kMaxIdBytes = 256;  // each of id and correlation_id
constexpr std::size_t kMaxReasonBytes = 4096;
constexpr std::size_t kMaxCodeBytes = 8 * kMiB;
constexpr std::size_t kMaxStdinBytes = 64 * kMiB;
constexpr std::size_t kMaxArgs = 1024;
constexpr std::size_t kMaxArgBytes = 128 * 1024;     // the kernel's MAX_ARG_STRLEN
constexpr std::size_t kMaxArgTotalBytes = 1 * kMiB;  // args, command and env together
constexpr std::size_t kMaxFiles = 1000;
constexpr std::size_t kMaxFileBytesTotal = 64 * kMiB;
constexpr std::size_t kMaxWrites = 64;             // number of patterns
constexpr std::size_t kMaxWritesBytes = 4096;      // all patterns together
constexpr std::size_t kMaxLineBytes = 160 * kMiB;  // one line of --jsonl

// Parses and validates one request object; limits that it does not name are taken from `defaults`.
Result<Request> ParseRequest(std::string_view json_text, const Limits& defaults = Limits());

// The keys that ParseRequest knows, those of limits included.
std::vector<std::string_view> RequestKeys();

// The "id" of a line that is otherwise malformed, or "". It is found if the line is valid JSON up
// to and including the id. A plain text search would be unsafe: an id quoted in the code could be
// taken for the request's. If there are two ids, neither is used. At most kMaxLineBytes are read.
std::string SalvageId(std::string_view json_text);

// The same in the form in which it was given: a string or a number.
json::value SalvageIdJson(std::string_view json_text);
json::value IdJson(const std::string& id, bool numeric_id);

// Validates sizes, encodings, paths and ranges. ParseRequest calls it; front doors that build a
// Request from flags call it themselves.
Result<> Validate(const Request& request);
// Checks that a request that has passed Validate can run: TypeScript can be checked, but not run.
Result<> CheckRunnable(const Request& request);
// Validate and CheckRunnable.
Result<> ValidateToRun(const Request& request);

// Parses a size in bytes: "512M", "512MiB", "1G", "64K", "1048576". Units are powers of 1024.
Result<std::uint64_t> ParseSize(std::string_view text);
// Parses a duration of at least 1 ms: "30", "0.5", "30s", "500ms", "2m", "1h".
Result<std::chrono::milliseconds> ParseDuration(std::string_view text);
// Parses a number of CPUs ("1", "0.5") to thousandths, rounded to the nearest.
Result<std::uint32_t> ParseCpus(std::string_view text);

// The default CPU time limit: twice what the CPUs can deliver within the wall time, so that it is a
// backstop that the wall clock always precedes.
std::chrono::milliseconds DefaultCpuTime(const Limits& limits);

}  // namespace belljar::request
