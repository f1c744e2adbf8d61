#include "resource/egress/egress.h"

#include <fcntl.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>

#include "foundation/base/sys.h"
#include "resource/egress/listener_state.h"
#include "resource/egress/narrow_terms.h"
#include "resource/egress/proxy_connection.h"

namespace belljar::resource::egress {
namespace {

constexpr std::chrono::milliseconds kTogether{20};
constexpr std::chrono::milliseconds kKeptFor{1000};

// Runs `what` on the broker's thread and waits until it is done.
template <class What>
void OnLoop(EgressLoop& loop, What what) {
  asio::post(loop.io, asio::use_future(std::move(what))).wait();
}

// Waits until the number of connections is below the limit; meanwhile new ones wait in the
// listener's backlog.
asio::awaitable<void> AwaitRoom(ListenerState& listener) {
  while (!listener.closed &&
         listener.connections.size() >= listener.loop.options.limits.connections) {
    ErrorCode ignored;
    co_await listener.room.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
}

asio::awaitable<void> AcceptAll(std::shared_ptr<ListenerState> listener) {
  for (;;) {
    ErrorCode error;
    co_await AwaitRoom(*listener);
    auto client =
        co_await listener->acceptor.async_accept(asio::redirect_error(asio::use_awaitable, error));
    if (listener->closed || error == asio::error::operation_aborted) co_return;
    if (error) {  // for example no descriptors; retried later
      asio::steady_timer pause(listener->loop.io, listener->loop.options.limits.look);
      co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, error));
      continue;
    }
    std::make_shared<ProxyConnection>(listener, std::move(client))->Start();
  }
}

asio::awaitable<void> LookForLate(std::shared_ptr<ListenerState> listener) {
  while (!listener->closed) {
    ErrorCode error;
    listener->timer.expires_after(listener->loop.options.limits.look);
    co_await listener->timer.async_wait(asio::redirect_error(asio::use_awaitable, error));
    const auto now = ProxyConnection::Clock::now();
    listener->DropKept(now - kKeptFor);
    for (ProxyConnection* const connection : std::set(listener->connections)) {
      if (connection->IsLate(now)) connection->Close("timed-out");
    }
  }
}

// Passes the queued records to the recorder.
void Record(const std::shared_ptr<ListenerState>& listener) {
  std::vector<Call> calls;
  {
    const std::lock_guard lock(listener->mutex);
    calls.swap(listener->untold);
  }
  const auto told = listener->on_calls(calls);
  // If calls cannot be recorded, the listener is closed.
  if (!told) {
    asio::post(listener->loop.io, [listener] {
      listener->revoked = true;
      listener->EndConnections();
    });
  }
  {
    const std::lock_guard lock(listener->mutex);
    listener->telling = !listener->untold.empty();
    if (listener->telling) asio::post(listener->loop.io, [listener] { listener->TellSoon(); });
  }
  listener->changed.notify_all();
}

}  // namespace

void ListenerState::Tell(Call call) {
  {
    const std::lock_guard lock(mutex);
    untold.push_back(std::move(call));
    if (std::exchange(telling, true)) return;
  }
  TellSoon();
}

void ListenerState::TellSoon() {
  tell_timer.expires_after(awaited > 0 ? std::chrono::milliseconds(0) : kTogether);
  tell_timer.async_wait([self = shared_from_this()](ErrorCode) {
    asio::post(self->loop.recorder, [self] { Record(self); });
  });
}

void ListenerState::TellNow() {
  ++awaited;
  tell_timer.cancel();
}

void ListenerState::Keep(std::unique_ptr<Upstream> upstream) {
  constexpr std::size_t kMost = 8;
  if (closed || revoked || kept.size() >= kMost) return;
  kept.push_back({std::move(upstream), Allowance::Clock::now()});
}

std::unique_ptr<Upstream> ListenerState::TakeKept(const Upstream::Place& place) {
  DropKept(Allowance::Clock::now() - kKeptFor);
  const auto found =
      std::ranges::find_if(kept, [&](const Kept& each) { return each.upstream->place() == place; });
  if (found == kept.end()) return nullptr;
  auto upstream = std::move(found->upstream);
  kept.erase(found);
  return upstream;
}

void ListenerState::DropKept(Allowance::Clock::time_point kept_before) {
  std::erase_if(kept, [&](const Kept& each) { return each.since < kept_before; });
}

void ListenerState::EndConnections() {
  kept.clear();
  for (ProxyConnection* const connection : std::set(connections)) connection->Close("revoked");
}

void ListenerState::Narrow(const EgressTerms& now) {
  terms = NarrowTerms(std::move(terms), now);
  kept.clear();
  for (ProxyConnection* const connection : std::set(connections)) {
    if (connection->IsBeyondTerms()) connection->Close("revoked");
  }
}

EgressListener::EgressListener(std::shared_ptr<ListenerState> state) : state_(std::move(state)) {}
EgressListener::~EgressListener() { Close(); }

void EgressListener::Revoke() {
  OnLoop(state_->loop, [&] {
    state_->revoked = true;
    state_->EndConnections();
  });
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [&] { return state_->open == 0; });
}

void EgressListener::Narrow(const EgressTerms& now) {
  OnLoop(state_->loop, [&] { state_->Narrow(now); });
}

void EgressListener::Close() {
  OnLoop(state_->loop, [&] {
    state_->closed = true;
    ErrorCode ignored;
    state_->acceptor.close(ignored);
    state_->timer.cancel();
    state_->room.cancel();
    state_->EndConnections();
    state_->TellNow();
  });
  std::unique_lock lock(state_->mutex);
  state_->changed.wait(lock, [&] { return state_->open == 0 && !state_->telling; });
}

void EgressListener::Flush() {
  OnLoop(state_->loop, [&] { state_->TellNow(); });
  {
    std::unique_lock lock(state_->mutex);
    state_->changed.wait(lock, [&] { return !state_->telling; });
  }
  OnLoop(state_->loop, [&] { --state_->awaited; });
}

std::uint64_t EgressListener::calls() const { return state_->calls; }

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

Result<std::unique_ptr<EgressListener>> Egress::Open(const Fd& listener, EgressTerms terms,
                                                     OnCalls on_calls) {
  const long copy = BJ_TRY(Check("copy", "the egress listener",
                                 [&] { return ::fcntl(listener.get(), F_DUPFD_CLOEXEC, 3); }));
  terms.left_out = loop_->options.left_out;
  auto state = std::make_shared<ListenerState>(*loop_, std::move(terms), std::move(on_calls));
  ErrorCode error;
  state->acceptor.assign(asio::ip::tcp::v4(), static_cast<int>(copy), error);
  if (error) return Error(Kind::kInternal, "serve the egress listener: " + error.message());
  asio::co_spawn(loop_->io, AcceptAll(state), asio::detached);
  asio::co_spawn(loop_->io, LookForLate(state), asio::detached);
  return std::make_unique<EgressListener>(std::move(state));
}

}  // namespace belljar::resource::egress
