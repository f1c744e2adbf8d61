#include "run/snapshot/plan.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

namespace belljar::run::snapshot {
namespace {

class Planner {
 public:
  Planner(const std::vector<Entry>& wanted, const std::vector<Found>& there)
      : wanted_(wanted), there_(there) {
    for (const Found& found : there) by_path_.emplace(found.entry.path, &found);
  }

  Plan Make() {
    Plan plan;
    std::unordered_set<const Found*> staying;
    for (const Entry& entry : wanted_) {
      const auto found = by_path_.find(entry.path);
      const bool stays = found != by_path_.end() && Stays(entry, *found->second);
      plan.stays.push_back(stays ? found->second : nullptr);
      if (stays) staying.insert(found->second);
    }
    for (const Found& found : there_) {
      if (!staying.contains(&found)) plan.goes.push_back(&found);
    }
    std::ranges::reverse(plan.goes);  // the content of a directory is removed before the directory
    return plan;
  }

 private:
  bool Stays(const Entry& entry, const Found& found) {
    switch (entry.type) {
      case Type::kDirectory:
        return S_ISDIR(found.stat.st_mode);
      case Type::kFile:
        return S_ISREG(found.stat.st_mode) && Claim(entry, found);
      case Type::kSymlink:
        return found.entry.type == Type::kSymlink && found.entry.target == entry.target &&
               Claim(entry, found);
      case Type::kLink: {
        const auto first = holders_.find(entry.target);
        return first != holders_.end() && first->second == found.stat.st_ino;
      }
      case Type::kOther:
        break;
    }
    return false;
  }

  // An inode is used for one wanted file only: names that the guest has hard-linked are separated.
  bool Claim(const Entry& entry, const Found& found) {
    if (!claimed_.insert(found.stat.st_ino).second) return false;
    holders_.emplace(entry.path, found.stat.st_ino);
    return true;
  }

  const std::vector<Entry>& wanted_;
  const std::vector<Found>& there_;
  std::unordered_map<std::string_view, const Found*> by_path_;
  std::unordered_set<ino_t> claimed_;
  std::unordered_map<std::string_view, ino_t> holders_;  // by the first name of a wanted file
};

}  // namespace

Plan MakePlan(const std::vector<Entry>& wanted, const std::vector<Found>& there) {
  return Planner(wanted, there).Make();
}

}  // namespace belljar::run::snapshot
