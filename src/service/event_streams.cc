#include "service/event_streams.h"

#include <fmt/format.h>

#include <algorithm>

namespace belljar::service {
namespace {

constexpr std::chrono::milliseconds kHeartbeat{5'000};
// How often to check for listeners that have disconnected or have room again.
constexpr std::chrono::milliseconds kLook{250};
constexpr std::chrono::milliseconds kAsk{1'000};

}  // namespace

EventStreams::EventStreams(Events& bus)
    : bus_(bus), thread_([this](const std::stop_token& stop) { Serve(stop); }) {}

Result<> EventStreams::CheckRoom(const std::string& caller) const {
  if (ended_) return Error(Kind::kUnavailable, "the service is about to end");
  const auto of_one = std::ranges::count_if(listeners_, [&](const Listener& listener) {
    return listener.exchange.principal().name == caller;
  });
  if (of_one >= static_cast<std::ptrdiff_t>(kMostOfOne)) {
    return Error(Kind::kExhausted,
                 fmt::format("caller {} listens to events {} times already", caller, of_one));
  }
  if (listeners_.size() >= kMost) {
    return Error(Kind::kExhausted, fmt::format("{} listen to events, and no more may", kMost));
  }
  return {};
}

void EventStreams::Add(http::server::Exchange exchange, http::server::StreamKind kind,
                       MayListen may_listen) {
  const std::lock_guard lock(mutex_);
  const auto room = CheckRoom(exchange.principal().name);
  if (!room) return exchange.Answer(room.error());
  const auto begun = exchange.BeginStream(kind);
  if (!begun) return exchange.Answer(begun.error());
  listeners_.emplace_back(bus_, std::move(exchange), std::move(may_listen));
}

bool EventStreams::MayStay(Listener& listener) {
  if (Steady::now() - listener.asked < kAsk) return true;
  listener.asked = Steady::now();
  const auto may = listener.may_listen(listener.exchange.request());
  if (may) return true;
  const json::object last = {{"event", "ended"}, {"message", may.error().message()}};
  // A listener with a full buffer misses this message and sees only the end of its stream.
  static_cast<void>(listener.exchange.TryWrite(json::serialize(last)));
  listener.exchange.EndStream();
  return false;
}

bool EventStreams::Tell(Listener& listener) {
  if (listener.exchange.is_client_gone() || !MayStay(listener)) return false;
  for (;;) {
    if (!listener.unsent) listener.unsent = listener.heard.Next({});
    if (!listener.unsent && Steady::now() - listener.told >= kHeartbeat) {
      listener.unsent = R"({"event":"beat"})";
    }
    if (!listener.unsent) return true;
    const auto written = listener.exchange.TryWrite(*listener.unsent);
    if (!written) return written.error().kind() == Kind::kExhausted;
    listener.unsent.reset();
    listener.told = Steady::now();
  }
}

void EventStreams::Serve(const std::stop_token& stop) {
  std::uint64_t seen = 0;
  while (!stop.stop_requested()) {
    const bool open = bus_.Await(seen, kLook);
    const std::lock_guard lock(mutex_);
    listeners_.remove_if([](Listener& listener) { return !Tell(listener); });
    if (!open) return EndAll();
  }
}

void EventStreams::EndAll() {
  ended_ = true;
  for (Listener& listener : listeners_) listener.exchange.EndStream();
  listeners_.clear();
}

}  // namespace belljar::service
