// Sender: sends webhooks asynchronously, one after the other.
//
// A thread of its own sends them. If its queue is full, a webhook is refused at once. A server that
// does not answer delays the other webhooks by a few seconds, but never a run. Thread-safe.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "foundation/base/result.h"

namespace belljar::service::webhook {

struct Letter {
  std::string address;
  std::string body;
  // Receives the answer's status; called on the sender's thread.
  std::function<void(const Result<unsigned>&)> on_end;
};

class Sender {
 public:
  Sender();
  // Drops webhooks that have not been sent.
  ~Sender();
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

  // Returns false if the queue is full.
  bool Send(Letter letter);

 private:
  void Work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Letter> waiting_;
  bool ending_ = false;
  std::thread thread_;  // last member: the thread uses all members above
};

}  // namespace belljar::service::webhook
