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

// Receives one fixed-size message with at most kMaxOrderFds descriptors. Ends the process at end
// of file: the supervisor has gone. Returns the number of descriptors, or -1 for a malformed one.
int ReceiveOrder(int socket, void* message, std::size_t size, int* fds);

// Answers an order, with one descriptor unless `fd` is negative.
bool Answer(int socket, const StartReport& report, int fd);
// The same for any report of one size.
bool AnswerBytes(int socket, const void* report, std::size_t size, int fd);

}  // namespace belljar::cell::native
