// The listeners of a cell's listeners (native::CellListener), made by its init before a guest is
// there.
//
// Egress needs the loopback interface, which a new network namespace has but down; nothing else is
// in it, so what is behind the listener is all that a guest can reach. The tools' socket lies in a
// tiny file system of its own, read-only: a guest can connect to it, and neither remove nor replace
// it.
#pragma once

#include "cell/native/launcher/orders.h"

namespace belljar::cell::native {

// Puts the listeners that order.listeners asks for into `listeners`, in order. False with errno
// when one of them cannot be made.
bool MakeListeners(const AgentOrder& order, int (&listeners)[kMaxListeners], std::uint32_t* made);

}  // namespace belljar::cell::native
