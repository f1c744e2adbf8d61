#include "resource/egress/proxy_connection.h"

#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>

#include "foundation/http/server/head_text.h"

namespace belljar::resource::egress {
namespace {

constexpr std::size_t kReadBytes = 16 << 10;
constexpr std::size_t kLookupsAtOnce = 4;  // per cell
constexpr std::chrono::milliseconds kLookupPause{2};

Refusal Revoked() { return {403, "blocked-by-policy", "the network of this cell was taken away"}; }

Refusal MalformedRequest(unsigned status, std::string sentence) {
  return {status, "malformed-request", std::move(sentence)};
}

Refusal Unreachable(std::string sentence) { return {502, "unreachable", std::move(sentence)}; }

std::string RefusalText(const Refusal& refusal) {
  const std::string body = refusal.sentence + "\n";
  return fmt::format(
      "HTTP/1.1 {} {}\r\nx-proxy-error: {}\r\nContent-Type: text/plain; charset=utf-8\r\n"
      "Content-Length: {}\r\nConnection: close\r\n\r\n{}",
      refusal.status, http::server::ReasonPhrase(refusal.status), refusal.error, body.size(), body);
}

// Runs the blocking lookup on the thread pool.
asio::awaitable<std::vector<request::Address>> ResolveThere(Resolve resolve, std::string host) {
  co_return resolve(host);
}

}  // namespace

ProxyConnection::ProxyConnection(std::shared_ptr<ListenerState> listener,
                                 asio::ip::tcp::socket client)
    : listener_(std::move(listener)), client_(std::move(client)) {
  ErrorCode ignored;
  client_.set_option(asio::ip::tcp::no_delay(true), ignored);
  listener_->connections.insert(this);
  const std::lock_guard lock(listener_->mutex);
  ++listener_->open;
}

ProxyConnection::~ProxyConnection() { Leave(); }

// Unregisters the connection at once, even if a slow name lookup still keeps the object alive.
void ProxyConnection::Leave() {
  EndCall();
  if (std::exchange(left_, true)) return;
  listener_->connections.erase(this);
  listener_->room.cancel();
  {
    const std::lock_guard lock(listener_->mutex);
    --listener_->open;
  }
  listener_->changed.notify_all();
}

bool ProxyConnection::IsBeyondTerms() const {
  if (call_.host.empty()) return false;
  const ProxyRequest last{ProxyRequest::Kind::kForward, call_.method, call_.host, call_.port, ""};
  if (RefuseAsked(last, listener_->terms)) return true;
  // Later requests on this connection are not resolved again, so their address is checked here; a
  // tunnel carries no further requests.
  const auto address = upstream_ ? request::Address::Parse(upstream_->address()) : std::nullopt;
  return address && RefuseAddress(last, *address, listener_->terms);
}

void ProxyConnection::Start() {
  // An exception here means that memory ran out: only this connection is closed.
  asio::co_spawn(client_.get_executor(), Serve(),
                 [self = shared_from_this()](const std::exception_ptr&) { self->Close(""); });
}

void ProxyConnection::Close(std::string_view why) {
  if (call_.refusal.empty()) call_.refusal = why;
  ErrorCode ignored;
  client_.close(ignored);
  if (upstream_) upstream_->Close();
  Leave();
}

asio::awaitable<void> ProxyConnection::Serve() {
  Next next = Next::kRequest;
  while (next == Next::kRequest) {
    rests_ = false;
    next = co_await ServeOne();
    EndCall();
  }
  if (rests_ && upstream_) listener_->Keep(std::move(upstream_));
}

asio::awaitable<ProxyConnection::Next> ProxyConnection::ServeOne() {
  const std::optional<std::size_t> head = co_await AwaitHead();
  if (!head) co_return Next::kEnd;
  BeginCall();
  // Counted before any check: refused requests count too, so that they are limited as well.
  if (const auto refusal = listener_->allowance.TakeCall(Clock::now())) {
    ++listener_->over_limit;
    co_return co_await Refuse(*refusal);
  }
  Refusal why = MalformedRequest(431, "the request's head is too long");
  if (*head == 0) co_return co_await Refuse(why);
  http::server::RequestReader reader(http::server::HeadLimits{}, http::server::Targets::kAsSent);
  const auto refused = reader.ReadHead(std::string_view(in_).substr(0, *head));
  in_.erase(0, *head);
  call_.method = reader.request().method.substr(0, 32);
  if (refused) why = RefusalOf(*refused);
  if (refused) co_return co_await Refuse(why);
  const auto asked = ReadAsked(reader.request(), reader.target());
  if (!asked) why = MalformedRequest(400, asked.error().message());
  if (!asked) co_return co_await Refuse(why);
  call_.host = asked->host;
  call_.port = asked->port;
  co_return co_await ServeAsked(*asked, reader);
}

asio::awaitable<ProxyConnection::Next> ProxyConnection::ServeAsked(
    const ProxyRequest& asked, http::server::RequestReader& reader) {
  const Refusal revoked = Revoked();
  if (listener_->revoked) co_return co_await Refuse(revoked);
  if (const auto refusal = RefuseAsked(asked, listener_->terms)) {
    co_return co_await Refuse(*refusal);
  }
  // A kept connection may have been closed by the server meanwhile, so it is used only for requests
  // that can be sent again.
  if (!upstream_ && !reader.has_body() && IsRepeatable(asked))
    upstream_ = listener_->TakeKept(PlaceOf(asked));
  const auto unreached = co_await Reach(asked);
  if (unreached) co_return co_await Refuse(*unreached);
  Allow(listener_->loop.options.limits.quiet_time);
  if (asked.kind == ProxyRequest::Kind::kTunnel) co_return co_await Tunnel(asked);
  co_return co_await Forward(asked, reader);
}

// The length of the request head; 0 if it is too long; nullopt if the guest has closed the
// connection.
asio::awaitable<std::optional<std::size_t>> ProxyConnection::AwaitHead() {
  const EgressLimits& limits = listener_->loop.options.limits;
  constexpr http::server::HeadLimits kHead;
  Allow(in_.empty() && upstream_ ? limits.quiet_time : limits.head_time);
  std::size_t searched = 0;
  for (;;) {
    if (const auto end = http::server::FindHeadEnd(in_, searched)) {
      co_return *end > kHead.head_bytes ? 0 : *end;
    }
    // A lone line feed makes the head invalid: it is refused now, not after the timeout.
    if (const auto lone = http::server::FindLoneLineFeed(in_, searched)) co_return lone;
    if (in_.size() > kHead.head_bytes) co_return std::size_t{0};
    searched = in_.size();
    const std::size_t read = co_await ReadClient();
    if (read == 0) co_return std::nullopt;
    // The time limit for a head starts with its first byte.
    if (searched == 0) Allow(limits.head_time);
  }
}

asio::awaitable<ProxyConnection::Next> ProxyConnection::Refuse(const Refusal& refusal) {
  call_.refusal = refusal.error;
  call_.status = refusal.status;
  Allow(listener_->loop.options.limits.head_time);
  const std::string text = RefusalText(refusal);
  co_await WriteClient(text);
  co_await LetGo();
  co_return Next::kEnd;
}

// Reads and drops what the guest still sends: closing a socket with unread data would reset the
// connection and lose the answer. A client may send several megabytes before it reads the answer.
asio::awaitable<void> ProxyConnection::LetGo() {
  constexpr std::size_t kMostDropped = std::size_t{16} << 20U;
  Allow(listener_->loop.options.limits.head_time);
  ErrorCode ignored;
  client_.shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
  std::size_t dropped = in_.size();
  while (dropped < kMostDropped) {
    in_.clear();
    const std::size_t read = co_await ReadClient();
    if (read == 0) break;
    dropped += read;
  }
}

asio::awaitable<std::vector<request::Address>> ProxyConnection::Lookup(const std::string& host) {
  if (const auto address = request::Address::Parse(host)) {
    std::vector<request::Address> itself = {*address};
    co_return itself;
  }
  // Limits lookups per cell, so that slow names do not occupy all threads of the pool.
  asio::steady_timer pause(client_.get_executor());
  while (listener_->lookups >= kLookupsAtOnce && client_.is_open()) {
    ErrorCode ignored;
    pause.expires_after(kLookupPause);
    co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  }
  if (!client_.is_open()) {  // closed by the timeout meanwhile
    std::vector<request::Address> none;
    co_return none;
  }
  ++listener_->lookups;
  auto found = co_await asio::co_spawn(listener_->loop.resolvers,
                                       ResolveThere(listener_->loop.options.resolve, host),
                                       asio::use_awaitable);
  --listener_->lookups;
  co_return found;
}

Upstream::Place ProxyConnection::PlaceOf(const ProxyRequest& asked) const {
  const bool tls = IsOverTls(asked, listener_->terms);
  return {asked.host, UpstreamPort(asked, listener_->terms),
          tls ? Upstream::Security::kTls : Upstream::Security::kPlain};
}

// Connects to the first of the host's addresses that is allowed and reachable.
asio::awaitable<std::optional<Refusal>> ProxyConnection::Reach(const ProxyRequest& asked) {
  const Upstream::Place place = PlaceOf(asked);
  reused_ = upstream_ && upstream_->place() == place && asked.kind == ProxyRequest::Kind::kForward;
  if (reused_) {
    call_.address = upstream_->address();
    co_return std::nullopt;
  }
  upstream_.reset();
  Allow(listener_->loop.options.limits.connect_time);
  const auto addresses = co_await Lookup(asked.host);
  std::optional<Refusal> why = Unreachable(fmt::format("the name {} does not resolve", asked.host));
  for (const request::Address& address : addresses) {
    if (!client_.is_open()) break;
    if (auto refusal = RefuseAddress(asked, address, listener_->terms)) {
      why = std::move(refusal);
      continue;
    }
    upstream_ = std::make_unique<Upstream>(client_.get_executor(), place, listener_->loop.roots);
    const ErrorCode error = co_await upstream_->Connect(address);
    call_.address = address.Text();
    if (!error && client_.is_open()) co_return std::nullopt;
    upstream_.reset();
    why = Unreachable(fmt::format("{} cannot be reached: {}", asked.host, error.message()));
  }
  co_return why;
}

asio::awaitable<std::size_t> ProxyConnection::ReadClient() {
  ErrorCode error;
  from_client_.resize(kReadBytes);
  const auto buffer = asio::buffer(from_client_.data(), kReadBytes);
  const std::size_t read =
      co_await client_.async_read_some(buffer, asio::redirect_error(asio::use_awaitable, error));
  if (error) co_return 0;
  in_.append(from_client_, 0, read);
  co_return read;
}

asio::awaitable<bool> ProxyConnection::WriteClient(std::string_view bytes) {
  ErrorCode error;
  if (bytes.empty()) co_return true;
  co_await asio::async_write(client_, asio::buffer(bytes.data(), bytes.size()),
                             asio::redirect_error(asio::use_awaitable, error));
  co_return !error;
}

void ProxyConnection::BeginCall() {
  call_ = Call{};
  calling_ = true;
  call_began_ = Clock::now();
  answered_ = false;
  ++listener_->calls;
}

void ProxyConnection::EndCall() {
  constexpr std::size_t kOverLimitTold = 10;
  if (!std::exchange(calling_, false)) return;
  call_.took = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - call_began_);
  // After the limit is exceeded, only the first few refusals are recorded.
  if (listener_->over_limit <= kOverLimitTold) listener_->Tell(call_);
}

// Counts bytes, and extends the deadline, because a connection that transfers data is not idle.
bool ProxyConnection::Count(std::uint64_t& direction, std::size_t bytes) {
  direction += bytes;
  Allow(listener_->loop.options.limits.quiet_time);
  if (listener_->allowance.TakeBytes(bytes)) return true;
  Close("limit-reached");
  return false;
}

}  // namespace belljar::resource::egress
