#include "cell/image/libraries.h"

#include <algorithm>
#include <array>
#include <optional>

#include "cell/image/elf_closure.h"

namespace belljar::cell::image {
namespace {

// The C library loads these with dlopen() when needed, so no file lists them in DT_NEEDED.
constexpr std::array<std::string_view, 2> kLoadedLater = {"libgcc_s.so.1", "libnss_files.so.2"};

bool MayBeElf(std::string_view path) { return !path.ends_with(".py") && !path.ends_with(".pyc"); }

std::vector<std::string> PlannedFiles(const Root& host, const FilePlan& plan) {
  std::vector<std::string> files;
  for (const auto& [inside, entry] : plan.entries()) {
    if (entry.type != Entry::Type::kFile || !MayBeElf(inside)) continue;
    files.push_back(entry.from.substr(host.dir().size()));
  }
  return files;
}

// The directory of the C library, without links; the loader searches it without a cache.
std::optional<std::string> SearchedDirectory(const Root& host, const Closure& closure) {
  const auto libc =
      std::find_if(closure.libraries.begin(), closure.libraries.end(),
                   [](const Library& library) { return library.name == "libc.so.6"; });
  if (libc == closure.libraries.end()) return std::nullopt;
  const auto dir = host.FindDirectory(ParentOf(libc->path));
  return dir ? std::optional(dir->path) : std::nullopt;
}

void AddLibrary(const Root& host, FilePlan& plan, const Library& library,
                const std::string& searched) {
  const auto file = host.FindFile(library.path);
  if (!file) return;
  // A library in a tree that is placed elsewhere: its users find it by $ORIGIN.
  if (plan.HasSource(host.Host(file->path)) && !plan.Has(file->path)) return;
  plan.AddResolved(host, *file);
  if (library.found == Library::Found::kByFile || searched.empty()) return;
  const auto dir = host.FindDirectory(ParentOf(library.path));
  if (dir && dir->path != searched) plan.AddLink(searched + "/" + library.name, file->path);
}

}  // namespace

Result<> AddLibraries(const Root& host, FilePlan& plan, const std::vector<std::string>& required) {
  Closure closure = FindLibraries(host, PlannedFiles(host, plan));
  for (const MissingLibrary& missing : closure.missing) {
    if (std::find(required.begin(), required.end(), missing.needed_by) == required.end()) continue;
    return Error(Kind::kNotFound, missing.name + ", which " + missing.needed_by +
                                      " needs, is not on this host: install it");
  }
  const std::string searched = SearchedDirectory(host, closure).value_or("");
  if (!searched.empty()) {
    for (const std::string_view name : kLoadedLater) {
      const auto file = host.FindFile(searched + "/" + std::string(name));
      if (file) plan.AddResolved(host, *file);
    }
  }
  // Libraries in that directory first: a link of the same name must not take a library's place.
  std::stable_partition(closure.libraries.begin(), closure.libraries.end(), [&](const Library& l) {
    const auto dir = host.FindDirectory(ParentOf(l.path));
    return dir && dir->path == searched;
  });
  for (const Library& library : closure.libraries) AddLibrary(host, plan, library, searched);
  return {};
}

}  // namespace belljar::cell::image
