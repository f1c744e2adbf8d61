#include "judgement/analysis/javascript/path.h"

#include <algorithm>

#include "judgement/analysis/javascript/text.h"
#include "judgement/analysis/paths.h"

namespace belljar::judgement::analysis::javascript {
namespace {

using std::string_view;

std::string Normalised(string_view path) {
  const bool is_absolute = path.starts_with('/');
  std::vector<string_view> parts;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const string_view part = path.substr(at, end - at);
    at = end + 1;
    if (part.empty() || part == ".") continue;
    if (part != "..") {
      parts.push_back(part);
    } else if (!parts.empty() && parts.back() != "..") {
      parts.pop_back();
    } else if (!is_absolute) {
      parts.push_back(part);
    }
  }
  std::string plain = is_absolute ? "/" : "";
  for (const string_view part : parts) {
    if (!plain.empty() && plain != "/") plain += '/';
    plain += part;
  }
  return plain;
}

bool IsWindowsPath(string_view path) {
  if (path.starts_with("\\\\")) return true;
  const bool has_drive = path.size() > 2 && path[1] == ':' && (path[2] == '\\' || path[2] == '/');
  return has_drive && (path[0] | 0x20) >= 'a' && (path[0] | 0x20) <= 'z';
}

}  // namespace

std::string JoinPaths(const std::vector<std::string>& parts) {
  std::string joined;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    if (!joined.empty()) joined += '/';
    joined += part;
  }
  return Normalised(joined);
}

std::string ResolvePaths(const std::vector<std::string>& parts) {
  std::string path;
  for (const std::string& part : parts) {
    if (part.starts_with('/') || part.starts_with('~')) {
      path = part;
    } else if (!part.empty()) {
      path += path.empty() ? part : "/" + part;
    }
  }
  return Normalised(path);
}

std::string PathOfUrl(string_view url) {
  constexpr string_view kFile = "file://";
  if (!url.starts_with(kFile)) return std::string(url);
  return DecodePercent(url.substr(kFile.size()));
}

std::string ModuleFile(string_view path) {
  std::string plain = Normalised(path);
  for (const string_view ending : {".js", ".mjs", ".cjs", ".ts"}) {
    if (plain.ends_with(ending)) plain.resize(plain.size() - ending.size());
  }
  return plain;
}

bool LeadsOut(string_view path) {
  if (path.starts_with("file://")) return LeadsOut(PathOfUrl(path));
  return IsWindowsPath(path) || IsOutside(Normalised(path), kHole);
}

}  // namespace belljar::judgement::analysis::javascript
