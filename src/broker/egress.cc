#include "broker/egress.h"

#include <fcntl.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include "base/sys.h"
#include "broker/door_state.h"
#include "broker/proxy_connection.h"

namespace belljar::broker {
namespace {

// Runs `what` on the broker's thread and waits for it.
template <class What>
void OnLoop(EgressLoop& loop, What what) {
  asio::post(loop.io, asio::use_future(std::move(what))).wait();
}

asio::awaitable<void> AcceptAll(std::shared_ptr<DoorState> door) {
  for (;;) {
    ErrorCode error;
    auto client =
        co_await door->acceptor.async_accept(asio::redirect_error(asio::use_awaitable, error));
    if (door->closed || error == asio::error::operation_aborted) co_return;
    if (error) {  // no descriptors, say: later there may be
      asio::steady_timer pause(door->loop.io, door->loop.options.limits.look);
      co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, error));
      continue;
    }
    // One too many is not answered: it would take a place to do so.
    if (door->connections.size() >= door->loop.options.limits.connections) continue;
    std::make_shared<ProxyConnection>(door, std::move(client))->Start();
  }
}

asio::awaitable<void> LookForLate(std::shared_ptr<DoorState> door) {
  while (!door->closed) {
    ErrorCode error;
    door->timer.expires_after(door->loop.options.limits.look);
    co_await door->timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
    const auto now = ProxyConnection::Clock::now();
    for (ProxyConnection* const connection : std::set(door->connections)) {
      if (connection->IsLate(now)) connection->Close("timed-out");
    }
  }
}

void Record(const std::shared_ptr<DoorState>& door, const Call& call) {
  const auto told = door->on_call(call);
  {
    const std::lock_guard lock(door->mutex);
    --door->untold;
  }
  door->changed.notify_all();
  if (told) return;
  // What cannot be recorded must not go on.
  asio::post(door->loop.io, [door] {
    door->revoked = true;
    door->EndConnections();
  });
}

}  // namespace

void DoorState::Tell(Call call) {
  {
    const std::lock_guard lock(mutex);
    ++untold;
  }
  asio::post(loop.recorder,
             [self = shared_from_this(), call = std::move(call)] { Record(self, call); });
}

void DoorState::EndConnections() {
  for (ProxyConnection* const connection : std::set(connections)) connection->Close("revoked");
}

EgressDoor::EgressDoor(std::shared_ptr<DoorState> state) : state_(std::move(state)) {}
EgressDoor::~EgressDoor() { Close(); }

void EgressDoor::Revoke() {
  OnLoop(state_->loop, [&] {
    state_->revoked = true;
    state_->EndConnections();
  });
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [&] { return state_->open == 0; });
}

void EgressDoor::Close() {
  OnLoop(state_->loop, [&] {
    state_->closed = true;
    ErrorCode ignored;
    state_->acceptor.close(ignored);
    state_->timer.cancel();
    state_->EndConnections();
  });
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [&] { return state_->open == 0 && state_->untold == 0; });
}

void EgressDoor::Flush() {
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [&] { return state_->untold == 0; });
}

std::uint64_t EgressDoor::calls() const { return state_->calls; }

Egress::Egress(std::unique_ptr<EgressLoop> loop) : loop_(std::move(loop)) {}

Egress::~Egress() {
  loop_->work.reset();
  loop_->io.stop();
  loop_->thread.join();
  loop_->resolvers.join();
  loop_->recorder.join();
}

Result<std::unique_ptr<Egress>> Egress::Create(Options options) {
  auto loop = std::make_unique<EgressLoop>();
  loop->options = std::move(options);
  loop->thread = std::jthread([&io = loop->io] { io.run(); });
  return std::unique_ptr<Egress>(new Egress(std::move(loop)));
}

Result<std::unique_ptr<EgressDoor>> Egress::Open(const Fd& listener, EgressTerms terms,
                                                 OnCall on_call) {
  const long copy = BJ_TRY(Check("copy", "the egress listener",
                                 [&] { return ::fcntl(listener.get(), F_DUPFD_CLOEXEC, 3); }));
  auto state = std::make_shared<DoorState>(*loop_, std::move(terms), std::move(on_call));
  ErrorCode error;
  state->acceptor.assign(asio::ip::tcp::v4(), static_cast<int>(copy), error);
  if (error) return Error(Kind::kInternal, "serve the egress listener: " + error.message());
  asio::co_spawn(loop_->io, AcceptAll(state), asio::detached);
  asio::co_spawn(loop_->io, LookForLate(state), asio::detached);
  return std::make_unique<EgressDoor>(std::move(state));
}

}  // namespace belljar::broker
