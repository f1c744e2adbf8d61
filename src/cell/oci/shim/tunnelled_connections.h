// Crossings: the connections through a container's listeners, as one end of its stream carries
// them.
//
// The shim accepts them inside and numbers them; the supervisor makes one for each to the
// listener's listener outside. From then on both ends do the same, and this is the code of both:
// bytes of the socket become pieces, and pieces bytes for the socket.
//
// Of one connection at most kWindow bytes are on the way or waiting: who sends counts, and goes on
// when the other end has told how many it is rid of. So a connection that nobody reads holds its
// own bytes up and nothing else of the stream, and what is kept for a cell is bounded by its count
// of connections. The rejected way, to stop reading the stream when one connection is full, would
// have let a program stop its own control channel, and the supervisor wait for it.
//
// A number is in use until both ends have said that it is closed, so that what was under way when
// one of them did is known for what it is. Everything else that does not fit is an error, which is
// final. On one thread.
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
    std::function<bool()> room;  // whether more may be sent now; words of a few bytes always are
  };
  Crossings(End end, Ways ways) : end_(end), ways_(std::move(ways)) {}

  std::size_t Count(CellListener listener) const;
  std::size_t size() const { return all_.size(); }
  // Bytes that wait for sockets.
  std::size_t Waiting() const;

  // A connection that was accepted. Inside.
  void Accepted(CellListener listener, Fd socket);
  // Takes an "open" of the other end; its socket is made by Connect(). Outside.
  Result<> TakeOpen(std::string_view payload);
  void Connect(const std::function<Result<Fd>(CellListener)>& connect);
  // What the other end says of a connection: data, taken or close.
  Result<> Take(Channel channel, std::string_view payload);

  // Appends what is waited for; Serve() gets the same places.
  void Prepare(std::vector<pollfd>& polled);
  void Serve(std::span<const pollfd> polled);
  // Without a word.
  void CloseAll() { all_.clear(); }

 private:
  struct Crossing {
    Crossing(CellListener its_listener, Fd its_socket)
        : listener(its_listener), socket(std::move(its_socket)) {}
    CellListener listener;
    Fd socket;               // none: it is still to be made, or closed
    std::string waiting{};   // for the socket
    std::size_t unpaid = 0;  // bytes sent that the other end has not taken
    std::size_t owed = 0;    // bytes taken that the other end has not been told of
    bool takes = true;       // the socket does; else what comes for it is dropped
    bool shut = false;       // the socket knows that no more comes
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
  std::vector<std::uint32_t> polled_;  // numbers, in the order of their places
  std::uint32_t last_ = 0;             // number that was given
};

}  // namespace belljar::cell::oci
