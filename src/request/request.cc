#include "request/request.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "foundation/base/quote.h"
#include "foundation/base/text.h"
#include "request/host_pattern.h"
#include "request/level.h"
#include "request/limit_fields.h"
#include "request/request_fallback.h"
#include "request/request_input.h"

namespace belljar::request {
namespace {

constexpr std::string_view kLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
constexpr std::string_view kDigits = "0123456789";

Result<> CheckUtf8(std::string_view what, std::string_view text) {
  const std::size_t bad = FindInvalidUtf8(text);
  if (bad == std::string_view::npos) return {};
  return Invalid("{} is not UTF-8: byte 0x{:02x} at offset {}", what,
                 static_cast<unsigned char>(text[bad]), bad);
}

// Checks text that becomes a C string in the cell, where a NUL would silently cut it.
Result<> CheckCString(std::string_view what, std::string_view text) {
  const std::size_t nul = text.find('\0');
  if (nul != std::string_view::npos) return Invalid("{} has a NUL byte at offset {}", what, nul);
  return CheckUtf8(what, text);
}

Result<> CheckBytes(std::string_view what, std::size_t bytes, std::size_t most) {
  if (bytes <= most) return {};
  return Invalid("{} has {} bytes; at most {} are allowed", what, bytes, most);
}

Result<> CheckCount(std::string_view what, std::size_t count, std::size_t most) {
  if (count <= most) return {};
  return Invalid("{} has {} entries; at most {} are allowed", what, count, most);
}

Result<> CheckId(std::string_view what, std::string_view id) {
  BJ_TRY(CheckBytes(what, id.size(), kMaxIdBytes));
  BJ_TRY(CheckUtf8(what, id));
  const std::size_t control = FindControl(id);
  if (control == std::string_view::npos) return {};
  return Invalid("{} has a control character at offset {}", what, control);
}

Result<> CheckImageName(std::string_view name) {
  const std::string allowed = std::string(kLetters) + std::string(kDigits) + "._-";
  const bool good = !name.empty() && name.size() <= 64 && name[0] != '.' &&
                    name.find_first_not_of(allowed) == std::string_view::npos;
  if (good) return {};
  return Invalid(
      "{} is not an image name; use letters, digits, '.', '_' and '-', at most 64, not "
      "beginning with '.'",
      Quote(name));
}

Result<> CheckLevel(std::string_view level) {
  if (level.empty() || std::ranges::find(kLevels, level) != kLevels.end()) return {};
  return Invalid("there is no level {}; known: {}", Quote(level), fmt::join(kLevels, ", "));
}

Result<> CheckNames(const Request& request) {
  BJ_TRY(CheckId("\"id\"", request.id));
  BJ_TRY(CheckId("\"correlation_id\"", request.correlation_id));
  BJ_TRY(CheckId("\"session\"", request.session));
  BJ_TRY(CheckLevel(request.level));
  BJ_TRY(CheckImageName(request.image));
  BJ_TRY(CheckBytes("\"reason\"", request.reason.size(), kMaxReasonBytes));
  return CheckCString("\"reason\"", request.reason);
}

Result<> CheckArguments(std::string_view key, const std::vector<std::string>& arguments) {
  BJ_TRY(CheckCount(key, arguments.size(), kMaxArgs));
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string what = fmt::format("{} item {}", key, i + 1);
    // The kernel counts the terminating NUL too.
    BJ_TRY(CheckBytes(what, arguments[i].size(), kMaxArgBytes - 1));
    BJ_TRY(CheckCString(what, arguments[i]));
  }
  return {};
}

Result<> CheckProgram(const Request& request) {
  if (request.command.empty()) {
    BJ_TRY(CheckBytes("the code", request.code.size(), kMaxCodeBytes));
    BJ_TRY(CheckUtf8("the code", request.code));
    return CheckArguments("\"args\"", request.args);
  }
  if (!request.code.empty()) return Invalid("give either \"code\" or \"command\", not both");
  if (!request.args.empty()) {
    return Invalid("\"args\" goes with \"code\"; a command's arguments belong into \"command\"");
  }
  if (request.command[0].empty()) return Invalid("\"command\" must begin with a program's name");
  return CheckArguments("\"command\"", request.command);
}

Result<> CheckEnvName(std::string_view name) {
  const std::string allowed = std::string(kLetters) + std::string(kDigits) + "_";
  const bool good = !name.empty() && kDigits.find(name[0]) == std::string_view::npos &&
                    name.find_first_not_of(allowed) == std::string_view::npos;
  if (!good) {
    return Invalid(
        "\"env\" name {} is not allowed; use letters, digits and '_', not beginning with a digit",
        Quote(name));
  }
  // All other variables concern only the guest. These two take effect before the guest is sealed:
  // the dynamic loader runs what LD_PRELOAD names, and BELLJAR_ variables configure our own code in
  // the cell.
  for (const std::string_view prefix : {"LD_", "BELLJAR_"}) {
    if (name.starts_with(prefix)) {
      return Invalid("\"env\" name {} is not allowed: names beginning with {} are reserved",
                     Quote(name), prefix);
    }
  }
  return {};
}

Result<> CheckEnv(const std::map<std::string, std::string>& env) {
  BJ_TRY(CheckCount("\"env\"", env.size(), kMaxArgs));
  for (const auto& [name, value] : env) {
    BJ_TRY(CheckEnvName(name));
    const std::string what = fmt::format("\"env\" variable {}", Quote(name));
    BJ_TRY(CheckBytes(what, name.size() + 1 + value.size(), kMaxArgBytes - 1));
    BJ_TRY(CheckCString(what, value));
  }
  return {};
}

Result<> CheckArgumentTotal(const Request& request) {
  std::size_t total = 0;
  for (const std::string& argument : request.args) total += argument.size() + 1;
  for (const std::string& argument : request.command) total += argument.size() + 1;
  for (const auto& [name, value] : request.env) total += name.size() + value.size() + 2;
  return CheckBytes("\"args\", \"command\" and \"env\" together", total, kMaxArgTotalBytes);
}

// Checks that every path is valid, that none is given twice, and that none is a directory of
// another.
Result<> CheckPaths(std::string_view key, const std::vector<std::string_view>& paths) {
  BJ_TRY(CheckCount(key, paths.size(), kMaxFiles));
  std::set<std::string_view> seen;
  for (const std::string_view path : paths) {
    BJ_TRY(CheckRelativePath(path).While(key));
    if (!seen.insert(path).second) return Invalid("{} has the path {} twice", key, Quote(path));
  }
  for (const std::string_view path : paths) {
    for (std::size_t slash = path.find('/'); slash != path.npos;
         slash = path.find('/', slash + 1)) {
      const std::string_view parent = path.substr(0, slash);
      if (!seen.contains(parent)) continue;
      return Invalid("{} has both {} and {}, but the first is a file", key, Quote(parent),
                     Quote(path));
    }
  }
  return {};
}

Result<> CheckFiles(const Request& request) {
  std::vector<std::string_view> paths;
  std::size_t total = 0;
  for (const InputFile& file : request.files) {
    paths.push_back(file.path);
    total += file.bytes.size();
  }
  BJ_TRY(CheckPaths("\"files\"", paths));
  BJ_TRY(CheckBytes("\"files\" together", total, kMaxFileBytesTotal));
  if (total > request.limits.workspace_bytes) {
    return Invalid("\"files\" together has {} bytes, and the workspace holds {}", total,
                   request.limits.workspace_bytes);
  }
  return CheckPaths("\"fetch\"", {request.fetch.begin(), request.fetch.end()});
}

}  // namespace

