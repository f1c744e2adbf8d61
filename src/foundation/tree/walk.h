// Walk: every name below a directory, reached by descriptors. The only walker of hostile trees.
//
// The names of the tree were chosen by a program that may still be changing it, or by a caller. So
// nothing is opened by path from outside, no link is followed, no mount point is crossed (each
// directory is opened from the root's descriptor, by OpenBeneath), and number, depth, spelling and
// length of the names are bounded. At any time at most one directory is open, and what is still to
// be read is kept as paths, so that neither descriptors nor the stack run out.
//
// A name that the rules do not take is refused, and a refusal ends the walk with a sentence that
// names the place, so that a tree is carried whole or not at all. A visitor that lists what it can,
// and says that it is not everything, may go on instead.
//
// Order: the names of a directory in the order of their bytes, all of them before any directory
// among them is entered. Then the last of these directories is the first to be entered, each with
// all that is below it (kLastFirst, after which Leave() is called); or directories are entered in
// the order in which they were seen (kFirstFirst). A walk of an unchanged tree is always the same.
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

// The rest of the bounds; several walks may share one. Walk() takes entries, and a reader of
// content takes bytes, in whole units of `unit` each time.
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

// Kinds of names, to be added up. Sockets, FIFOs, devices and whatever else there may be are
// kOther.
enum : unsigned { kFile = 1, kDirectory = 2, kLink = 4, kOther = 8, kAnyKind = 15 };
unsigned KindOfMode(mode_t mode);

// What a walk takes. What is not said here is refused.
struct Rules {
  std::string_view holder = "the tree";  // in refusals: "a vault"
  unsigned kinds = kFile | kDirectory;
  Take hard_links = Take::kNo;                    // files that have other names
  Take set_ids = Take::kNo;                       // files that are setuid or setgid
  Take odd_names = Take::kNo;                     // paths that CheckRelativePath() refuses
  std::size_t depth = kMaxPathDepth;              // of the deepest name; at the root it is 1
  std::size_t path_bytes = std::size_t{1} << 30;  // of all paths together
  Order order = Order::kLastFirst;
  AccessTime access_time = AccessTime::kSet;  // of directories
  // How a path is shown in refusals and errors.
  std::function<std::string(std::string_view)> shown{};
};

// Rules that take every name, for a visitor that judges them itself.
Rules TakingEverything(std::string_view holder);

// Whether the rules take what has this status: its kind, its set-id bits, its other names.
Result<> CheckKind(const Rules& rules, const struct stat& status, std::string_view path);

struct Entry {
  const Fd& dir;            // that holds it
  const std::string& name;  // in it
  const std::string& path;  // from the root of the walk
  struct stat status {};
};

enum class Step {
  kOpen,    // a directory cannot be opened, or is a mount point
  kList,    // its names cannot be read
  kCount,   // it has more names than are left of the budget
  kName,    // a path is too deep, or not to be taken
  kLength,  // the paths are too long, all together
  kStat,    // a name that is gone since it was read, or cannot be looked at
  kKind,    // of a kind, or with a property, that is not taken
};

struct Refusal {
  Step step;
  const std::string& path;
  Error error;
};

enum class Next {
  kGoOn,
  kPass,  // leave out what is below this one
  kEnd,   // the walk, without an error
};

class Visitor {
 public:
  Visitor() = default;
  Visitor(const Visitor&) = delete;
  Visitor& operator=(const Visitor&) = delete;
  virtual ~Visitor() = default;

  // Each name that is taken. A directory is seen before what is in it.
  virtual Result<Next> See(const Entry& entry) = 0;
  // A directory that will be opened; "" is the root.
  virtual Result<> Approach(const std::string& path);
  // It is open, and nothing in it has been seen yet.
  virtual Result<> Enter(const Fd& dir, const std::string& path);
  // Everything below it has been seen. In the order kLastFirst only.
  virtual Result<> Leave(const std::string& path);
  // After kGoOn the walk leaves out what was refused; after that of kCount it sees as many names as
  // are left, and ends.
  virtual Result<Next> Refuse(Refusal refusal);
};

Result<> Walk(const Fd& root, const Rules& rules, Budget& budget, Visitor& visitor);

// A walk that calls `visit` for each name, and ends at the first refusal.
using Visit = std::function<Result<>(const Entry&)>;
Result<> Walk(const Fd& root, const Rules& rules, Budget& budget, const Visit& visit);

}  // namespace belljar::tree
