#include "cell/image/modules.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "cell/image/paths.h"

namespace belljar::cell::image {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxNames = 100'000;

// C modules that some builds of CPython have compiled in. Private ones (with an underscore) are
// left out.
constexpr std::array<std::string_view, 32> kBuiltIntoPython = {
    "array",        "atexit",      "audioop",   "binascii", "builtins",    "cmath",   "errno",
    "faulthandler", "fcntl",       "gc",        "grp",      "itertools",   "marshal", "math",
    "mmap",         "nis",         "parser",    "posix",    "ossaudiodev", "pwd",     "pyexpat",
    "readline",     "resource",    "select",    "spwd",     "sys",         "syslog",  "termios",
    "time",         "unicodedata", "xxsubtype", "zlib"};

constexpr std::array<std::string_view, 46> kBuiltIntoNode = {"assert",       "async_hooks",
                                                             "buffer",       "child_process",
                                                             "cluster",      "console",
                                                             "constants",    "crypto",
                                                             "dgram",        "diagnostics_channel",
                                                             "dns",          "domain",
                                                             "events",       "fs",
                                                             "http",         "http2",
                                                             "https",        "inspector",
                                                             "module",       "net",
                                                             "os",           "path",
                                                             "perf_hooks",   "process",
                                                             "punycode",     "querystring",
                                                             "readline",     "repl",
                                                             "sea",          "sqlite",
                                                             "stream",       "string_decoder",
                                                             "sys",          "test",
                                                             "timers",       "tls",
                                                             "trace_events", "tty",
                                                             "url",          "util",
                                                             "v8",           "vm",
                                                             "wasi",         "worker_threads",
                                                             "zlib",         "quic"};

// Calls `take` for each name in `directory`, with whether it is a directory.
template <class Take>
Result<> ForEach(const std::string& directory, Take take) {
  std::error_code failed;
  fs::directory_iterator entry(directory, failed);
  for (; !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
    std::error_code ignored;
    // A link may lead to a directory: its target inside the image is not resolved here.
    const bool may_hold = entry->is_symlink(ignored) || entry->is_directory(ignored);
    take(entry->path().filename().native(), may_hold);
  }
  if (!failed) return {};
  return Error(Kind::kUnavailable, "read " + directory + ": " + failed.message(), failed.value());
}

// Returns "x" for "x.py", "x.so", "x.cpython-311-x86_64-linux-gnu.so" and the directory "x".
std::optional<std::string> PythonName(const std::string& entry, bool is_directory) {
  const std::size_t dot = entry.find('.');
  if (dot == 0 || entry == "__pycache__") return std::nullopt;
  if (entry.ends_with(".py") || entry.ends_with(".pyc") || entry.ends_with(".so")) {
    return entry.substr(0, dot);
  }
  if (dot != std::string::npos || !is_directory) return std::nullopt;
  return entry;
}

Result<> CheckCount(const std::vector<std::string>& names) {
  if (names.size() <= kMaxNames) return {};
  return Error(Kind::kExhausted, "the image has too many modules to be listed");
}

Result<> AddNodeFolder(const std::string& folder, std::vector<std::string>& names) {
  std::vector<std::string> scopes;
  BJ_TRY(ForEach(folder, [&](const std::string& entry, bool is_directory) {
    if (is_directory && entry.starts_with('@')) {
      scopes.push_back(entry);
    } else if (is_directory) {
      names.push_back(entry);
    } else if (entry.ends_with(".js")) {
      names.push_back(entry.substr(0, entry.size() - 3));
    }
  }));
  for (const std::string& scope : scopes) {
    BJ_TRY(ForEach(folder + "/" + scope,
                   [&](const std::string& entry, bool) { names.push_back(scope + "/" + entry); }));
  }
  return CheckCount(names);
}

}  // namespace

ModuleNames::ModuleNames(std::vector<std::string> names) : names_(std::move(names)) {
  std::ranges::sort(names_);
  names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
}

bool ModuleNames::Has(std::string_view name) const {
  return std::ranges::binary_search(names_, name, std::less<std::string_view>());
}

Result<ModuleNames> PythonModules(const Image& image) {
  const Root root(image.rootfs);
  std::vector<std::string> names(kBuiltIntoPython.begin(), kBuiltIntoPython.end());
  for (const std::string& path : image.python_paths) {
    const auto folder = root.FindDirectory(path);
    if (!folder) continue;
    BJ_TRY(ForEach(root.Host(folder->path), [&](const std::string& entry, bool is_directory) {
      if (auto name = PythonName(entry, is_directory)) names.push_back(*std::move(name));
    }));
    BJ_TRY(CheckCount(names));
  }
  return ModuleNames(std::move(names));
}

Result<ModuleNames> NodeModules(const Image& image) {
  const Root root(image.rootfs);
  std::vector<std::string> names(kBuiltIntoNode.begin(), kBuiltIntoNode.end());
  // The search path of a program in /workspace, and the additional paths of Debian's Node.
  for (const char* const path : {"/node_modules", "/usr/lib/node", "/usr/local/lib/node",
                                 "/usr/share/nodejs", "/usr/lib/nodejs"}) {
    if (const auto folder = root.FindDirectory(path)) {
      BJ_TRY(AddNodeFolder(root.Host(folder->path), names));
    }
  }
  return ModuleNames(std::move(names));
}

}  // namespace belljar::cell::image
