// The frames of the guest protocol: numbers, senders and limits.
//
// The table is in frames.toml. make_tables.py generates frames.inc from it at build time, and the
// same constants for the guests in Python and JavaScript, so that each number is written down once.
//
// This header does not use the C++ library, because the Python guest's native module includes it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace belljar::cell::guest {

// The sender of a frame.
enum class Sender : unsigned {
  kSupervisor,
  kGuest,
  kSessionGuest,  // a guest that was sent SESSION or RESTORE
};

constexpr unsigned BitOf(Sender sender) { return 1U << static_cast<unsigned>(sender); }

enum class FrameType : std::uint8_t;

// The header rules of one frame type.
struct FrameRule {
  FrameType type;
  unsigned senders;  // a bit for each allowed sender (BitOf)
  std::size_t max_payload;
};

// kProtocolVersion, limits (kMaxRunBytes, ...), the enumerators of FrameType, and kFrameRules.
#include "cell/guest/protocol/frames.inc"

// Null for a type that this sender may not use.
constexpr const FrameRule* RuleFor(Sender sender, std::uint8_t type) {
  for (const FrameRule& rule : kFrameRules) {
    const bool fits = static_cast<std::uint8_t>(rule.type) == type;
    if (fits) return (rule.senders & BitOf(sender)) != 0 ? &rule : nullptr;
  }
  return nullptr;
}

}  // namespace belljar::cell::guest
