// The frames of the guest protocol: numbers, senders and limits.
//
// The table is frames.toml. make_tables.py writes frames.inc from it when Belljar is built, and the
// same constants for the guests in Python and JavaScript, so that a number is written down once.
//
// Without the C++ library, because the Python guest's native module includes it too.
#pragma once

#include <cstddef>
#include <cstdint>

namespace belljar::cell::guest {

// Who wrote the bytes of a frame.
enum class Sender : unsigned {
  kSupervisor,
  kGuest,
  kSessionGuest,  // one that was sent SESSION or RESTORE
};

constexpr unsigned BitOf(Sender sender) { return 1U << static_cast<unsigned>(sender); }

enum class FrameType : std::uint8_t;

// What is legal in the header of a frame of that type.
struct FrameRule {
  FrameType type;
  unsigned senders;  // BitOf each
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
