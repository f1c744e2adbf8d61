// The native guest: what waits on kControlFd for a command, a script or a bash session.
#pragma once

#include "cell/native/launcher/orders.h"

namespace belljar::cell::guest {

// Says HELLO, takes RUN or SESSION and becomes what was asked for.
[[noreturn]] void ServeNativeGuest(const native::Deterministic& deterministic);

}  // namespace belljar::cell::guest
