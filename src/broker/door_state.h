// What the doors of the broker share with their connections. Of the broker's thread, but for what
// is said to be otherwise.
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

#include "broker/allowance.h"
#include "broker/egress.h"
#include "broker/upstream.h"

namespace belljar::broker {

class ProxyConnection;

// The one thread, and those that may block.
struct EgressLoop {
  Egress::Options options;
  TrustedRoots roots;  // before what connects by them
  asio::io_context io{1};
  asio::executor_work_guard<asio::io_context::executor_type> work{io.get_executor()};
  asio::thread_pool resolvers{16};
  asio::thread_pool recorder{1};
  std::jthread thread;
};

struct DoorState : std::enable_shared_from_this<DoorState> {
  DoorState(EgressLoop& its_loop, EgressTerms its_terms, OnCalls its_on_calls)
      : loop(its_loop),
        terms(std::move(its_terms)),
        on_calls(std::move(its_on_calls)),
        allowance(terms, Allowance::Clock::now()),
        acceptor(loop.io),
        timer(loop.io),
        room(loop.io, Allowance::Clock::time_point::max()),
        tell_timer(loop.io) {}

  // Hands the end of a call to the recorder, soon: a turn of the disk for each would cost more than
  // the calls themselves.
  void Tell(Call call);
  void TellSoon();
  // The same at once, from now on, because somebody waits for it.
  void TellNow();
  // Ends the connections that are open; those that are gone have told their calls.
  void EndConnections();
  // Takes away what `now` has not, from those that are open, too.
  void Narrow(const EgressTerms& now);
  // Keeps a connection to a server for the next request of this cell to the same place: most
  // clients make one for each. Not for long: what a name is may change.
  void Keep(std::unique_ptr<Upstream> upstream);
  std::unique_ptr<Upstream> TakeKept(const Upstream::Place& place);
  void DropKept(Allowance::Clock::time_point kept_before);

  EgressLoop& loop;
  EgressTerms terms;
  const OnCalls on_calls;
  Allowance allowance;
  asio::ip::tcp::acceptor acceptor;
  asio::steady_timer timer;       // looks for what takes too long
  asio::steady_timer room;        // cancelled when a connection has gone
  asio::steady_timer tell_timer;  // lets calls come together
  std::size_t awaited = 0;        // by how many the records are waited for
  std::set<ProxyConnection*> connections;
  struct Kept {
    std::unique_ptr<Upstream> upstream;
    Allowance::Clock::time_point since;
  };
  std::vector<Kept> kept;
  std::size_t lookups = 0;     // of names, now
  std::size_t over_limit = 0;  // calls refused because a limit was reached
  bool revoked = false;
  bool closed = false;

  std::atomic<std::uint64_t> calls{0};  // any thread
  std::mutex mutex;                     // guards what follows
  std::condition_variable changed;
  std::size_t open = 0;      // connections
  std::vector<Call> untold;  // calls that the recorder has not begun with
  bool telling = false;      // it has been sent for, or is at it
};

}  // namespace belljar::broker
