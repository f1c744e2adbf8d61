// Path: where a word points to, for a command that writes or removes there.
//
// A path is taken apart into its components and tidied ("/tmp/../etc" is "/etc"); parts that are
// not known stay in it. Nothing here looks at the machine's files.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judgement/analysis/shell/context.h"
#include "judgement/analysis/shell/word.h"

namespace belljar::judgement::analysis::shell {

struct Component {
  std::string text;     // the constant part of it
  bool is_any = false;  // a pattern that every name matches: "*", "?*", "[a-z]*", ".*"
  bool has_glob = false;
  bool unknown = false;       // something in it is not known
  bool may_be_empty = false;  // all of it
  bool unset = false;         // it is a variable that the script never sets
};

struct Path {
  enum class Start { kRoot, kHome, kHere };

  Start start = Start::kHere;
  std::vector<Component> components;
  int up = 0;  // ".." before the first component
  bool ends_in_slash = false;
  bool is_empty = false;  // no word at all
};

// With the directory that the script has changed to, if that is known.
Path PathOf(const Context& context, const Word& word);

enum class Where {
  kElsewhere,
  kRoot,       // "/", "/*"
  kHome,       // a home directory, all of it
  kSystemTop,  // "/etc", "/usr/*"
  kHere,       // ".", "..", "*"
  kMaybeRoot,  // "$X/data", and X may be empty
  kUnset,      // "$X", and X is never set
  kSystem,     // something in a system directory
  kDisk,       // a device
  kCron,
  kSshKeys,
  kStartup,
  kHistory,  // of a shell
};
// What it would mean to remove a tree there, and to write a file there.
bool HoldsSecrets(const Path& path);
Where WhereRemoved(const Path& path);
Where WhereWritten(const Path& path);

}  // namespace belljar::judgement::analysis::shell
