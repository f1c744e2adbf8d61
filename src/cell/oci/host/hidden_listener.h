// The outer side of a container's listener: a listening socket that only this process can connect
// to.
//
// The broker tells cells apart by the listener on which a connection arrives, so only the relay may
// connect to it, and no other process of the host, of any user. A name in a directory or in the
// abstract namespace would be visible to other processes. This socket had a name only for a moment,
// in a private directory, and began to listen when the name was gone. A descriptor of the socket's
// inode remains, and connections are made through it.
#pragma once

#include "foundation/base/fd.h"
#include "foundation/base/result.h"

namespace belljar::cell::oci {

struct HiddenListener {
  Fd listener;  // does not block
  Fd way;       // O_PATH descriptor of the listener's inode
};
Result<HiddenListener> HideListener();

// Makes a non-blocking connection. Fails when too many wait to be accepted.
Result<Fd> ConnectBy(const Fd& way);

}  // namespace belljar::cell::oci
