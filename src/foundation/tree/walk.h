// Walk: visits every name below a directory, by descriptors. The only code that walks hostile
// trees.
//
// The names of the tree were chosen by a caller, or by a program that may still be changing it. So
// nothing is opened by an absolute path, no link is followed, no mount point is crossed (each
// directory is opened from the root's descriptor by OpenBeneath), and the number, depth, spelling
// and length of names are bounded. At most one directory is open at any time, and pending
// directories are kept as paths, so that neither descriptors nor the stack run out.
//
// A name that the rules do not accept ends the walk with an error that names it, so that a tree is
// processed completely or not at all. A visitor whose result may be incomplete, such as a listing,
// can choose to go on.
//
// Order: all names of a directory, sorted by bytes, are visited before any of its subdirectories is
// entered. Then the subdirectories are entered in one of two orders. kLastFirst: depth-first, the
// last one first, and Leave() is called after its subtree. kFirstFirst: breadth-first, in the order
// in which they were seen. Two walks of an unchanged tree are equal.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "foundation/base/fd.h"
#include "foundation/base/relative_path.h"
#include "foundation/base/result.h"
#include "foundation/tree/open.h"

namespace belljar::tree {

struct Bounds {
  std::size_t entries = 10'000;      // files, directories, links and all else
  std::uint64_t bytes = 256U << 20;  // of content
};

// What is left of the bounds; several walks may share one. Walk() consumes entries. Readers of
// content consume bytes, rounded up to multiples of `unit`.
struct Budget {
  explicit Budget(const Bounds& bounds, std::uint64_t each = 1)
      : most(bounds), left(bounds), unit(each) {}

  Result<> TakeBytes(std::uint64_t size);
  Error TooManyEntries() const;

  Bounds most;
  Bounds left;
  std::uint64_t unit;
};

enum class Order { kLastFirst, kFirstFirst };

// Kinds of names, as a bit mask. kOther: sockets, FIFOs, devices and all other kinds.
enum : unsigned { kFile = 1, kDirectory = 2, kLink = 4, kOther = 8, kAnyKind = 15 };
unsigned KindOfMode(mode_t mode);

// What a walk accepts. Everything else is refused.
struct Rules {
  std::string_view holder = "the tree";  // in refusals: "a vault"
  unsigned kinds = kFile | kDirectory;
  Take hard_links = Take::kNo;                    // files that have several names
  Take set_ids = Take::kNo;                       // files that are setuid or setgid
  Take odd_names = Take::kNo;                     // paths that CheckRelativePath() refuses
  std::size_t depth = kMaxPathDepth;              // maximum; names in the root have depth 1
  std::size_t path_bytes = std::size_t{1} << 30;  // of all paths together
  Order order = Order::kLastFirst;
  AccessTime access_time = AccessTime::kSet;  // of directories
  // How a path is shown in refusals and errors.
  std::function<std::string(std::string_view)> shown{};
};

// Rules that accept every name, for a visitor that checks names itself.
Rules TakingEverything(std::string_view holder);

// Checks a status against the rules: kind, set-id bits, number of hard links.
Result<> CheckKind(const Rules& rules, const struct stat& status, std::string_view path);

struct Entry {
  const Fd& dir;            // the directory that holds it
  const std::string& name;  // in it
  const std::string& path;  // from the root of the walk
  struct stat status {};
};

enum class Step {
  kOpen,    // a directory cannot be opened, or is a mount point
  kList,    // the names of a directory cannot be read
  kCount,   // a directory has more names than the budget has left
  kName,    // a path is too deep or has a name that is not accepted
  kLength,  // all paths together are too long
  kStat,    // a name has vanished since it was read, or stat failed
  kKind,    // a kind or property that is not accepted
};

struct Refusal {
  Step step;
  const std::string& path;
  Error error;
};

enum class Next {
  kGoOn,
  kPass,  // skip the content of this directory
  kEnd,   // end the walk without an error
};

class Visitor {
 public:
  Visitor() = default;
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;
  virtual ~Visitor() = default;

  // Called for each accepted name. A directory is visited before its content.
  virtual Result<Next> See(const Entry& entry) = 0;
  // Called before a directory is opened; "" is the root.
  virtual Result<> Approach(const std::string& path);
  // Called after a directory was opened and before any of its names is visited.
  virtual Result<> Enter(const Fd& dir, const std::string& path);
  // Called after everything below the directory was visited; only in the order kLastFirst.
  virtual Result<> Leave(const std::string& path);
  // If it returns kGoOn, the walk skips what was refused; for Step::kCount it visits as many names
  // as the budget has left and then ends.
  virtual Result<Next> Refuse(Refusal refusal);
};

Result<> Walk(const Fd& root, const Rules& rules, Budget& budget, Visitor& visitor);

// A walk that calls `visit` for each name, and ends at the first refusal.
using Visit = std::function<Result<>(const Entry&)>;
Result<> Walk(const Fd& root, const Rules& rules, Budget& budget, const Visit& visit);

}  // namespace belljar::tree
