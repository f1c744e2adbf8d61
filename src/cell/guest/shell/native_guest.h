// The native guest: what waits on kControlFd for a command, a script or a bash session.
#pragma once

#include "isolate/native/orders.h"

namespace belljar::isolate {

// Says HELLO, takes RUN or SESSION and becomes what was asked for.
[[noreturn]] void ServeNativeGuest(const Deterministic& deterministic);

}  // namespace belljar::isolate
