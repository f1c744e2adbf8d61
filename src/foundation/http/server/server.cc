#include "foundation/http/server/server.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <future>
#include <set>
#include <system_error>
#include <thread>

#include "foundation/base/sys.h"
#include "foundation/http/server/accept.h"
#include "foundation/http/server/connection.h"
#include "foundation/http/server/quiet_thread.h"

namespace belljar::http::server {
struct Server::Impl {
  // One event loop and the connections on it.
  struct Loop {
    asio::io_context io;
    asio::executor_work_guard<asio::io_context::executor_type> busy{io.get_executor()};
    std::set<Connection*> connections;  // used only on the loop's thread
    std::thread thread;
  };

  // A listener and its state on the first loop. `ready` has a duplicate descriptor, because Asio
  // takes ownership of it.
  struct Entrance {
    Entrance(Listener opened, asio::io_context& io)
        : listener(std::move(opened)), ready(io), pause(io) {}
    Listener listener;
    asio::posix::stream_descriptor ready;
    asio::steady_timer pause;
    bool closed = false;
  };

  Impl(const Limits& limits, Gate gate) : shared(limits, std::move(gate)) {}
  ~Impl();

  Result<> Bind(const Options& options);
  Result<> Start();
  void StopAccepting();
  void CloseEntrances();
  void Admit(Accepted accepted, const OwnNames& names);
  asio::awaitable<void> KeepAccepting(Entrance& entrance);
  NoConnection AcceptWaiting(Entrance& entrance);
  asio::awaitable<void> HoldBriefly(Fd socket);
  // Calls `act` for each connection, on the connection's loop.
  void OnEach(void (Connection::*act)());
  void Join();  // call it after every connection was told to end

