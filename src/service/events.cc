#include "service/events.h"

namespace belljar::service {

Events::Subscription::Subscription(Events& bus, std::string caller)
    : bus_(bus), caller_(std::move(caller)) {
  const std::lock_guard lock(bus_.mutex_);
  bus_.listeners_.push_back(this);
}

Events::Subscription::~Subscription() {
  const std::lock_guard lock(bus_.mutex_);
  bus_.listeners_.remove(this);
}

std::optional<std::string> Events::Subscription::Next(std::chrono::milliseconds patience) {
  std::unique_lock lock(bus_.mutex_);
  bus_.came_.wait_for(lock, patience, [&] { return !waiting_.empty() || bus_.closed_; });
  if (waiting_.empty()) return std::nullopt;
  if (lost_ > 0) {
    return json::serialize(json::object{{"event", "lost"}, {"count", std::exchange(lost_, 0)}});
  }
  std::string next = std::move(waiting_.front());
  waiting_.pop_front();
  return next;
}

void Events::Publish(const std::string& caller, std::string_view event, json::object object) {
  const std::lock_guard lock(mutex_);
  if (listeners_.empty()) return;
  object["event"] = event;
  const std::string text = json::serialize(object);
  for (Subscription* const listener : listeners_) {
    if (listener->caller_ != caller) continue;
    if (listener->waiting_.size() >= kMostWaiting) {
      ++listener->lost_;
    } else {
      listener->waiting_.push_back(text);
    }
  }
  ++published_;
  came_.notify_all();
}

bool Events::Await(std::uint64_t& seen, std::chrono::milliseconds patience) {
  std::unique_lock lock(mutex_);
  came_.wait_for(lock, patience, [&] { return published_ != seen || closed_; });
  seen = published_;
  return !closed_;
}

void Events::Close() {
  const std::lock_guard lock(mutex_);
  closed_ = true;
  came_.notify_all();
}

}  // namespace belljar::service
