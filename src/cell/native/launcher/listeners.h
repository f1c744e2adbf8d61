// The listening sockets inside a cell (cell::CellListener), made by its init before any guest
// joins.
//
// Egress needs the loopback interface, which exists in a new network namespace but is down. The
// namespace holds nothing else, so a guest can reach only what is behind the listener. The tools'
// socket lies in a tiny read-only file system of its own: a guest can connect to it, but neither
// remove nor replace it.
#pragma once

#include "cell/native/launcher/orders.h"

namespace belljar::cell::native {

// Appends the listeners that order.listeners asks for to `listeners`, in order. False with errno
// when one of them cannot be made.
bool MakeListeners(const AgentOrder& order, int (&listeners)[kMaxListeners], std::uint32_t* made);

}  // namespace belljar::cell::native
