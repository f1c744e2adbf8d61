// Path: the location that a word denotes, for commands that write or remove files there.
//
// A path is split into components and normalised ("/tmp/../etc" is "/etc"); unknown parts remain.
// The analysis never accesses the file system.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judgement/analysis/shell/context.h"
#include "judgement/analysis/shell/word.h"

namespace belljar::judgement::analysis::shell {

struct Component {
  std::string text;     // the constant part
  bool is_any = false;  // a pattern that matches any name: "*", "?*", "[a-z]*", ".*"
  bool has_glob = false;
  bool unknown = false;       // contains an unknown part
  bool may_be_empty = false;  // the whole component may be empty
  bool unset = false;         // is a variable that the script never sets
};

struct Path {
  enum class Start { kRoot, kHome, kHere };

  Start start = Start::kHere;
  std::vector<Component> components;
  int up = 0;  // ".." before the first component
  bool ends_in_slash = false;
  bool is_empty = false;  // the word is empty
};

// The path of a word, relative to the script's working directory if that is known.
Path PathOf(const Context& context, const Word& word);

enum class Where {
  kElsewhere,
  kRoot,       // "/", "/*"
  kHome,       // a whole home directory
  kSystemTop,  // "/etc", "/usr/*"
  kHere,       // ".", "..", "*"
  kMaybeRoot,  // "$X/data", where X may be empty
  kUnset,      // "$X", where X is never set
  kSystem,     // a path inside a system directory
  kDisk,       // a block device
  kCron,
  kSshKeys,
  kStartup,
  kHistory,  // the history file of a shell
};
// HoldsSecrets: the file contains credentials. WhereRemoved, WhereWritten: the location as it
// matters for removing a tree there, and for writing a file there.
bool HoldsSecrets(const Path& path);
Where WhereRemoved(const Path& path);
Where WhereWritten(const Path& path);

}  // namespace belljar::judgement::analysis::shell
