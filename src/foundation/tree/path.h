// Paths in a tree: relative to its root, "a/b"; the root itself is "".
#pragma once

#include <string>
#include <string_view>

namespace belljar::tree {

// The part before the last slash ("" if there is none).
inline std::string_view ParentOf(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}
inline std::string_view NameOf(std::string_view path) { return path.substr(path.rfind('/') + 1); }
inline std::string Joined(std::string_view parent, std::string_view name) {
  return parent.empty() ? std::string(name) : std::string(parent).append("/").append(name);
}

// Why a symbolic link might lead out of its tree. Judged by its text alone, without knowing which
// other names are links.
enum class LinkFault {
  kNone,
  kAbsolute,
  kLeaves,       // more ".." than the link lies deep
  kBehindAName,  // ".." after a name, which may be a link itself, so the target is unknown
};
// `path` is that of the link.
LinkFault FaultOfLink(std::string_view path, std::string_view target);

}  // namespace belljar::tree
