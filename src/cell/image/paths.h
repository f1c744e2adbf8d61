// Paths inside an image, and the conversion of host paths and symbolic links to them.
//
// A path inside an image is absolute and has no ".", "..", empty component or trailing slash. It
// cannot name anything outside the image, because ".." at the root stays at the root, as for a
// process with that root. Links are followed one component at a time, and ".." is applied to the
// directory that a link has led to, not to the spelling of the path, so that the result is the same
// as the kernel's. The host's own root and a foreign tree are both represented by Root: links in a
// tree are followed inside the tree and never reach the host.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"

namespace belljar::cell::image {

// Converts `path` to a path from the root of an image, without following links. "" becomes "/".
std::string InsidePath(std::string_view path);

// The directory part and the last component of a path inside an image.
std::string ParentOf(std::string_view inside);
std::string NameOf(std::string_view inside);

// True when `inside` is `dir` or lies below it.
bool IsWithin(std::string_view inside, std::string_view dir);

struct Link {
  std::string at;      // path inside the image, itself free of links
  std::string target;  // as written in the link
  bool operator==(const Link&) const = default;
};

struct Resolved {
  std::string path;         // free of links
  std::vector<Link> links;  // the links on the way, in the order they were followed
};

// The target of the link at a path, or nullopt if there is no link.
using ReadLink = std::function<std::optional<std::string>(const std::string& at)>;

// Follows every link of `path`, the last component included. Components that do not exist are kept.
// More than 40 links are treated as a loop.
Result<Resolved> ResolveInside(std::string_view path, const ReadLink& read_link);

// A directory treated as the root of a file system. "/" is the host itself.
class Root {
 public:
  explicit Root(std::string dir);

  const std::string& dir() const { return dir_; }
  // The host path of a path inside.
  std::string Host(std::string_view inside) const;

  Result<Resolved> Resolve(std::string_view path) const;
  // nullopt unless `path` leads to a regular file, or to a directory.
  std::optional<Resolved> FindFile(std::string_view path) const;
  std::optional<Resolved> FindDirectory(std::string_view path) const;

 private:
  std::string dir_;  // "" for the host
};

}  // namespace belljar::cell::image
