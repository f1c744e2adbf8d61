// Slots: a unique number for each cell of a supervisor and, when it runs as root, a host uid for
// each.
#pragma once

#include <unistd.h>

#include <atomic>
#include <cstdint>

namespace belljar::cell {

// Thread-safe. All backends of a process share one: no two of their cells may have the same uid.
class Slots {
 public:
  std::uint32_t NextUid() {
    // Each supervisor has its own range: limits that count by uid must not be shared between them.
    static const std::uint32_t range = static_cast<std::uint32_t>(::getpid()) % kSupervisors;
    return kFirstUid + range * kUids + next_.fetch_add(1) % kUids;
  }
  std::uint32_t last() const { return next_.load(); }

 private:
  static constexpr std::uint32_t kFirstUid = 0x10000000;
  static constexpr std::uint32_t kUids = 1 << 14;  // per supervisor
  static constexpr std::uint32_t kSupervisors = 1 << 16;

  std::atomic<std::uint32_t> next_{0};
};

}  // namespace belljar::cell
