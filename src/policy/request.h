// Request: what a caller asks for. A plain value, made by one parser for the command line,
// --jsonl and every later front door. Unknown keys are errors; nothing is guessed.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "policy/limits.h"

namespace belljar::policy {

enum class Lang { kPython, kJavaScript, kBash };

std::string_view LangName(Lang lang);
// "python", "javascript", "bash", and the short forms people type (py, js, node, sh).
Result<Lang> ParseLang(std::string_view name);

// A file to put into the workspace before the run.
struct InputFile {
  std::string path;  // relative, checked by Validate
  std::string bytes;
  bool operator==(const InputFile&) const = default;
};

struct Request {
  std::string id;
  std::string correlation_id;
  Lang lang = Lang::kPython;
  std::string code;                  // exactly one of code and command is given
  std::vector<std::string> command;  // a program and its arguments, never a shell line
  std::string image = "default";
  std::string reason;
  Limits limits;
  std::string stdin_bytes;
  std::vector<std::string> args;
  std::map<std::string, std::string> env;
  std::vector<InputFile> files;
  std::vector<std::string> fetch;  // workspace paths whose content comes back in the result
  std::optional<std::uint64_t> deterministic;  // the seed

  bool operator==(const Request&) const = default;
};

// Sizes beyond which a request is refused before anything is started.
constexpr std::size_t kMaxCodeBytes = 8 * kMiB;
constexpr std::size_t kMaxStdinBytes = 64 * kMiB;
constexpr std::size_t kMaxArgs = 1024;
constexpr std::size_t kMaxArgBytes = 128 * 1024;       // the kernel's MAX_ARG_STRLEN
constexpr std::size_t kMaxArgTotalBytes = 1 * kMiB;    // args, command and env together
constexpr std::size_t kMaxFiles = 1000;
constexpr std::size_t kMaxFileBytesTotal = 64 * kMiB;
constexpr std::size_t kMaxPathBytes = 1024;
constexpr std::size_t kMaxPathDepth = 32;
constexpr std::size_t kMaxLineBytes = 160 * kMiB;      // one line of --jsonl

// Reads one request object.
Result<Request> ParseRequest(std::string_view json_text);

// The "id" of a line that may be malformed otherwise, or "".
std::string SalvageId(std::string_view json_text);

// Checks what involves sizes, encodings, paths and ranges. ParseRequest calls it; front doors
// that build a Request from flags call it themselves.
Result<> Validate(const Request& request);

// A path inside the workspace: relative, UTF-8, no "..", no empty or "." parts, no control or
// bidirectional characters, within the length and depth limits.
Result<> ValidateWorkspacePath(std::string_view path);

// "512M", "1G", "64K", "1048576" (bytes). Powers of 1024.
Result<std::uint64_t> ParseSize(std::string_view text);
// "30", "0.5", "2m", "1h": a positive time.
Result<std::chrono::milliseconds> ParseDuration(std::string_view text);

}  // namespace belljar::policy
