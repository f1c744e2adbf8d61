// ProxyConnection: one connection of a guest to its egress door.
//
// A co_await stands alone in its statement, and its arguments have names: GCC 12 destroys twice
// what else is made there.
//
// Requests one after the other; each is judged by itself, and the connection to the server is kept
// for the next one if that goes to the same place. After a refusal the connection ends: what else
// was sent on it is not read.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <memory>
#include <optional>
#include <string>

#include "broker/asked.h"
#include "broker/door_state.h"
#include "broker/response_reader.h"
#include "broker/upstream.h"
#include "http/request_reader.h"

namespace belljar::broker {

class ProxyConnection : public std::enable_shared_from_this<ProxyConnection> {
 public:
  using Clock = std::chrono::steady_clock;

  ProxyConnection(std::shared_ptr<DoorState> door, asio::ip::tcp::socket client);
  ~ProxyConnection();
  ProxyConnection(const ProxyConnection&) = delete;
  ProxyConnection& operator=(const ProxyConnection&) = delete;

  void Start();
  // Whether it is, or was last, for a host, an address or a method that the door's terms do not
  // have any more.
  bool IsBeyondTerms() const;
  // Ends it, now: its call is told, and whatever it still waits for fails.
  void Close(std::string_view why);
  bool IsLate(Clock::time_point now) const { return now > deadline_; }

 private:
  enum class Next { kRequest, kEnd };

  // proxy_connection.cc
  asio::awaitable<void> Serve();
  asio::awaitable<Next> ServeOne();
  asio::awaitable<Next> ServeAsked(const Asked& asked, http::RequestReader& reader);
  asio::awaitable<std::optional<std::size_t>> AwaitHead();
  asio::awaitable<Next> Refuse(const Refusal& refusal);
  asio::awaitable<void> LetGo();
  asio::awaitable<std::optional<Refusal>> Reach(const Asked& asked);
  asio::awaitable<std::vector<policy::Address>> Lookup(const std::string& host);
  asio::awaitable<std::size_t> ReadClient();
  asio::awaitable<bool> WriteClient(std::string_view bytes);
  Upstream::Place PlaceOf(const Asked& asked) const;
  void Allow(std::chrono::milliseconds time) { deadline_ = Clock::now() + time; }
  void BeginCall();
  void EndCall();
  void Leave();
  bool Count(std::uint64_t& direction, std::size_t bytes);

  // proxy_relay.cc
  asio::awaitable<Next> Forward(const Asked& asked, http::RequestReader& reader);
  asio::awaitable<std::optional<Refusal>> Exchange(const Asked& asked, http::RequestReader& reader,
                                                   ResponseReader& answer);
  asio::awaitable<std::optional<Refusal>> ExchangeBody(const Asked& asked,
                                                       http::RequestReader& reader,
                                                       ResponseReader& answer);
  asio::awaitable<std::optional<Refusal>> SendBody(http::RequestReader& reader);
  void LeaveBody();
  asio::awaitable<bool> SendUp(std::string_view bytes);
  asio::awaitable<std::optional<Refusal>> PassAnswer(const Asked& asked, ResponseReader& answer);
  asio::awaitable<Next> Tunnel(const Asked& asked);
  asio::awaitable<std::optional<Refusal>> CheckHello(const Asked& asked);
  asio::awaitable<void> PassDown();
  asio::awaitable<void> PassUp();

  std::shared_ptr<DoorState> door_;
  asio::ip::tcp::socket client_;
  std::unique_ptr<Upstream> upstream_;
  bool reused_ = false;      // the upstream has served a request before
  bool rests_ = false;       // it has answered, and waits for another
  std::string in_;           // from the guest, not yet read
  std::string from_client_;  // where pieces are read to
  std::string from_server_;
  Clock::time_point deadline_;
  Call call_;
  bool calling_ = false;  // a call has begun and is not told yet
  bool left_ = false;     // the door does not wait for this any more
  Clock::time_point call_began_;
  bool answered_ = false;   // some of the answer has gone to the guest
  bool heard_ = false;      // some of it has come
  bool said_more_ = false;  // and something behind it
  bool unwanted_ = false;   // it was over before the request's body was
};

}  // namespace belljar::broker
