// Connection: one client's socket, served by one coroutine on one loop.
//
// Everything here happens on the loop's thread. Reading and writing are started, not awaited: when
// one has come to something it signals, and the coroutine, which is asleep until a signal or its
// deadline, looks around again. So at any moment there is one place where it waits and one deadline
// that ends the wait, and a client that closes is noticed while a handler works. A signal goes on
// with the coroutine at once: whoever signals must be done with everything else.
//
// What a client can make it hold is bounded: kMostBuffered bytes that nobody has asked for yet
// (pipelined requests; beyond that it is not read from), one body within its route's limit, and
// the two buffers of the exchange.
#pragma once

#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "foundation/http/server/body_memory.h"
#include "foundation/http/server/compose.h"
#include "foundation/http/server/exchange_state.h"
#include "foundation/http/server/pace.h"
#include "foundation/http/server/request_reader.h"
#include "foundation/http/server/shared.h"

namespace belljar::http::server {

namespace asio = boost::asio;

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Socket = asio::generic::stream_protocol::socket;
  using OnEnd = std::function<void(Connection&)>;

  Connection(Socket socket, Peer peer, const OwnNames& names, Seat seat, Shared& shared);
  ~Connection();

  void Start(OnEnd on_end);
  void Stop();   // looks at Shared::stopping: no further request after the one being served
  void Abort();  // now, whatever is being done

 private:
  using Clock = std::chrono::steady_clock;
  enum class Next { kRequest, kPart, kClose };
  static constexpr std::size_t kMostBuffered = 64 << 10;
  static constexpr Clock::time_point kNever = Clock::time_point::max();

  // Keeps what goes on with the coroutine. A lambda, which has no linkage, could not be in the
  // frame of one.
  struct FallAsleep {
    Connection& connection;
    template <class Handler>
    void operator()(Handler handler) const {
      connection.resume_ = std::move(handler);
    }
  };

  // The conversation.
  asio::awaitable<void> Serve();
  asio::awaitable<Next> ServeOne();
  asio::awaitable<std::optional<std::size_t>> AwaitHead();
  asio::awaitable<Next> ServeAdmitted(RequestReader& reader, Admission& admission);
  asio::awaitable<std::optional<Response>> ReadWhole(RequestReader& reader, BodyMemory& memory);
  asio::awaitable<Next> Converse(RequestReader& reader, ExchangeState& state);
  asio::awaitable<Next> Refuse(Response response, After after);
  asio::awaitable<void> Part();

  // Its parts.
  [[nodiscard]] bool Dispatch(const Admission& admission,
                              const std::shared_ptr<ExchangeState>& state);
  std::optional<Response> Decode(RequestReader& reader, std::string& into);
  std::optional<Response> PassBody(RequestReader& reader, ExchangeState& state);
  asio::awaitable<void> AskForBody(const RequestReader& reader);
  asio::awaitable<std::optional<Response>> MoreBody(RequestReader& reader, Pace& pace);
  asio::awaitable<std::optional<Response>> AwaitChange(const RequestReader& reader,
                                                       const ExchangeState& state, Pace& pace);
  After AfterThis(const RequestReader& reader) const;
  std::string Compose(ExchangeState::Outgoing& out, After after);
  void KeepMarks(const Headers& headers);
  void Tell();
  Extent extent() const { return served_.method == "HEAD" ? Extent::kHeadOnly : Extent::kWhole; }
  bool over() const { return ended_ || aborted_; }

  // Input, output and sleep.
  void Listen();
  void OnReadable(const boost::system::error_code& error);
  void NoticeHangup();
  asio::awaitable<bool> Send(std::string bytes);
  asio::awaitable<bool> Sleep(Clock::time_point deadline);  // false: the deadline has passed
  void SetAlarm();
  void Signal();
  void Resume();

  Shared& shared_;
  const OwnNames& names_;
  Socket socket_;
  asio::steady_timer timer_;
  Activity::Token activity_;  // ends after the seat, so that a drained server has none taken
  Seat seat_;
  Peer peer_;
  Served served_;
  Clock::time_point began_;
  std::string in_;                           // read, and not yet used
  std::string out_;                          // being written
  std::shared_ptr<ExchangeState> exchange_;  // while a handler has it
  Fd spare_gone_;                            // of the last one: to make it costs 3 us
  std::size_t requests_ = 0;
  std::move_only_function<void()> resume_;  // while the coroutine sleeps
  Clock::time_point deadline_ = kNever;     // of that sleep
  bool alarm_set_ = false;
  bool asked_ = false;  // for the body of a client that waits for that
  bool signalled_ = false;
  bool listening_ = false;
  bool writing_ = false;
  bool write_failed_ = false;
  bool ended_ = false;  // the client sends no more
  bool aborted_ = false;
};

}  // namespace belljar::http::server
