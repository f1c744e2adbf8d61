#include "cell/image/paths.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <utility>

namespace belljar::cell::image {
namespace {

constexpr std::size_t kMaxLinks = 40;  // the kernel's limit

// Pushes the components of `path` onto the stack `pending`, the first one on top.
void Push(std::vector<std::string>& pending, std::string_view path) {
  const std::size_t before = pending.size();
  for (std::size_t start = 0; start < path.size();) {
    const std::size_t slash = std::min(path.find('/', start), path.size());
    if (slash > start) pending.emplace_back(path.substr(start, slash - start));
    start = slash + 1;
  }
  std::reverse(pending.begin() + static_cast<std::ptrdiff_t>(before), pending.end());
}

std::optional<std::string> ReadHostLink(const std::string& host_path) {
  std::array<char, PATH_MAX> target;
  const ssize_t n = ::readlink(host_path.c_str(), target.data(), target.size());
  if (n < 0) return std::nullopt;
  return std::string(target.data(), static_cast<std::size_t>(n));
}

}  // namespace

std::string InsidePath(std::string_view path) {
  // Without links, resolving only normalises the spelling; it fails only for a NUL byte.
  const std::string_view until_nul = path.substr(0, path.find('\0'));
  auto resolved = ResolveInside(until_nul, [](const std::string&) { return std::nullopt; });
  return resolved ? std::move(resolved->path) : "/";
}

std::string ParentOf(std::string_view inside) {
  const std::size_t slash = inside.rfind('/');
  return slash == 0 || slash == std::string_view::npos ? "/" : std::string(inside.substr(0, slash));
}

std::string NameOf(std::string_view inside) {
  return std::string(inside.substr(inside.rfind('/') + 1));
}

bool IsWithin(std::string_view inside, std::string_view dir) {
  if (dir == "/") return inside.starts_with('/');
  return inside.starts_with(dir) && (inside.size() == dir.size() || inside[dir.size()] == '/');
}

Result<Resolved> ResolveInside(std::string_view path, const ReadLink& read_link) {
  if (path.find('\0') != std::string_view::npos) {
    return Error(Kind::kInvalid, "a path must not contain a NUL byte");
  }
  Resolved resolved;
  std::string& at = resolved.path;  // "" means the root until the end
  std::vector<std::string> pending;
  Push(pending, path);
  while (!pending.empty()) {
    const std::string name = std::move(pending.back());
    pending.pop_back();
    if (name == ".") continue;
    if (name == "..") {
      at.resize(at.empty() ? 0 : at.rfind('/'));
      continue;
    }
    const std::string next = at + "/" + name;
    std::optional<std::string> target = read_link(next);
    if (!target) {
      at = next;
      continue;
    }
    if (resolved.links.size() == kMaxLinks || target->find('\0') != std::string::npos) {
      return Error(Kind::kInvalid, std::string(path) + ": too many symbolic links");
    }
    if (target->starts_with('/')) at.clear();
    Push(pending, *target);
    resolved.links.push_back({next, *std::move(target)});
  }
  if (at.empty()) at = "/";
  return resolved;
}

Root::Root(std::string dir) : dir_(std::move(dir)) {
  while (dir_.ends_with('/')) dir_.pop_back();
}

std::string Root::Host(std::string_view inside) const { return dir_ + std::string(inside); }

Result<Resolved> Root::Resolve(std::string_view path) const {
  return ResolveInside(path, [this](const std::string& at) { return ReadHostLink(Host(at)); });
}

std::optional<Resolved> Root::FindFile(std::string_view path) const {
  auto resolved = Resolve(path);
  struct stat info {};
  if (!resolved || ::lstat(Host(resolved->path).c_str(), &info) != 0) return std::nullopt;
  if (!S_ISREG(info.st_mode)) return std::nullopt;
  return *std::move(resolved);
}

std::optional<Resolved> Root::FindDirectory(std::string_view path) const {
  auto resolved = Resolve(path);
  struct stat info {};
  if (!resolved || ::lstat(Host(resolved->path).c_str(), &info) != 0) return std::nullopt;
  if (!S_ISDIR(info.st_mode)) return std::nullopt;
  return *std::move(resolved);
}

}  // namespace belljar::cell::image