std::string_view LangName(Lang lang) {
  switch (lang) {
    case Lang::kPython:
      return "python";
    case Lang::kJavaScript:
      return "javascript";
    case Lang::kTypeScript:
      return "typescript";
    case Lang::kBash:
      return "bash";
  }
  return "python";
}

Result<Lang> ParseLang(std::string_view name) {
  if (name == "python" || name == "py") return Lang::kPython;
  if (name == "javascript" || name == "js" || name == "node") return Lang::kJavaScript;
  if (name == "typescript" || name == "ts") return Lang::kTypeScript;
  if (name == "bash" || name == "sh") return Lang::kBash;
  return Invalid("the language {} is not known; use python, javascript or bash", Quote(name));
}

Result<> Validate(const Request& request) {
  BJ_TRY(CheckNames(request));
  BJ_TRY(CheckProgram(request));
  BJ_TRY(CheckEnv(request.env));
  BJ_TRY(CheckArgumentTotal(request));
  BJ_TRY(CheckBytes("\"stdin\"", request.stdin_bytes.size(), kMaxStdinBytes));
  BJ_TRY(CheckInput(request));
  BJ_TRY(CheckWrites(request));
  BJ_TRY(CheckLimits(request.limits));
  BJ_TRY(ValidateVaults(request.vaults));
  BJ_TRY(ValidateHosts(request.allow_hosts));
  BJ_TRY(ValidateArtefacts(request.artefacts));
  BJ_TRY(CheckFiles(request));
  return CheckFallback(request);
}

Result<> CheckRunnable(const Request& request) {
  if (request.lang != Lang::kTypeScript || !request.command.empty()) return {};
  return Invalid("TypeScript is read, but not run: compile it, and send the JavaScript");
}

Result<> ValidateToRun(const Request& request) {
  BJ_TRY(Validate(request));
  return CheckRunnable(request);
}

}  // namespace belljar::request
