#include "cell/image/python_files.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>

#include "cell/image/elf.h"
#include "cell/image/program.h"

namespace belljar::cell::image {
namespace {

constexpr auto kInterpreterTime = std::chrono::seconds(30);
constexpr int kOldestMinor = 8;
constexpr int kNewestMinor = 99;

constexpr std::string_view kQuestion =
    "import sys\n"
    "print('%d.%d.%d' % sys.version_info[:3])\n"
    "for path in sys.path: print(path)\n";

constexpr std::array<std::string_view, 12> kUnneeded = {
    "test",          "idlelib",       "turtledemo",      "ensurepip",
    "lib2to3/tests", "ctypes/test",   "distutils/tests", "sqlite3/test",
    "tkinter/test",  "unittest/test", "site-packages",   "dist-packages"};

bool IsUnneeded(std::string_view relative) {
  if (relative.starts_with("config-") && relative.find('/') == std::string_view::npos) return true;
  return std::find(kUnneeded.begin(), kUnneeded.end(), relative) != kUnneeded.end();
}

bool IsPathFile(std::string_view relative) {
  return relative.ends_with(".pth") && relative.find('/') == std::string_view::npos;
}

std::string MinorName(int minor) { return "python3." + std::to_string(minor); }

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> lines;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    lines.emplace_back(text.substr(start, end - start));
    start = end + 1;
  }
  return lines;
}

// Only an ELF file counts as an interpreter; the shim of a version manager is a script.
std::optional<Resolved> FindSystemPython(const Root& host) {
  for (const std::string_view path : {"/usr/bin/python3", "/usr/local/bin/python3"}) {
    auto found = host.FindFile(path);
    if (found && ReadElf(host.Host(found->path))) return found;
  }
  return std::nullopt;
}

// Parses the version at the end of "/usr/bin/python3.11" or "/usr/lib/python3.11".
std::optional<int> MinorOfName(std::string_view path) {
  const std::size_t at = path.rfind("/python3.");
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view digits = path.substr(at + 9);
  int minor = 0;
  const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), minor);
  if (ec != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return minor;
}

std::optional<int> MinorInTree(const Root& tree, const std::string& python) {
  if (const auto minor = MinorOfName(python)) return minor;
  for (int minor = kNewestMinor; minor >= 0; --minor) {
    if (FindStdlib(tree, python, minor)) return minor;
  }
  return std::nullopt;
}

void AppendPath(Image& image, const std::string& path) {
  auto& paths = image.python_paths;
  if (std::find(paths.begin(), paths.end(), path) == paths.end()) paths.push_back(path);
}

void AppendStdlib(const Root& root, const std::string& stdlib, Image& image) {
  AppendPath(image, stdlib);
  const auto dynload = root.FindDirectory(stdlib + "/lib-dynload");
  if (dynload) AppendPath(image, dynload->path);
}

}  // namespace

Result<int> SupportedMinor(std::string_view version) {
  int minor = -1;
  if (version.starts_with("3.")) {
    const std::string_view rest = version.substr(2);
    std::from_chars(rest.data(), rest.data() + rest.size(), minor);
  }
  if (minor < kOldestMinor || minor > kNewestMinor) {
    return Error(Kind::kInvalid, "Python " + std::string(version) +
                                     " cannot be used in an image: 3.8 is the oldest that can");
  }
  return minor;
}

std::optional<Resolved> FindStdlib(const Root& root, const std::string& python, int minor) {
  const std::string prefix = ParentOf(ParentOf(python));
  for (const std::string_view lib : {"/lib/", "/lib64/"}) {
    const std::string dir = prefix + std::string(lib) + MinorName(minor);
    if (root.FindFile(dir + "/os.py")) return root.FindDirectory(dir);
  }
  return std::nullopt;
}

