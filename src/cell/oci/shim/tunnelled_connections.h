// Crossings: the connections through a container's listeners, multiplexed over the container's
// stream. One object is at each end of the stream.
//
// The shim accepts the connections inside and numbers them. For each of them the supervisor
// connects to the listening socket outside that stands for the listener. From then on both ends
// work alike, and this is the code of both: bytes from the socket become pieces, and pieces become
// bytes for the socket.
//
// Flow control is credit-based. Each way of a connection has at most kWindow bytes in flight or
// waiting: the sender counts them, and continues when the receiver reports how many it has passed
// on. So a connection without a reader holds up its own bytes and nothing else of the stream, and
// the memory for a cell is bounded by its number of connections. The alternative, to stop reading
// the stream when one connection is full, was rejected: a program could then block its own control
// channel, and the supervisor would wait for it.
//
// A number stays in use until both ends have closed it, so that pieces in flight when one end
// closed can be attributed. Any other piece that breaks these rules is an error, and the error is
// final. Not thread-safe.
#pragma once

#include <poll.h>

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cell/listener_places.h"
#include "cell/oci/shim/stream.h"
#include "foundation/base/fd.h"
#include "foundation/base/result.h"

namespace belljar::cell::oci {

class Crossings {
 public:
  enum class End { kInside, kOutside };
  struct Ways {
    std::function<void(Channel, std::string_view)> send;
    // whether more data may be sent now; control pieces of a few bytes may be always
    std::function<bool()> room;
  };
  Crossings(End end, Ways ways) : end_(end), ways_(std::move(ways)) {}

  std::size_t Count(CellListener listener) const;
  std::size_t size() const { return all_.size(); }
  // Bytes that wait to be written to sockets.
  std::size_t Waiting() const;

  // Adds a connection that was accepted. Used inside the container.
  void Accepted(CellListener listener, Fd socket);
  // Takes a kOpen of the other end; Connect() makes its socket later. Used outside.
  Result<> TakeOpen(std::string_view payload);
  void Connect(const std::function<Result<Fd>(CellListener)>& connect);
  // Takes a piece about a connection: data, taken or close.
  Result<> Take(Channel channel, std::string_view payload);

  // Appends the descriptors to poll; Serve() gets the same entries back.
  void Prepare(std::vector<pollfd>& polled);
  void Serve(std::span<const pollfd> polled);
  // Closes all connections without telling the other end.
  void CloseAll() { all_.clear(); }

 private:
  struct Crossing {
    Crossing(CellListener its_listener, Fd its_socket)
        : listener(its_listener), socket(std::move(its_socket)) {}
    CellListener listener;
    Fd socket;               // empty: not connected yet, or closed
    std::string waiting{};   // bytes to be written to the socket
    std::size_t unpaid = 0;  // bytes sent and not yet acknowledged
    std::size_t owed = 0;    // bytes passed on and not yet acknowledged to the other end
    bool takes = true;       // whether the socket accepts data; else incoming data is dropped
    bool shut = false;       // the socket has been shut down for writing
    bool sent_end = false;
    bool sent_close = false;
    bool came_end = false;
    bool came_close = false;
  };
  using All = std::map<std::uint32_t, Crossing>;
  using It = All::iterator;

  bool Reads(const Crossing& crossing) const;
  void Say(Channel word, std::uint32_t number, std::string_view rest);
  void ReadSocket(It it);
  void WriteSocket(It it);
  void Settle(It it);
  void Drop(It it);
  Result<> TakeData(It it, std::string_view bytes);
  Result<> TakeTaken(Crossing& crossing, std::string_view count);
  Result<> TakeClose(It it);

  End end_;
  Ways ways_;
  All all_;
  std::vector<std::uint32_t> polled_;  // connection numbers, in the order of their poll entries
  std::uint32_t last_ = 0;             // the last number that was assigned
};

}  // namespace belljar::cell::oci
