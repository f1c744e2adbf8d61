// The filter of native cells in OCI's words, for runtimes that bring no kernel of their own.
//
// A container is built by its runtime before the filter is there, so one list says what the two
// programs of native/filter_rules.h say together: what building needs is refused, and so are the
// arguments that a guest may not use. A runtime hands the list to libseccomp, in which a rule
// without conditions wins over any that has some; hence a call with forbidden arguments is allowed
// by those that it may have. All 64 bits are compared: junk in an upper half is never allowed.
#pragma once

#include "base/json.h"

namespace belljar::isolate {

enum class GuestMemory {
  kStrict,  // never writable and executable at once
  kJit,     // an interpreter compiles
};

enum class Addresses {
  kRandom,
  kFixed,  // of a run with a seed: process 1 turns randomisation off before it starts the guest
};

struct GuestFilter {
  GuestMemory memory = GuestMemory::kStrict;
  Addresses addresses = Addresses::kRandom;
};

// The value of linux.seccomp in a config.json.
json::object SeccompProfile(const GuestFilter& filter);

}  // namespace belljar::isolate
