// The messages between the supervisor and the binder. As in orders.h, they are structs of one build
// on a SOCK_SEQPACKET pair that no guest ever holds.
#pragma once

#include <cstdint>

namespace belljar::cell::native {

// The first message: the ids that the binder maps to root. Answer: StepReport.
struct BinderStart {
  std::uint32_t outer_uid;
  std::uint32_t outer_gid;
};

// Asks for a view of the file or directory at `path`, provided it is still the inode given here.
// The supervisor keeps that inode open, so its number cannot be reused. Answer: BindReport, with
// the view.
struct BindOrder {
  std::uint64_t device;
  std::uint64_t inode;
  std::uint64_t attributes;  // of the view: MOUNT_ATTR_…
  char path[4096];
};

struct BindReport {
  std::int32_t sys = 0;  // errno, or 0
};

}  // namespace belljar::cell::native
