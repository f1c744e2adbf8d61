// Sender: webhooks that are sent beside what goes on, one after the other.
//
// A thread of its own sends them; what it has no room for is refused at once, and an address that
// does not answer costs the others a few seconds and no run anything. Thread-safe.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "base/result.h"

namespace belljar::webhook {

struct Letter {
  std::string address;
  std::string body;
  std::function<void(const Result<unsigned>&)> on_end;  // the answer's status; from the thread
};

class Sender {
 public:
  Sender();
  // Drops what has not been sent.
  ~Sender();
  Sender(const Sender&) = delete;
  Sender& operator=(const Sender&) = delete;

  // False: too many are waiting already.
  bool Send(Letter letter);

 private:
  void Work();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Letter> waiting_;
  bool ending_ = false;
  std::thread thread_;  // the last: it uses all of the above
};

}  // namespace belljar::webhook
