// Unread: what a container has printed and nobody has read, when it is stopped to be saved. It lies
// beside what the runtime writes, and comes first in whatever goes on from there.
#pragma once

#include <cstddef>
#include <string>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"

namespace belljar::cell::oci {

struct Unread {
  std::string out;
  std::string err;

  std::size_t size() const { return out.size() + err.size(); }
  bool operator==(const Unread&) const = default;
};

// Twice what waits in the relay and on the way to it when nobody reads: it fits, unless a session
// is saved again and again and never run.
inline constexpr std::size_t kMostUnread = 4 << 20;

Result<> WriteUnread(const Fd& dir, const Unread& unread);
Result<Unread> ReadUnread(const Fd& dir);

}  // namespace belljar::cell::oci
