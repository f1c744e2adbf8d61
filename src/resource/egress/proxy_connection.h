// ProxyConnection: one connection of a guest to its egress listener.
//
// Requests are served one after the other, and each is checked separately. The connection to the
// server is kept for the next request if that has the same destination. A refusal ends the
// connection without reading the rest of it.
//
// Coding rule: a co_await is a statement of its own with named arguments, because GCC 12 destroys
// temporaries in such expressions twice.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <optional>
#include <string>

#include "foundation/http/server/request_reader.h"
#include "resource/egress/listener_state.h"
#include "resource/egress/proxy_request.h"
#include "resource/egress/response_reader.h"
#include "resource/egress/upstream.h"

namespace belljar::resource::egress {

class ProxyConnection : public std::enable_shared_from_this<ProxyConnection> {
 public:
  using Clock = std::chrono::steady_clock;

  ProxyConnection(std::shared_ptr<ListenerState> listener, asio::ip::tcp::socket client);
  ~ProxyConnection();
  ProxyConnection(const ProxyConnection&) = delete;
  ProxyConnection& operator=(const ProxyConnection&) = delete;

  void Start();
  // Whether its current or last call has a host, address or method that the listener's terms no
  // longer allow.
  bool IsBeyondTerms() const;
  // Closes the connection immediately: its call is recorded, and pending operations fail.
  void Close(std::string_view why);
  bool IsLate(Clock::time_point now) const { return now > deadline_; }

 private:
  enum class Next { kRequest, kEnd };

  // Implemented in proxy_connection.cc.
  asio::awaitable<void> Serve();
  asio::awaitable<Next> ServeOne();
  asio::awaitable<Next> ServeAsked(const ProxyRequest& asked, http::server::RequestReader& reader);
  asio::awaitable<std::optional<std::size_t>> AwaitHead();
  asio::awaitable<Next> Refuse(const Refusal& refusal);
  asio::awaitable<void> LetGo();
  asio::awaitable<std::optional<Refusal>> Reach(const ProxyRequest& asked);
  asio::awaitable<std::vector<request::Address>> Lookup(const std::string& host);
  asio::awaitable<std::size_t> ReadClient();
  asio::awaitable<bool> WriteClient(std::string_view bytes);
  Upstream::Place PlaceOf(const ProxyRequest& asked) const;
  void Allow(std::chrono::milliseconds time) { deadline_ = Clock::now() + time; }
  void BeginCall();
  void EndCall();
  void Leave();
  bool Count(std::uint64_t& direction, std::size_t bytes);

  // Implemented in proxy_relay.cc.
  asio::awaitable<Next> Forward(const ProxyRequest& asked, http::server::RequestReader& reader);
  asio::awaitable<std::optional<Refusal>> Exchange(const ProxyRequest& asked,
                                                   http::server::RequestReader& reader,
                                                   ResponseReader& answer);
  asio::awaitable<std::optional<Refusal>> ExchangeBody(const ProxyRequest& asked,
                                                       http::server::RequestReader& reader,
                                                       ResponseReader& answer);
  asio::awaitable<std::optional<Refusal>> SendBody(http::server::RequestReader& reader);
  void LeaveBody();
  asio::awaitable<bool> SendUp(std::string_view bytes);
  asio::awaitable<std::optional<Refusal>> PassAnswer(const ProxyRequest& asked,
                                                     ResponseReader& answer);
  asio::awaitable<Next> Tunnel(const ProxyRequest& asked);
  asio::awaitable<std::optional<Refusal>> CheckHello(const ProxyRequest& asked);
  asio::awaitable<void> PassDown();
  asio::awaitable<void> PassUp();

  std::shared_ptr<ListenerState> listener_;
  asio::ip::tcp::socket client_;
  std::unique_ptr<Upstream> upstream_;
  bool reused_ = false;      // `upstream_` has served a request before
  bool rests_ = false;       // `upstream_` has answered and can take another request
  std::string in_;           // bytes from the guest that are not parsed yet
  std::string from_client_;  // buffer for reads from the guest
  std::string from_server_;
  Clock::time_point deadline_;
  Call call_;
  bool calling_ = false;  // a call has begun and is not recorded yet
  bool left_ = false;     // removed from the listener's connections
  Clock::time_point call_began_;
  bool answered_ = false;   // part of the answer was sent to the guest
  bool heard_ = false;      // part of the answer was received
  bool said_more_ = false;  // the server sent bytes after the end of its answer
  bool unwanted_ = false;   // the answer ended before the request's body was sent
};

}  // namespace belljar::resource::egress
