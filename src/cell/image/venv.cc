#include "cell/image/venv.h"

#include <algorithm>
#include <cctype>

#include "cell/image/host_files.h"
#include "cell/image/python_files.h"
#include "foundation/base/sys.h"

namespace belljar::cell::image {
namespace {

constexpr std::size_t kMaxConfig = 64U << 10;

std::string_view Trim(std::string_view text) {
  const std::size_t start = text.find_first_not_of(" \t\r");
  if (start == std::string_view::npos) return "";
  return text.substr(start, text.find_last_not_of(" \t\r") - start + 1);
}

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

void TakeLine(std::string_view line, VenvConfig& config) {
  const std::size_t equals = line.find('=');
  if (equals == std::string_view::npos) return;
  const std::string key = Lower(Trim(line.substr(0, equals)));
  const std::string value(Trim(line.substr(equals + 1)));
  if (key == "home") config.home = value;
  if (key == "version" || key == "version_info") config.version = value;
  if (key == "include-system-site-packages" && Lower(value) == "true") {
    config.system_packages = VenvConfig::SystemPackages::kYes;
  }
}

bool IsMountedOver(const std::string& inside) {
  return IsMountPoint(inside.substr(0, inside.find('/', 1)));
}

struct Base {
  Resolved python;
  Resolved stdlib;
  int minor;
};

Result<Base> FindBase(const Root& host, const VenvConfig& config) {
  const int minor = BJ_TRY(SupportedMinor(config.version));
  for (const std::string& name : {"python3." + std::to_string(minor), std::string("python3")}) {
    const auto python = host.FindFile(config.home + "/" + name);
    if (!python) continue;
    const auto stdlib = FindStdlib(host, python->path, minor);
    if (!stdlib) continue;
    if (IsMountedOver(python->path) || IsMountedOver(stdlib->path)) {
      return Error(Kind::kInvalid, python->path +
                                       " lies where a cell has its own files: move that Python "
                                       "out of /tmp, /run, /dev and /proc");
    }
    return Base{*python, *stdlib, minor};
  }
  return Error(Kind::kNotFound, "no Python " + config.version + " in " + config.home +
                                    ", from which the virtualenv was made: install it again or "
                                    "make the virtualenv anew");
}

Result<> AddBase(const Root& host, const Base& base, FilePlan& plan, Image& image) {
  plan.AddResolved(host, base.python);
  image.python = base.python.path;
  return AddStdlib(host, plan, base.stdlib, TreeRules::Take::kEverything, image);
}

Result<> AddOwnPackages(const Root& host, const std::string& venv, int minor, FilePlan& plan,
                        Image& image) {
  const std::string below = "/lib/python3." + std::to_string(minor) + "/site-packages";
  const auto site = host.FindDirectory(venv + below);
  if (!site) {
    return Error(Kind::kNotFound, venv + below + " is missing: make the virtualenv anew");
  }
  const std::string inside = IsMountedOver(site->path) ? "/venv" + below : site->path;
  return AddPackages(host, plan, site->path, inside, TreeRules::Take::kEverything, image);
}

// Interpreters that a program or a command starts do not have the sys.path that a cell's guest is
// given, but they read path files (*.pth) in the base interpreter's own directories.
void TellOtherPythons(const Base& base, const std::string& packages, FilePlan& plan) {
  std::vector<std::string> dirs = {base.stdlib.path + "/site-packages"};
  if (base.python.path.starts_with("/usr/bin/")) dirs.push_back("/usr/lib/python3/dist-packages");
  for (const std::string& dir : dirs) plan.AddText(dir + "/belljar-venv.pth", packages + "\n");
}

}  // namespace

Result<VenvConfig> ParseVenvConfig(std::string_view text) {
  VenvConfig config;
  for (std::size_t start = 0; start < text.size();) {
    const std::size_t end = std::min(text.find('\n', start), text.size());
    TakeLine(text.substr(start, end - start), config);
    start = end + 1;
  }
  if (!config.home.starts_with('/') || config.version.empty()) {
    return Error(Kind::kInvalid, "pyvenv.cfg does not tell home and version");
  }
  return config;
}

Result<> AddVenv(const Root& host, const std::string& venv, FilePlan& plan, Image& image) {
  auto text = ReadFile(host.Host(venv) + "/pyvenv.cfg", kMaxConfig);
  if (!text) {
    return Error(Kind::kInvalid, venv + " is no virtualenv: there is no readable pyvenv.cfg in it");
  }
  const VenvConfig config = BJ_TRY(ParseVenvConfig(*text).While(venv));
  const Base base = BJ_TRY(FindBase(host, config).While(venv));
  BJ_TRY(AddBase(host, base, plan, image));
  image.python_version = config.version;
  BJ_TRY(AddOwnPackages(host, venv, base.minor, plan, image));
  TellOtherPythons(base, image.python_paths.back(), plan);
  if (config.system_packages == VenvConfig::SystemPackages::kNo) return {};
  for (const Resolved& dir : FindPackages(host, base.python.path, base.stdlib.path, base.minor)) {
    plan.AddResolvedDirectory(dir);
    BJ_TRY(AddPackages(host, plan, dir.path, dir.path, TreeRules::Take::kReadableByAll, image));
  }
  return {};
}

}  // namespace belljar::cell::image
