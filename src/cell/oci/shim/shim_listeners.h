// ShimListeners: the inner side of a container's listeners: the listening sockets and the
// connections accepted on them.
//
// The sockets are made before the guest starts. The tools' socket lies in a file system of its own,
// which belongs to process 1: a guest that runs as another user can connect to it, but neither
// remove nor replace it.
#pragma once

#include <poll.h>

#include <array>
#include <span>
#include <string_view>
#include <vector>

#include "cell/oci/shim/tunnelled_connections.h"

namespace belljar::cell::oci {

class ShimListeners {
 public:
  explicit ShimListeners(Crossings::Ways ways)
      : crossings_(Crossings::End::kInside, std::move(ways)) {}

  // Makes the listeners that `word` names (kListenerLetters). False with errno.
  bool Make(std::string_view word);

  // Appends the descriptors to poll; Serve() gets the same entries back.
  void Prepare(std::vector<pollfd>& polled);
  void Serve(std::span<const pollfd> polled);
  Result<> Take(Channel channel, std::string_view payload) {
    return crossings_.Take(channel, payload);
  }

 private:
  void Accept(CellListener listener);

  std::array<Fd, kListenerCount> listeners_;
  Crossings crossings_;
  std::size_t most_ = 0;  // limit on connections, from the number of free descriptors
};

}  // namespace belljar::cell::oci
