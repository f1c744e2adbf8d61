// The loop of a zygote: for each order it clones and seals one guest. Shared by the launcher
// (exec'd programs) and the Python zygote, which differ only in what they do around the clone.
#pragma once

#include "cell/native/launcher/child.h"

namespace belljar::cell::native {

// Callbacks of an interpreter around a fork; any of them may be null.
struct ForkHooks {
  void (*before)() = nullptr;
  void (*in_parent)() = nullptr;
  void (*in_child)() = nullptr;
};

// Serves orders on `socket`. Returns only in a cloned guest, which is sealed, with its order in
// *order; the zygote itself exits when the supervisor closes the socket.
void ServeGuests(int socket, const ForkHooks& hooks, GuestOrder* order);

}  // namespace belljar::cell::native
