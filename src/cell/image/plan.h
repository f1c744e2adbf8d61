// FilePlan: the list of files for an image, made before anything is copied.
//
// A value: paths inside the image, and the source of each one's content. Planning first gives the
// progress line its total, and allows one search for the shared libraries of all planned files.
// Only directories, regular files and symbolic links can be planned, so devices, FIFOs and sockets
// of a source tree are left out by construction. The first entry added for a path wins. The parent
// directories of an entry are added with it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_set>

#include "cell/image/paths.h"
#include "foundation/base/result.h"

namespace belljar::cell::image {

struct Entry {
  enum class Type { kDirectory, kFile, kLink, kText };
  Type type;
  std::string from;  // the host path of a file, the target of a link, or the text itself
};

// Selects the files of a tree.
struct TreeRules {
  // True for a path (relative to the tree) that is left out, with all below it.
  std::function<bool(std::string_view relative)> skip = [](std::string_view) { return false; };
  // The default image contains only files that every user of the host may read.
  enum class Take { kEverything, kReadableByAll } take = Take::kEverything;
};

class FilePlan {
 public:
  void AddDirectory(std::string_view inside) { Add(inside, {Entry::Type::kDirectory, ""}); }
  void AddText(std::string_view inside, std::string text);
  void AddLink(std::string_view inside, std::string target);
  void AddFile(std::string_view inside, std::string host_path);

  // Adds a file and the links that lead to it, each at its own path.
  void AddResolved(const Root& root, const Resolved& found);
  // Adds a directory and the links that lead to it.
  void AddResolvedDirectory(const Resolved& found);

  // Adds the whole directory `dir` of `root` (a path without links), placed at `inside`.
  Result<> AddTree(const Root& root, const std::string& dir, const std::string& inside,
                   const TreeRules& rules);

  // By path inside the image; a directory comes before its content.
  const std::map<std::string, Entry>& entries() const { return entries_; }
  bool Has(std::string_view inside) const { return entries_.contains(std::string(inside)); }
  // Whether a host file is in the plan, at any path.
  bool HasSource(const std::string& host_path) const { return sources_.contains(host_path); }

 private:
  void Add(std::string_view inside, Entry&& entry);

  std::map<std::string, Entry> entries_;
  std::unordered_set<std::string> sources_;
};

}  // namespace belljar::cell::image
