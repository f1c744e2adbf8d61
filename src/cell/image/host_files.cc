#include "cell/image/host_files.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include "cell/image/program.h"

namespace belljar::cell::image {
namespace {

constexpr auto kAnswerTime = std::chrono::seconds(30);

constexpr std::array<std::string_view, 8> kMountPoints = {
    "/proc", "/dev", "/workspace", "/tmp", "/run", "/.belljar", "/vault", "/artefacts"};

constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kEtc = {
    {{"/etc/passwd",
      "root:x:0:0:root:/workspace:/bin/bash\n"
      "belljar:x:1000:1000:belljar:/workspace:/bin/bash\n"
      "nobody:x:65534:65534:nobody:/:/bin/false\n"},
     {"/etc/group", "root:x:0:\nbelljar:x:1000:\nnogroup:x:65534:\n"},
     {"/etc/hosts", "127.0.0.1 localhost\n::1 localhost\n"},
     {"/etc/nsswitch.conf", "passwd: belljar files\ngroup: belljar files\nhosts: files dns\n"}}};

constexpr std::string_view kTools[] = {
    "sh",        "dash",      "env",      "[",        "test",      "true",      "false",
    "echo",      "printf",    "expr",     "seq",      "sleep",     "yes",       "date",
    "timeout",   "nohup",     "nice",     "id",       "whoami",    "uname",     "hostname",
    "nproc",     "ls",        "cat",      "cp",       "mv",        "rm",        "mkdir",
    "rmdir",     "ln",        "link",     "unlink",   "touch",     "chmod",     "install",
    "mkfifo",    "mknod",     "mktemp",   "truncate", "sync",      "dd",        "stat",
    "du",        "df",        "basename", "dirname",  "realpath",  "readlink",  "pwd",
    "head",      "tail",      "wc",       "sort",     "uniq",      "cut",       "tr",
    "tee",       "od",        "split",    "csplit",   "join",      "paste",     "comm",
    "shuf",      "tac",       "rev",      "nl",       "fold",      "fmt",       "expand",
    "unexpand",  "tsort",     "md5sum",   "sha1sum",  "sha224sum", "sha256sum", "sha384sum",
    "sha512sum", "b2sum",     "base64",   "base32",   "basenc",    "cksum",     "sum",
    "factor",    "numfmt",    "stdbuf",   "printenv", "arch",      "chgrp",     "chown",
    "dir",       "dircolors", "groups",   "hostid",   "logname",   "pathchk",   "pinky",
    "pr",        "ptx",       "shred",    "stty",     "tty",       "users",     "vdir",
    "who",       "grep",      "egrep",    "fgrep",    "sed",       "awk",       "mawk",
    "gawk",      "find",      "xargs",    "diff",     "diff3",     "cmp",       "sdiff",
    "tar",       "gzip",      "gunzip",   "zcat",     "bzip2",     "bunzip2",   "bzcat",
    "xz",        "unxz",      "xzcat",    "which",    "bc",        "jq",        "column",
    "hexdump",   "getopt",    "ps",       "pgrep",    "free",      "tput",      "curl",
    "wget"};

// Data files and directories of the tools above; each is optional.
constexpr std::array<std::string_view, 8> kToolFiles = {
    "/etc/os-release",
    "/usr/lib/os-release",
    "/etc/ssl/certs/ca-certificates.crt",
    "/usr/lib/ssl/cert.pem",  // for curl and Python
    "/usr/libexec/coreutils/libstdbuf.so",
    "/usr/lib/coreutils/libstdbuf.so",
    "/usr/lib/x86_64-linux-gnu/coreutils/libstdbuf.so",
    "/usr/lib/aarch64-linux-gnu/coreutils/libstdbuf.so"};
constexpr std::array<std::string_view, 3> kToolTrees = {"/usr/lib/locale/C.utf8",
                                                        "/usr/share/zoneinfo", "/lib/terminfo"};
constexpr std::array<std::string_view, 4> kMagicFiles = {
    "/usr/share/misc/magic.mgc", "/usr/lib/file/magic.mgc", "/usr/share/file/magic.mgc",
    "/usr/share/misc/magic"};
constexpr std::array<std::string_view, 2> kNodeTrees = {"/usr/share/nodejs",
                                                        "/usr/share/node_modules"};
// For `import`, Node searches node_modules in every directory above the importing module, up to the
// root, and nowhere else: NODE_PATH works only for require(). The link leads to the directory that
// has the tools socket and the library beside it. In a cell without tools it leads nowhere. It is
// not a directory, because npm takes any directory with node_modules for a project, and would take
// the root for one.
constexpr std::array<std::string_view, 2> kModulesLink = {"/node_modules", "/run/belljar"};
// The NSS module that gives glibc the user name of a cell's uid (isolate/native/own_name.cc).
constexpr std::array<std::string_view, 2> kOwnNameLink = {"/usr/lib/libnss_belljar.so.2",
                                                          "/.belljar/libnss_belljar.so.2"};
constexpr std::array<std::string_view, 5> kTopDirs = {"/bin", "/sbin", "/lib", "/lib64",
                                                      "/usr/bin"};

constexpr TreeRules::Take kTake = TreeRules::Take::kReadableByAll;

std::optional<Resolved> FindProgram(const Root& host, std::string_view name) {
  for (const std::string_view dir : kProgramDirs) {
    auto found = host.FindFile(std::string(dir) + std::string(name));
    if (found) return found;
  }
  return std::nullopt;
}

Result<> AddTreeIfThere(const Root& host, FilePlan& plan, std::string_view dir,
                        const TreeRules& rules) {
  const auto found = host.FindDirectory(dir);
  if (!found) return {};
  plan.AddResolvedDirectory(*found);
  return plan.AddTree(host, found->path, found->path, rules);
}

// The `file` tool needs its table of formats.
void AddFileTool(const Root& host, FilePlan& plan) {
  const auto program = FindProgram(host, "file");
  if (!program) return;
  for (const std::string_view path : kMagicFiles) {
    const auto magic = host.FindFile(path);
    if (!magic) continue;
    plan.AddResolved(host, *magic);
    plan.AddResolved(host, *program);
  }
}

Result<> AddNode(const Root& host, FilePlan& plan, Image& image) {
  const auto program = FindProgram(host, "node");
  if (!program) return {};
  const auto version = AskProgram({host.Host(program->path), "--version"}, kAnswerTime);
  if (!version) return {};  // a Node that cannot print its version would not run in a cell either
  image.node = program->path;
  const std::size_t start = version->starts_with('v') ? 1 : 0;
  image.node_version = version->substr(start, version->find_first_of(" \r\n") - start);
  plan.AddResolved(host, *program);
  for (const std::string_view dir : kNodeTrees) {
    BJ_TRY(AddTreeIfThere(host, plan, dir, {.take = kTake}));
  }
  return {};
}

}  // namespace

bool IsMountPoint(std::string_view inside_top) {
  return std::find(kMountPoints.begin(), kMountPoints.end(), inside_top) != kMountPoints.end();
}

void AddMountPoints(FilePlan& plan) {
  for (const std::string_view dir : kMountPoints) plan.AddDirectory(dir);
}

void AddModulesLink(FilePlan& plan) {
  if (!plan.Has(kModulesLink[0])) plan.AddLink(kModulesLink[0], std::string(kModulesLink[1]));
}

void AddEtc(FilePlan& plan) {
  for (const auto& [path, text] : kEtc) plan.AddText(path, std::string(text));
  plan.AddLink(kOwnNameLink[0], std::string(kOwnNameLink[1]));
}

Result<> AddTools(const Root& host, FilePlan& plan, Image& image) {
  for (const std::string_view dir : kTopDirs) {
    const auto found = host.FindDirectory(dir);
    if (found) plan.AddResolvedDirectory(*found);
  }
  const auto bash = FindProgram(host, "bash");
  if (!bash) {
    return Error(Kind::kNotFound,
                 "no bash in /usr/bin or /bin: install bash or build an image with --from");
  }
  image.bash = bash->path;
  plan.AddResolved(host, *bash);
  for (const std::string_view name : kTools) {
    const auto program = FindProgram(host, name);
    if (program) plan.AddResolved(host, *program);
  }
  for (const std::string_view path : kToolFiles) {
    const auto file = host.FindFile(path);
    if (file) plan.AddResolved(host, *file);
  }
  for (const std::string_view dir : kToolTrees) {
    BJ_TRY(AddTreeIfThere(host, plan, dir, {.take = kTake}));
  }
  AddFileTool(host, plan);
  return AddNode(host, plan, image);
}

std::vector<std::string_view> HostFilesRecipe() {
  std::vector<std::string_view> recipe;
  const auto add = [&](const auto& list) {
    recipe.insert(recipe.end(), std::begin(list), std::end(list));
    recipe.emplace_back();
  };
  add(kProgramDirs);
  add(kMountPoints);
  add(kTopDirs);
  add(kTools);
  add(kToolFiles);
  add(kToolTrees);
  add(kMagicFiles);
  add(kNodeTrees);
  add(kModulesLink);
  add(kOwnNameLink);
  for (const auto& [path, text] : kEtc) recipe.insert(recipe.end(), {path, text});
  return recipe;
}

}  // namespace belljar::cell::image
