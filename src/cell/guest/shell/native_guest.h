// The native guest: waits on kControlFd for a command, a script or a bash session.
#pragma once

#include "cell/native/launcher/orders.h"

namespace belljar::cell::guest {

// Sends HELLO, receives RUN or SESSION, and executes the program or serves the session.
[[noreturn]] void ServeNativeGuest(const native::Deterministic& deterministic);

}  // namespace belljar::cell::guest
