#include "foundation/tree/walk.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <climits>
#include <deque>
#include <optional>
#include <vector>

#include "foundation/base/quote.h"
#include "foundation/base/sys.h"
#include "foundation/tree/path.h"

namespace belljar::tree {
namespace {

std::string ShownBy(const Rules& rules, std::string_view path) {
  return rules.shown ? rules.shown(path) : Quote(path);
}

// "256 MiB", "1 TiB", "1000 bytes".
std::string ShownBytes(std::uint64_t bytes) {
  constexpr std::string_view kUnits[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  std::size_t unit = 0;
  for (; unit + 1 < std::size(kUnits) && bytes > 0 && bytes % 1024 == 0; ++unit) bytes /= 1024;
  return fmt::format("{} {}", bytes, kUnits[unit]);
}

class Walker {
 public:
  Walker(const Fd& root, const Rules& rules, Budget& budget, Visitor& visitor)
      : root_(root), rules_(rules), budget_(budget), visitor_(visitor) {}

  Result<> Run() {
    pending_.push_back({"", 0, At::kBefore});
    while (!pending_.empty() && !ended_) {
      Pending next = TakeNext();
      if (next.at == At::kAfter) {
        BJ_TRY(visitor_.Leave(next.path));
        continue;
      }
      BJ_TRY(Read(next));
    }
    return {};
  }

 private:
  enum class At { kBefore, kAfter };
  struct Pending {
    std::string path;
    std::size_t depth;
    At at;
  };

  Pending TakeNext() {
    const bool last = rules_.order == Order::kLastFirst;
    Pending next = std::move(last ? pending_.back() : pending_.front());
    last ? pending_.pop_back() : pending_.pop_front();
    return next;
  }

  std::string Shown(std::string_view path) const { return ShownBy(rules_, path); }

  // Returns whether the walk goes on without the refused name.
  Result<bool> Refused(Step step, const std::string& path, Error error) {
    const Next next = BJ_TRY(visitor_.Refuse({step, path, std::move(error)}));
    ended_ = ended_ || next == Next::kEnd;
    return !ended_;
  }

  Result<Fd> Open(const std::string& path) {
    auto dir = OpenDirectory(root_, path, O_RDONLY, rules_.access_time);
    if (dir) return dir;
    const int sys = dir.error().sys();
    if (sys != EXDEV) return SysError("open", Shown(path), sys);
    return Invalid("{} is a mount point; {} does not reach into another file system", Shown(path),
                   rules_.holder);
  }

  Result<> Read(const Pending& at) {
    BJ_TRY(visitor_.Approach(at.path));
    const auto dir = Open(at.path);
    if (!dir) {
      BJ_TRY(Refused(Step::kOpen, at.path, dir.error()));
      return {};
    }
    BJ_TRY(visitor_.Enter(*dir, at.path));
    if (rules_.order == Order::kLastFirst) pending_.push_back({at.path, at.depth, At::kAfter});
    auto names = NamesOf(*dir, budget_.left.entries, Shown(at.path));
    if (!names) {
      BJ_TRY(Refused(Step::kList, at.path, names.error()));
      return {};
    }
    const bool more = names->more;
    if (more && !BJ_TRY(Refused(Step::kCount, at.path, budget_.TooManyEntries()))) return {};
    for (const std::string& name : names->names) {
      BJ_TRY(See(*dir, at, name));
      if (ended_) return {};
    }
    ended_ = more;
    return {};
  }

  Result<> See(const Fd& dir, const Pending& at, const std::string& name) {
    const std::string path = Joined(at.path, name);
    --budget_.left.entries;
    path_bytes_ += path.size();
    if (auto refusal = CheckPath(path, at.depth + 1)) {
      BJ_TRY(Refused(refusal->step, path, std::move(refusal->error)));
      return {};
    }
    Entry entry{dir, name, path, {}};
    if (::fstatat(dir.get(), name.c_str(), &entry.status, AT_SYMLINK_NOFOLLOW) != 0) {
      BJ_TRY(Refused(Step::kStat, path, SysError("stat", Shown(path), errno)));
      return {};
    }
    if (const auto kind = CheckKind(rules_, entry.status, path); !kind) {
      BJ_TRY(Refused(Step::kKind, path, kind.error()));
      return {};
    }
    const Next next = BJ_TRY(visitor_.See(entry));
    ended_ = next == Next::kEnd;
    if (S_ISDIR(entry.status.st_mode) && next == Next::kGoOn) {
      pending_.push_back({path, at.depth + 1, At::kBefore});
    }
    return {};
  }

  struct PathRefusal {
    Step step;
    Error error;
  };
  std::optional<PathRefusal> CheckPath(const std::string& path, std::size_t depth) const {
    if (rules_.odd_names == Take::kNo) {
      if (auto fits = CheckRelativePath(path); !fits) {
        return PathRefusal{Step::kName, std::move(fits).error()};
      }
    }
    if (depth > rules_.depth) {
      return PathRefusal{Step::kName,
                         Invalid("{} lies deeper than {} levels", Shown(path), rules_.depth)};
    }
    if (path_bytes_ > rules_.path_bytes) {
      return PathRefusal{
          Step::kLength,
          Error(Kind::kExhausted, fmt::format("the names are longer than {} bytes together, the "
                                              "last is {}",
                                              rules_.path_bytes, Shown(path)))};
    }
    return std::nullopt;
  }

  const Fd& root_;
  const Rules& rules_;
  Budget& budget_;
  Visitor& visitor_;
  std::deque<Pending> pending_;
  std::size_t path_bytes_ = 0;
  bool ended_ = false;
};

class SimpleVisitor : public Visitor {
 public:
  explicit SimpleVisitor(const Visit& visit) : visit_(visit) {}
  Result<Next> See(const Entry& entry) override {
    BJ_TRY(visit_(entry));
    return Next::kGoOn;
  }

 private:
  const Visit& visit_;
};

}  // namespace

Result<> Budget::TakeBytes(std::uint64_t size) {
  // A size beyond the bound is not rounded up, because the sum could overflow.
  const std::uint64_t whole = size > most.bytes ? size : (size + unit - 1) / unit * unit;
  if (whole > left.bytes) {
    return Error(Kind::kExhausted, "there are more than " + ShownBytes(most.bytes));
  }
  left.bytes -= whole;
  return {};
}

Error Budget::TooManyEntries() const {
  return Error(Kind::kExhausted,
               fmt::format("there are more than {} files and directories", most.entries));
}

unsigned KindOfMode(mode_t mode) {
  if (S_ISREG(mode)) return kFile;
  if (S_ISDIR(mode)) return kDirectory;
  return S_ISLNK(mode) ? kLink : kOther;
}

Rules TakingEverything(std::string_view holder) {
  return {.holder = holder,
          .kinds = kAnyKind,
          .hard_links = Take::kYes,
          .set_ids = Take::kYes,
          .odd_names = Take::kYes,
          .depth = PATH_MAX,
          .path_bytes = SIZE_MAX};
}

Result<> CheckKind(const Rules& rules, const struct stat& status, std::string_view path) {
  const unsigned kind = KindOfMode(status.st_mode);
  if ((rules.kinds & kind) == 0) {
    return Invalid(
        "{} is a {}; {} holds {}", ShownBy(rules, path),
        kind == kOther ? "socket, a FIFO or a device" : "link", rules.holder,
        (rules.kinds & kLink) != 0 ? "files, directories and links" : "files and directories");
  }
  if (kind != kFile) return {};
  if (rules.set_ids == Take::kNo && (status.st_mode & (S_ISUID | S_ISGID)) != 0) {
    return Invalid("{} is setuid or setgid: take the bit away first (chmod ug-s)",
                   ShownBy(rules, path));
  }
  if (rules.hard_links == Take::kYes || status.st_nlink == 1) return {};
  return Invalid("{} has {} names; {} holds files of one name", ShownBy(rules, path),
                 status.st_nlink, rules.holder);
}

Result<> Visitor::Approach(const std::string&) { return {}; }
Result<> Visitor::Enter(const Fd&, const std::string&) { return {}; }
Result<> Visitor::Leave(const std::string&) { return {}; }
Result<Next> Visitor::Refuse(Refusal refusal) { return std::move(refusal.error); }

Result<> Walk(const Fd& root, const Rules& rules, Budget& budget, Visitor& visitor) {
  return Walker(root, rules, budget, visitor).Run();
}

Result<> Walk(const Fd& root, const Rules& rules, Budget& budget, const Visit& visit) {
  SimpleVisitor visitor(visit);
  return Walk(root, rules, budget, visitor);
}

}  // namespace belljar::tree
