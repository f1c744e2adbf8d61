#include "cell/image/plan.h"

#include <sys/stat.h>

#include <filesystem>
#include <utility>

namespace belljar::cell::image {
namespace {

namespace fs = std::filesystem;

Error WalkError(const std::string& dir, const std::error_code& ec) {
  return Error(KindOf(ec.value()), "read " + dir + ": " + ec.message(), ec.value());
}

bool ReadableByAll(const fs::file_status& status) {
  return (status.permissions() & fs::perms::others_read) != fs::perms::none;
}

}  // namespace

void FilePlan::Add(std::string_view inside, Entry&& entry) {
  const std::string path = InsidePath(inside);
  for (std::string dir = ParentOf(path); dir != "/"; dir = ParentOf(dir)) {
    if (!entries_.try_emplace(dir, Entry{Entry::Type::kDirectory, ""}).second) break;
  }
  if (path != "/") entries_.try_emplace(path, std::move(entry));
}

void FilePlan::AddText(std::string_view inside, std::string text) {
  Add(inside, {Entry::Type::kText, std::move(text)});
}

void FilePlan::AddLink(std::string_view inside, std::string target) {
  Add(inside, {Entry::Type::kLink, std::move(target)});
}

void FilePlan::AddFile(std::string_view inside, std::string host_path) {
  sources_.insert(host_path);
  Add(inside, {Entry::Type::kFile, std::move(host_path)});
}

void FilePlan::AddResolved(const Root& root, const Resolved& found) {
  for (const Link& link : found.links) AddLink(link.at, link.target);
  AddFile(found.path, root.Host(found.path));
}

void FilePlan::AddResolvedDirectory(const Resolved& found) {
  for (const Link& link : found.links) AddLink(link.at, link.target);
  AddDirectory(found.path);
}

Result<> FilePlan::AddTree(const Root& root, const std::string& dir, const std::string& inside,
                           const TreeRules& rules) {
  const fs::path top = root.Host(dir == "/" && !root.dir().empty() ? "" : dir);
  const std::string base = inside == "/" ? "" : inside;
  std::error_code ec;
  AddDirectory(inside);
  fs::recursive_directory_iterator at(top, ec);
  for (; !ec && at != fs::end(at); at.increment(ec)) {
    const std::string relative = at->path().native().substr(top.native().size() + 1);
    const fs::file_status status = at->symlink_status(ec);
    if (ec) break;
    if (rules.skip(relative)) {
      at.disable_recursion_pending();
      continue;
    }
    const bool taken = rules.take == TreeRules::Take::kEverything || ReadableByAll(status);
    if (status.type() == fs::file_type::symlink) {
      AddLink(base + "/" + relative, fs::read_symlink(at->path(), ec).native());
    } else if (!taken) {
      at.disable_recursion_pending();
    } else if (status.type() == fs::file_type::directory) {
      AddDirectory(base + "/" + relative);
    } else if (status.type() == fs::file_type::regular) {
      AddFile(base + "/" + relative, at->path().native());
    }
    if (ec) break;
  }
  if (ec) return WalkError(top.native(), ec);
  return {};
}

}  // namespace belljar::cell::image
