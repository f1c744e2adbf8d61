// The outer side of a container's listener: a listener that only this process can connect to.
//
// The broker tells cells apart by the listener that somebody has come to, so nobody but the relay
// may come to it: no other process of the host, whoever it belongs to. A name, in a directory or in
// the abstract, would be there for all that may look. This one had a name for a moment, in a
// directory of our own, and began to listen when it had none any more. What is left is a descriptor
// of the socket's inode, and connections are made by that.
#pragma once

#include "foundation/base/fd.h"
#include "foundation/base/result.h"

namespace belljar::cell::oci {

struct HiddenListener {
  Fd listener;  // does not block
  Fd way;       // to it
};
Result<HiddenListener> HideListener();

// A connection, which does not block. Fails when too many wait to be accepted.
Result<Fd> ConnectBy(const Fd& way);

}  // namespace belljar::cell::oci