std::vector<Resolved> FindPackages(const Root& root, const std::string& python,
                                   const std::string& stdlib, int minor) {
  std::vector<std::string> dirs = {stdlib + "/site-packages"};
  if (ParentOf(ParentOf(python)) == "/usr") {
    dirs.push_back("/usr/lib/" + MinorName(minor) + "/site-packages");
    dirs.push_back("/usr/lib/python3/dist-packages");
  }
  std::vector<Resolved> found;
  for (const std::string& dir : dirs) {
    auto resolved = root.FindDirectory(dir);
    if (resolved) found.push_back(*std::move(resolved));
  }
  return found;
}

Result<> AddStdlib(const Root& host, FilePlan& plan, const Resolved& dir, TreeRules::Take take,
                   Image& image) {
  plan.AddResolvedDirectory(dir);
  BJ_TRY(plan.AddTree(host, dir.path, dir.path, {.skip = IsUnneeded, .take = take}));
  AppendStdlib(host, dir.path, image);
  return {};
}

Result<> AddPackages(const Root& host, FilePlan& plan, const std::string& dir,
                     const std::string& inside, TreeRules::Take take, Image& image) {
  BJ_TRY(plan.AddTree(host, dir, inside, {.skip = IsPathFile, .take = take}));
  AppendPath(image, inside);
  return {};
}

Result<> AddSystemPython(const Root& host, FilePlan& plan, Image& image) {
  const auto python = FindSystemPython(host);
  if (!python) {
    return Error(Kind::kNotFound,
                 "no python3 in /usr/bin: install python3 or build an image with --from");
  }
  const std::string answer = BJ_TRY(AskProgram(
      {host.Host(python->path), "-I", "-S", "-c", std::string(kQuestion)}, kInterpreterTime));
  const std::vector<std::string> lines = Lines(answer);
  if (lines.empty()) return Error(Kind::kUnavailable, python->path + " printed no version");
  const int minor = BJ_TRY(SupportedMinor(lines[0]).While(python->path));
  plan.AddResolved(host, *python);
  image.python = python->path;
  image.python_version = lines[0];
  std::string stdlib;
  for (std::size_t i = 1; i < lines.size(); ++i) {
    const auto dir = host.FindDirectory(lines[i]);
    if (!dir || (!stdlib.empty() && IsWithin(dir->path, stdlib))) continue;
    if (stdlib.empty()) stdlib = dir->path;
    BJ_TRY(AddStdlib(host, plan, *dir, TreeRules::Take::kReadableByAll, image));
  }
  for (const Resolved& dir : FindPackages(host, python->path, stdlib, minor)) {
    plan.AddResolvedDirectory(dir);
    BJ_TRY(AddPackages(host, plan, dir.path, dir.path, TreeRules::Take::kReadableByAll, image));
  }
  return {};
}

void AddPythonNames(const Root& host, FilePlan& plan, const Image& image) {
  const auto bin = host.FindDirectory("/usr/bin");
  if (!bin || image.python.empty()) return;
  plan.AddLink(bin->path + "/python3", image.python);
  plan.AddLink(bin->path + "/python", "python3");
}

std::vector<std::string_view> PythonRecipe() { return {kUnneeded.begin(), kUnneeded.end()}; }

Result<> FindTreePython(const Root& tree, Image& image) {
  // In the order of a usual PATH: images of python.org releases have Python in /usr/local.
  for (const std::string_view path : {"/usr/local/bin/python3", "/usr/bin/python3"}) {
    const auto python = tree.FindFile(path);
    if (!python) continue;
    const auto minor = MinorInTree(tree, python->path);
    const auto stdlib = minor ? FindStdlib(tree, python->path, *minor) : std::nullopt;
    if (!stdlib) continue;
    image.python_version = "3." + std::to_string(*minor);
    BJ_TRY(SupportedMinor(image.python_version).While(python->path));
    image.python = python->path;
    AppendStdlib(tree, stdlib->path, image);
    const auto local = tree.FindDirectory("/usr/local/lib/" + MinorName(*minor) + "/dist-packages");
    if (local) AppendPath(image, local->path);
    for (const Resolved& dir : FindPackages(tree, python->path, stdlib->path, *minor)) {
      AppendPath(image, dir.path);
    }
    return {};
  }
  return {};
}

}  // namespace belljar::cell::image
