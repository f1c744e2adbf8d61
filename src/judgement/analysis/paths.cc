#include "judgement/analysis/paths.h"

#include <array>

namespace belljar::judgement::analysis {
namespace {

constexpr std::array<std::string_view, 11> kInside = {
    "/tmp",        "/workspace",  "/vault",    "/artefacts",   "/dev/null",  "/dev/stdin",
    "/dev/stdout", "/dev/stderr", "/dev/zero", "/dev/urandom", "/dev/random"};

bool LiesIn(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

// True if a path such as "a/../../b" climbs above its starting directory, which is `depth` levels
// deep.
bool ClimbsOut(std::string_view path, int depth) {
  while (!path.empty()) {
    const std::size_t slash = path.find('/');
    const std::string_view part = path.substr(0, slash);
    if (part == "..") {
      if (--depth < 0) return true;
    } else if (!part.empty() && part != ".") {
      ++depth;
    }
    path = slash == std::string_view::npos ? "" : path.substr(slash + 1);
  }
  return false;
}

}  // namespace

bool IsOutside(std::string_view path, char unknown) {
  // file: URLs, which databases and module loaders accept.
  if (path.starts_with("file:")) path.remove_prefix(5);
  if (path.empty() || path.front() == unknown) return false;
  if (path.front() == '~' || path.starts_with("$HOME") || path.starts_with("${HOME}")) return true;
  // Windows paths with a drive letter.
  if (path.size() > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/')) return true;
  // Git runs these files by itself.
  if (path.starts_with(".git/hooks/")) return true;
  if (path.front() != '/') return ClimbsOut(path, 0);
  while (path.starts_with("//")) path.remove_prefix(1);
  for (const std::string_view folder : kInside) {
    if (LiesIn(path, folder)) return ClimbsOut(path.substr(folder.size()), 0);
  }
  return true;
}

std::string ShownPath(std::string_view path, char unknown) {
  std::string shown;
  for (const char c : path) {
    if (c == unknown) {
      shown += "…";
    } else {
      shown += c;
    }
  }
  return shown;
}

}  // namespace belljar::judgement::analysis
