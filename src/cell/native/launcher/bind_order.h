// What the supervisor and the binder say to each other; as in orders.h, structs of one build on a
// SOCK_SEQPACKET pair that no guest ever holds.
#pragma once

#include <cstdint>

namespace belljar::cell::native {

// The first message: who the binder is to be. Answer: StepReport.
struct BinderStart {
  std::uint32_t outer_uid;
  std::uint32_t outer_gid;
};

// A view of what `path` leads to, if that is the inode that the supervisor has looked at and keeps
// open: so its number cannot be another one's. Answer: BindReport, with the view.
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
