// The loop of a zygote: one order in, one sealed guest out. Shared by the launcher (exec'd
// programs) and by the Python zygote, which differ only in what surrounds the clone.
#pragma once

#include "cell/native/launcher/child.h"

namespace belljar::cell::native {

// What an interpreter wants to do around a fork; any may be null.
struct ForkHooks {
  void (*before)() = nullptr;
  void (*in_parent)() = nullptr;
  void (*in_child)() = nullptr;
};

// Serves orders on `socket`. Returns only in a guest, sealed, with its order in *order; the zygote
// itself ends when the supervisor closes the socket.
void ServeGuests(int socket, const ForkHooks& hooks, GuestOrder* order);

}  // namespace belljar::cell::native
