#include "cell/oci/shim/tunnelled_connections.h"

#include <errno.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <utility>

#include "foundation/base/scratch.h"

namespace belljar::cell::oci {
namespace {

// Acknowledges in steps of a quarter window; small transfers need no acknowledgement at all.
constexpr std::size_t kToldAt = kWindow / 4;

Error Unfit(const char* what) { return {Kind::kInvalid, what}; }

// The supervisor's end sends each kind of piece on the channel for the opposite direction.
Channel From(Crossings::End end, Channel word) {
  if (end == Crossings::End::kInside || word == Channel::kOpen) return word;
  if (word == Channel::kDataOut) return Channel::kDataIn;
  return word == Channel::kTakenOut ? Channel::kTakenIn : Channel::kCloseIn;
}

}  // namespace

std::size_t Crossings::Count(CellListener listener) const {
  return static_cast<std::size_t>(std::ranges::count_if(
      all_, [&](const auto& each) { return each.second.listener == listener; }));
}

std::size_t Crossings::Waiting() const {
  std::size_t bytes = 0;
  for (const auto& [number, crossing] : all_) bytes += crossing.waiting.size();
  return bytes;
}

void Crossings::Say(Channel word, std::uint32_t number, std::string_view rest) {
  std::array<char, kNumberBytes + kNumberBytes> payload;
  PutNumber(payload.data(), number);
  std::ranges::copy(rest, payload.begin() + kNumberBytes);
  ways_.send(From(end_, word), {payload.data(), kNumberBytes + rest.size()});
}

void Crossings::Accepted(CellListener listener, Fd socket) {
  const std::uint32_t number = ++last_;
  all_.emplace(number, Crossing(listener, std::move(socket)));
  const char which = static_cast<char>(listener);
  Say(Channel::kOpen, number, {&which, 1});
}

Result<> Crossings::TakeOpen(std::string_view payload) {
  if (payload.size() != kNumberBytes + 1 || NumberAt(payload.data()) != last_ + 1) {
    return Unfit("the container opened a connection without the next number");
  }
  const auto listener = static_cast<std::uint8_t>(payload.back());
  if (listener >= kListenerCount) return Unfit("the container opened a connection to no door");
  if (Count(static_cast<CellListener>(listener)) >= kConnectionsOfListener) {
    return Unfit("the container opened too many connections");
  }
  all_.emplace(++last_, Crossing(static_cast<CellListener>(listener), Fd()));
  return {};
}

// A connection that cannot be made is closed, like one that was refused.
void Crossings::Connect(const std::function<Result<Fd>(CellListener)>& connect) {
  for (auto it = all_.begin(); it != all_.end();) {
    const auto here = it++;
    if (here->second.socket || here->second.sent_close) continue;
    auto made = connect(here->second.listener);
    if (!made) {
      Drop(here);
      continue;
    }
    here->second.socket = *std::move(made);
    WriteSocket(here);
  }
}

Result<> Crossings::Take(Channel channel, std::string_view payload) {
  if (payload.size() < kNumberBytes) return Unfit("a piece of a connection has no number");
  const auto it = all_.find(NumberAt(payload.data()));
  if (it == all_.end() || it->second.came_close) {
    return Unfit("a piece belongs to a connection that is not open");
  }
  payload.remove_prefix(kNumberBytes);
  const End other = end_ == End::kInside ? End::kOutside : End::kInside;
  if (channel == From(other, Channel::kDataOut)) return TakeData(it, payload);
  if (channel == From(other, Channel::kTakenOut)) return TakeTaken(it->second, payload);
  return TakeClose(it);
}

Result<> Crossings::TakeData(It it, std::string_view bytes) {
  Crossing& crossing = it->second;
  if (crossing.came_end) return Unfit("a connection sends after its end");
  if (crossing.waiting.size() + crossing.owed + bytes.size() > kWindow) {
    return Unfit("a connection sends more than it may");
  }
  crossing.came_end = bytes.empty();
  // Data that was in flight when the connection was closed here is dropped.
  if (crossing.sent_close) return {};
  crossing.waiting += bytes;
  WriteSocket(it);
  return {};
}

Result<> Crossings::TakeTaken(Crossing& crossing, std::string_view count) {
  const std::size_t taken = count.size() == kNumberBytes ? NumberAt(count.data()) : 0;
  if (taken == 0 || taken > crossing.unpaid) {
    return Unfit("a connection took more than it was sent");
  }
  crossing.unpaid -= taken;
  return {};
}

Result<> Crossings::TakeClose(It it) {
  Crossing& crossing = it->second;
  crossing.came_end = true;
  crossing.came_close = true;
  if (crossing.sent_close) {
    all_.erase(it);
  } else if (!crossing.socket) {
    Drop(it);
  } else {
    WriteSocket(it);
  }
  return {};
}

void Crossings::WriteSocket(It it) {
  Crossing& crossing = it->second;
  while (crossing.socket && !crossing.waiting.empty()) {
    const ssize_t n = crossing.takes ? ::send(crossing.socket.get(), crossing.waiting.data(),
                                              crossing.waiting.size(), MSG_NOSIGNAL | MSG_DONTWAIT)
                                     : static_cast<ssize_t>(crossing.waiting.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) break;
    // The socket may still have bytes to read, such as an answer sent before the whole request
    // arrived.
    if (n < 0) crossing.takes = false;
    if (n < 0) continue;
    crossing.waiting.erase(0, static_cast<std::size_t>(n));
    crossing.owed += static_cast<std::size_t>(n);
  }
  if (crossing.owed >= kToldAt && !crossing.came_end) {
    std::array<char, kNumberBytes> count;
    PutNumber(count.data(), static_cast<std::uint32_t>(crossing.owed));
    crossing.owed = 0;
    Say(Channel::kTakenOut, it->first, {count.data(), count.size()});
  }
  Settle(it);
}

// Ends the connection, or one way of it, once all received data has been written.
void Crossings::Settle(It it) {
  Crossing& crossing = it->second;
  if (!crossing.socket || !crossing.waiting.empty() || !crossing.came_end) return;
  if (crossing.came_close || crossing.sent_end) return Drop(it);
  if (!std::exchange(crossing.shut, true)) ::shutdown(crossing.socket.get(), SHUT_WR);
}

void Crossings::Drop(It it) {
  Crossing& crossing = it->second;
  crossing.socket.Close();
  crossing.waiting.clear();
  if (!std::exchange(crossing.sent_close, true)) Say(Channel::kCloseOut, it->first, {});
  if (crossing.came_close) all_.erase(it);
}

bool Crossings::Reads(const Crossing& crossing) const {
  return crossing.socket && !crossing.sent_end && !crossing.came_close &&
         crossing.unpaid < kWindow && ways_.room();
}

void Crossings::ReadSocket(It it) {
  // One buffer per thread. The number goes in front, so that the piece is contiguous.
  const std::span<char> piece = ThreadScratch<struct OfCrossings, kMaxPiece>();
  Crossing& crossing = it->second;
  const std::size_t most = std::min(kWindow - crossing.unpaid, piece.size() - kNumberBytes);
  const ssize_t n = ::recv(crossing.socket.get(), piece.data() + kNumberBytes, most, MSG_DONTWAIT);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (n < 0) return Drop(it);
  PutNumber(piece.data(), it->first);
  ways_.send(From(end_, Channel::kDataOut),
             {piece.data(), kNumberBytes + static_cast<std::size_t>(n)});
  crossing.unpaid += static_cast<std::size_t>(n);
  crossing.sent_end = n == 0;
  if (n == 0) Settle(it);
}

void Crossings::Prepare(std::vector<pollfd>& polled) {
  polled_.clear();
  for (const auto& [number, crossing] : all_) {
    const bool reads = Reads(crossing);
    const bool writes = !crossing.waiting.empty();
    // A connection that has been read to its end is still watched for a hang-up. Otherwise a
    // connection with nothing to do is not polled: a hung-up socket that may not be read now would
    // wake poll() again and again.
    if (!crossing.socket || (!reads && !writes && !crossing.sent_end)) continue;
    polled_.push_back(number);
    const int events = (reads ? POLLIN : 0) | (writes ? POLLOUT : 0);
    polled.push_back({crossing.socket.get(), static_cast<short>(events), 0});
  }
}

void Crossings::Serve(std::span<const pollfd> polled) {
  for (std::size_t i = 0; i < polled.size(); ++i) {
    const short seen = polled[i].revents;
    auto it = all_.find(polled_[i]);
    if (seen == 0 || it == all_.end()) continue;
    if ((seen & ~POLLIN) != 0 && !it->second.waiting.empty()) WriteSocket(it);
    it = all_.find(polled_[i]);
    if (it == all_.end()) continue;
    if (Reads(it->second)) {
      ReadSocket(it);
    } else if (it->second.socket && it->second.sent_end && (seen & (POLLHUP | POLLERR)) != 0) {
      Drop(it);
    }
  }
}

}  // namespace belljar::cell::oci
