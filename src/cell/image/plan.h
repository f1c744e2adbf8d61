// FilePlan: what an image will hold, before a byte of it is copied.
//
// A value: paths inside the image, and where the content of each comes from. Planning first gives
// the progress line its total and lets the shared libraries of everything planned be found in one
// go. Nothing but directories, regular files and symbolic links can be planned, so devices, FIFOs
// and sockets of a source tree are left out by construction. What is added first stays; the
// directories above an entry are added with it.
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
  std::string from;  // a file's host path, a link's target, a text itself
};

// Which files of a tree are taken.
struct TreeRules {
  // True for a path (relative to the tree) that is left out, with all below it.
  std::function<bool(std::string_view relative)> skip = [](std::string_view) { return false; };
  // The default image holds nothing that not every user of the host may read anyway.
  enum class Take { kEverything, kReadableByAll } take = Take::kEverything;
};

class FilePlan {
 public:
  void AddDirectory(std::string_view inside) { Add(inside, {Entry::Type::kDirectory, ""}); }
  void AddText(std::string_view inside, std::string text);
  void AddLink(std::string_view inside, std::string target);
  void AddFile(std::string_view inside, std::string host_path);

  // The links that lead to a file, and the file, at their own paths.
  void AddResolved(const Root& root, const Resolved& found);
  // The links that lead to a directory, and it.
  void AddResolvedDirectory(const Resolved& found);

  // All of the directory `dir` of `root` (free of links), placed at `inside`.
  Result<> AddTree(const Root& root, const std::string& dir, const std::string& inside,
                   const TreeRules& rules);

  // By path inside the image; a directory comes before what it holds.
  const std::map<std::string, Entry>& entries() const { return entries_; }
  bool Has(std::string_view inside) const { return entries_.contains(std::string(inside)); }
  // True when a host file is taken, wherever it is placed.
  bool HasSource(const std::string& host_path) const { return sources_.contains(host_path); }

 private:
  void Add(std::string_view inside, Entry&& entry);

  std::map<std::string, Entry> entries_;
  std::unordered_set<std::string> sources_;
};

}  // namespace belljar::cell::image
