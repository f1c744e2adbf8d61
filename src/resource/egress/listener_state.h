// State shared by an egress listener and its connections. Used only on the broker's thread, except
// where noted.
#pragma once

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <condition_variable>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "resource/egress/allowance.h"
#include "resource/egress/egress.h"
#include "resource/egress/upstream.h"

namespace belljar::resource::egress {

class ProxyConnection;

// The broker's event loop thread, and a thread pool for blocking work.
struct EgressLoop {
  Egress::Options options;
  TrustedRoots roots;  // destroyed after the connections that use it
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
  asio::thread_pool resolvers{16};
  asio::thread_pool recorder{1};
  std::jthread thread;
};

struct ListenerState : std::enable_shared_from_this<ListenerState> {
  ListenerState(EgressLoop& its_loop, EgressTerms its_terms, OnCalls its_on_calls)
      : loop(its_loop),
        terms(std::move(its_terms)),
        on_calls(std::move(its_on_calls)),
        allowance(terms, Allowance::Clock::now()),
        acceptor(loop.io),
        timer(loop.io),
        room(loop.io, Allowance::Clock::time_point::max()),
        tell_timer(loop.io) {}

  // Queues the record of a completed call for the recorder, which is called a little later: one
  // disk sync per call would cost more than the calls themselves.
  void Tell(Call call);
  void TellSoon();
  // From now on calls the recorder immediately, because a thread waits for the records.
  void TellNow();
  // Closes all open connections, which queues the records of their calls.
  void EndConnections();
  // Reduces the terms to those also in `now`, and closes open connections that are no longer
  // allowed.
  void Narrow(const EgressTerms& now);
  // Keeps a server connection open for the cell's next request to the same place, because most
  // clients open one connection per request. It is kept only briefly, since the address of a name
  // may change.
  void Keep(std::unique_ptr<Upstream> upstream);
  std::unique_ptr<Upstream> TakeKept(const Upstream::Place& place);
  void DropKept(Allowance::Clock::time_point kept_before);

  EgressLoop& loop;
  EgressTerms terms;
  const OnCalls on_calls;
  Allowance allowance;
  asio::ip::tcp::acceptor acceptor;
  asio::steady_timer timer;       // fires to check for connections that take too long
  asio::steady_timer room;        // cancelled when a connection has closed
  asio::steady_timer tell_timer;  // delays the recorder, so that calls are recorded together
  std::size_t awaited = 0;        // number of threads waiting for the records
  std::set<ProxyConnection*> connections;
  struct Kept {
    std::unique_ptr<Upstream> upstream;
    Allowance::Clock::time_point since;
  };
  std::vector<Kept> kept;
  std::size_t lookups = 0;     // name lookups in progress
  std::size_t over_limit = 0;  // calls refused because a limit was reached
  bool revoked = false;
  bool closed = false;

  std::atomic<std::uint64_t> calls{0};  // read by any thread
  std::mutex mutex;                     // guards the members below
  std::condition_variable changed;
  std::size_t open = 0;      // number of open connections
  std::vector<Call> untold;  // calls not yet passed to the recorder
  bool telling = false;      // the recorder is scheduled or running
};

}  // namespace belljar::resource::egress
