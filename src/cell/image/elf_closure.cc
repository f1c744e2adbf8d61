#include "cell/image/elf_closure.h"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "cell/image/elf.h"
#include "cell/image/library_cache.h"
#include "foundation/base/sys.h"

namespace belljar::cell::image {
namespace {

constexpr std::size_t kMaxCacheBytes = 64U << 20;
constexpr std::size_t kMaxInherited = 64;
constexpr std::array<std::string_view, 8> kDefaultDirs = {
    "/lib/x86_64-linux-gnu",  "/usr/lib/x86_64-linux-gnu",  "/lib64", "/usr/lib64",
    "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/lib",   "/usr/lib"};

using Dirs = std::vector<std::string>;

void Replace(std::string& text, std::string_view what, std::string_view with) {
  for (std::size_t at = text.find(what); at != std::string::npos;
       at = text.find(what, at + with.size())) {
    text.replace(at, what.size(), with);
  }
}

// Leaves out relative directories and those with a token other than $ORIGIN.
Dirs Expand(const Dirs& dirs, const std::string& file) {
  Dirs expanded;
  for (std::string dir : dirs) {
    Replace(dir, "${ORIGIN}", ParentOf(file));
    Replace(dir, "$ORIGIN", ParentOf(file));
    if (dir.starts_with('/') && dir.find('$') == std::string::npos) expanded.push_back(dir);
  }
  return expanded;
}

class Finder {
 public:
  explicit Finder(const Root& root) : root_(root) {
    const auto cache = root.FindFile("/etc/ld.so.cache");
    if (!cache) return;
    const auto bytes = ReadFile(root.Host(cache->path), kMaxCacheBytes);
    if (bytes) cache_ = LibraryCache::Parse(*bytes);
  }

  Closure Find(const std::vector<std::string>& files) {
    for (const std::string& file : files) pending_.push_back({file, {}});
    while (!pending_.empty()) {
      const Visit next = std::move(pending_.front());
      pending_.pop_front();
      Look(next);
    }
    return std::move(closure_);
  }

 private:
  struct Visit {
    std::string path;
    Dirs inherited;  // the DT_RPATH directories of the files that load this one
  };

  // Visits each file once, by its resolved path: "$ORIGIN/../lib" can spell the same file
  // endlessly.
  void Look(const Visit& visit) {
    const auto file = root_.FindFile(visit.path);
    if (!file || !visited_.insert(file->path).second) return;
    const std::optional<ElfFile>& elf = Elf(visit.path);
    if (!elf) return;
    Dirs rpath = Expand(elf->rpath, visit.path);
    rpath.insert(rpath.end(), visit.inherited.begin(), visit.inherited.end());
    rpath.resize(std::min(rpath.size(), kMaxInherited));
    const Dirs dirs = elf->runpath.empty() ? rpath : Expand(elf->runpath, visit.path);
    if (!elf->interpreter.empty()) {
      Add({NameOf(elf->interpreter), elf->interpreter, Library::Found::kByFile}, {});
    }
    for (const std::string& name : elf->needed) {
      const auto library = Search(name, dirs, elf->machine);
      if (library) {
        Add(*library, rpath);
      } else {
        closure_.missing.push_back({name, visit.path});
      }
    }
  }

  void Add(const Library& library, const Dirs& rpath) {
    if (listed_.insert({library.name, library.path}).second) {
      closure_.libraries.push_back(library);
    }
    pending_.push_back({library.path, rpath});
  }

  std::optional<Library> Search(const std::string& name, const Dirs& dirs, unsigned machine) {
    if (name.find('/') != std::string::npos) {
      return Try(name, name, machine, Library::Found::kByFile);
    }
    for (const std::string& dir : dirs) {
      if (auto hit = Try(name, dir + "/" + name, machine, Library::Found::kByFile)) return hit;
    }
    for (const std::string& path : cache_.Paths(name)) {
      if (auto hit = Try(name, path, machine, Library::Found::kBySearch)) return hit;
    }
    for (const std::string_view dir : kDefaultDirs) {
      const std::string path = std::string(dir) + "/" + name;
      if (auto hit = Try(name, path, machine, Library::Found::kBySearch)) return hit;
    }
    return std::nullopt;
  }

  std::optional<Library> Try(const std::string& name, const std::string& path, unsigned machine,
                             Library::Found found) {
    const std::optional<ElfFile>& elf = Elf(path);
    if (!elf || elf->machine != machine) return std::nullopt;
    return Library{name, path, found};
  }

  const std::optional<ElfFile>& Elf(const std::string& path) {
    const auto known = elves_.find(path);
    if (known != elves_.end()) return known->second;
    const auto file = root_.FindFile(path);
    return elves_[path] = file ? ReadElf(root_.Host(file->path)) : std::nullopt;
  }

  const Root& root_;
  LibraryCache cache_;
  std::map<std::string, std::optional<ElfFile>> elves_;
  std::set<std::string> visited_;
  std::set<std::pair<std::string, std::string>> listed_;
  std::deque<Visit> pending_;
  Closure closure_;
};

}  // namespace

Closure FindLibraries(const Root& root, const std::vector<std::string>& files) {
  return Finder(root).Find(files);
}

}  // namespace belljar::cell::image
