#include "run/snapshot/memory.h"

#include <fcntl.h>
#include <signal.h>

#include <algorithm>
#include <unordered_set>

#include "run/snapshot/beneath.h"

namespace belljar::run::snapshot {
namespace {

bool Before(const timespec& a, const timespec& b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

}  // namespace

const Content* Memory::Find(const struct stat& stat) const {
  const auto found = known_.find(stat.st_ino);
  if (found == known_.end()) return nullptr;
  const struct stat& then = found->second.stat;
  const bool same = tree::SameFile(then, stat) && then.st_atim.tv_sec == stat.st_atim.tv_sec &&
                    then.st_atim.tv_nsec == stat.st_atim.tv_nsec;
  return same ? &found->second.content : nullptr;
}

void Memory::Remember(const struct stat& stat, const Content& content) {
  known_[stat.st_ino] = {stat, content};
}

void Memory::KeepOnly(const std::vector<ino_t>& inodes) {
  const std::unordered_set<ino_t> wanted(inodes.begin(), inodes.end());
  std::erase_if(known_, [&](const auto& each) { return !wanted.contains(each.first); });
}

timespec TickNow() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  return now;
}

bool SettledBefore(const struct stat& stat, const timespec& tick) {
  return Before(stat.st_ctim, tick) && Before(stat.st_atim, tick);
}

bool Armed(const struct stat& stat) {
  return !Before(stat.st_mtim, stat.st_atim) || !Before(stat.st_ctim, stat.st_atim);
}

ReadLease::ReadLease(const Fd& file) : file_(file) {
  // When another process wants to write, the kernel signals the lease holder: SIGURG, which is
  // ignored, instead of SIGIO, which would kill.
  granted_ =
      ::fcntl(file.get(), F_SETSIG, SIGURG) == 0 && ::fcntl(file.get(), F_SETLEASE, F_RDLCK) == 0;
}

ReadLease::~ReadLease() {
  if (granted_) ::fcntl(file_.get(), F_SETLEASE, F_UNLCK);
}

}  // namespace belljar::run::snapshot
