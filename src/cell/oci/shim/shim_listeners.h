// ShimListeners: the inner side of a container's listeners: their listeners, and what has
// connected.
//
// Made before the guest is there. The tools' socket lies in a file system of its own, which belongs
// to process 1: a guest that is another user can connect to it, and neither remove nor replace it.
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

  // Appends what is waited for; Serve() gets the same places.
  void Prepare(std::vector<pollfd>& polled);
  void Serve(std::span<const pollfd> polled);
  Result<> Take(Channel channel, std::string_view payload) {
    return crossings_.Take(channel, payload);
  }

 private:
  void Accept(CellListener listener);

  std::array<Fd, kListenerCount> listeners_;
  Crossings crossings_;
  std::size_t most_ = 0;  // that there are descriptors for
};

}  // namespace belljar::cell::oci
