// Starts threads with all signals blocked: the program's main thread handles signals.
#pragma once

#include <signal.h>

#include <thread>
#include <utility>

namespace belljar::http::server {

// Throws std::system_error if no thread can be made, as std::thread does.
template <class Body>
std::thread QuietThread(Body body) {
  // A new thread inherits the signal mask, so it cannot receive a signal before it blocks them.
  struct Mask {
    Mask() {
      sigset_t all;
      ::sigfillset(&all);
      ::pthread_sigmask(SIG_SETMASK, &all, &before);
    }
    ~Mask() { ::pthread_sigmask(SIG_SETMASK, &before, nullptr); }
    sigset_t before;
  };
  const Mask mask;
  return std::thread(std::move(body));
}

}  // namespace belljar::http::server
