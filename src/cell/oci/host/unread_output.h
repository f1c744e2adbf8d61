// Unread: output that a container has printed and that has not been read when it is stopped to be
// saved. It is stored beside the files that the runtime writes. Each container restored from them
// prints it first.
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

// Twice the amount that can wait in the relay and on the way to it. It is enough unless a session
// is saved again and again and never run.
inline constexpr std::size_t kMostUnread = 4 << 20;

Result<> WriteUnread(const Fd& dir, const Unread& unread);
Result<Unread> ReadUnread(const Fd& dir);

}  // namespace belljar::cell::oci