  Shared shared;
  const OwnNames unix_names;
  std::vector<std::unique_ptr<Loop>> loops;
  std::vector<std::unique_ptr<Entrance>> entrances;
  std::size_t next_loop = 0;  // this and being_held: used on the first loop only
  std::size_t being_held = 0;
  std::atomic<bool> started{false};
};

Server::Impl::~Impl() {
  StopAccepting();
  if (started) OnEach(&Connection::Abort);
  Join();
}

// A loop's thread ends when no operation is pending on it.
void Server::Impl::Join() {
  for (auto& loop : loops) loop->busy.reset();
  shared.workers.Stop();
  for (auto& loop : loops) {
    if (loop->thread.joinable()) loop->thread.join();
  }
}

Result<> Server::Impl::Bind(const Options& options) {
  const std::size_t count = std::max<std::size_t>(1, options.limits.io_threads);
  for (std::size_t i = 0; i < count; ++i) loops.push_back(std::make_unique<Loop>());
  for (const std::string& address : options.listen) {
    Listener listener = BJ_TRY(Listener::Open(address, options.listening));
    const long copy = BJ_TRY(Check(
        "dup", address, [&] { return ::fcntl(listener.socket().get(), F_DUPFD_CLOEXEC, 0); }));
    auto entrance = std::make_unique<Entrance>(std::move(listener), loops.front()->io);
    entrance->ready.assign(static_cast<int>(copy));
    entrances.push_back(std::move(entrance));
  }
  return {};
}

Result<> Server::Impl::Start() {
  for (auto& entrance : entrances) {
    asio::co_spawn(loops.front()->io, KeepAccepting(*entrance), [](const std::exception_ptr&) {});
  }
  try {
    for (auto& loop : loops) loop->thread = QuietThread([&io = loop->io] { io.run(); });
  } catch (const std::system_error&) {
    for (auto& loop : loops) loop->io.stop();
    Join();
    return Error(Kind::kExhausted, "no thread can be made to serve clients");
  }
  started = true;
  return {};
}

void Server::Impl::OnEach(void (Connection::*act)()) {
  for (auto& loop : loops) {
    asio::post(loop->io, [&connections = loop->connections, act] {
      // Connections that end in this call remove themselves from the set.
      std::vector<std::shared_ptr<Connection>> all;
      for (Connection* connection : connections) all.push_back(connection->shared_from_this());
      for (const auto& connection : all) (*connection.*act)();
    });
  }
}

void Server::Impl::StopAccepting() {
  if (shared.stopping.exchange(true)) return;
  if (!started) return CloseEntrances();
  std::promise<void> closed;
  asio::post(loops.front()->io, [&] {
    CloseEntrances();
    closed.set_value();
  });
  closed.get_future().wait();
  OnEach(&Connection::Stop);
}

void Server::Impl::CloseEntrances() {
  for (auto& entrance : entrances) {
    boost::system::error_code ignored;
    entrance->closed = true;
    entrance->ready.close(ignored);
    entrance->pause.cancel();
    entrance->listener.Close();
  }
}

asio::awaitable<void> Server::Impl::KeepAccepting(Entrance& entrance) {
  while (!entrance.closed) {
    co_await entrance.ready.async_wait(asio::posix::stream_descriptor::wait_read,
                                       asio::as_tuple(asio::use_awaitable));
    if (entrance.closed) co_return;
    if (AcceptWaiting(entrance) == NoConnection::kNoneWaiting) continue;
    ++shared.counters.accept_failures;
    entrance.pause.expires_after(shared.limits.accept_pause);
    co_await entrance.pause.async_wait(asio::as_tuple(asio::use_awaitable));
  }
}

NoConnection Server::Impl::AcceptWaiting(Entrance& entrance) {
  constexpr int kAtOnce = 64;  // afterwards the existing connections get their turn
  for (int i = 0; i < kAtOnce; ++i) {
    auto result = AcceptOne(entrance.listener.socket(), entrance.listener.door());
    if (const auto* none = std::get_if<NoConnection>(&result)) return *none;
    Admit(std::get<Accepted>(std::move(result)), entrance.listener.names());
  }
  return NoConnection::kNoneWaiting;
}

// Runs on the first loop. The connections are distributed over the loops round-robin.
void Server::Impl::Admit(Accepted accepted, const OwnNames& names) {
  std::optional<Seat> seat = shared.seats.Take(accepted.peer.CountedAs());
  if (!seat) {
    ++shared.counters.turned_away;
    TurnAway(accepted.socket);
    asio::co_spawn(loops.front()->io, HoldBriefly(std::move(accepted.socket)),
                   [](const std::exception_ptr&) {});
    return;
  }
  ++shared.counters.accepted;
  Loop& loop = *loops[next_loop++ % loops.size()];
  // `coming` counts the connection until its loop has taken it, so that Drain() waits for it.
  asio::post(loop.io, [this, &loop, &names, coming = shared.activity.Begin(),
                       accepted = std::move(accepted), seat = *std::move(seat)]() mutable {
    const int family = accepted.peer.door == Peer::Door::kUnix ? AF_UNIX : AF_INET;
    Connection::Socket socket(loop.io);
    boost::system::error_code failure;
    socket.assign(asio::generic::stream_protocol(family, 0), accepted.socket.get(), failure);
    if (failure) return;  // out of memory: the destructor of `accepted` closes the socket
    static_cast<void>(accepted.socket.Release());
    socket.non_blocking(true, failure);
    const auto connection = std::make_shared<Connection>(
        std::move(socket), std::move(accepted.peer), names, std::move(seat), shared);
    loop.connections.insert(connection.get());
    connection->Start([&loop](Connection& ended) { loop.connections.erase(&ended); });
    if (shared.stopping) connection->Stop();
  });
}

// Gives a client that was refused a moment to read the answer; see Connection::Part.
asio::awaitable<void> Server::Impl::HoldBriefly([[maybe_unused]] Fd socket) {
  constexpr std::size_t kMostHeld = 64;
  if (being_held >= kMostHeld || shared.stopping) co_return;
  ++being_held;
  asio::steady_timer timer(loops.front()->io);
  timer.expires_after(shared.limits.linger);
  co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
  --being_held;
}

Server::Server(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Server::~Server() = default;

Result<std::unique_ptr<Server>> Server::Create(Options options) {
  auto impl = std::make_unique<Impl>(
      options.limits, Gate(std::move(options.router), std::move(options.authenticate)));
  impl->shared.kept_headers = std::move(options.kept_headers);
  impl->shared.on_served = std::move(options.on_served);
  impl->shared.on_fault = std::move(options.on_fault);
  BJ_TRY(impl->Bind(options));
  return std::unique_ptr<Server>(new Server(std::move(impl)));
}

std::vector<std::string> Server::addresses() const {
  std::vector<std::string> all;
  for (const auto& entrance : impl_->entrances) all.push_back(entrance->listener.address());
  return all;
}

Result<> Server::Start() { return impl_->Start(); }
void Server::StopAccepting() { impl_->StopAccepting(); }

Result<> Server::Drain(std::chrono::steady_clock::time_point deadline) {
  impl_->StopAccepting();
  if (impl_->shared.activity.WaitForNone(deadline)) return {};
  const std::size_t left = impl_->shared.activity.going_on();
  impl_->OnEach(&Connection::Abort);
  return Error(Kind::kUnavailable, std::to_string(left) + " connections or requests were cut off");
}

void Server::Serve(Fd socket) {
  asio::post(impl_->loops.front()->io, [impl = impl_.get(), held = std::move(socket)]() mutable {
    Peer peer = UnixPeer(held);
    if (!SetNonBlocking(held)) return;
    impl->Admit({std::move(held), std::move(peer)}, impl->unix_names);
  });
}

Stats Server::stats() const {
  const Shared& shared = impl_->shared;
  const Counters& counters = shared.counters;
  return {counters.accepted,   counters.turned_away, counters.accept_failures, counters.requests,
          counters.queue_full, shared.seats.taken(), shared.workers.waiting(), shared.body_memory};
}

}  // namespace belljar::http::server
