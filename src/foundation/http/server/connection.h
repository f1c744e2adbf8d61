// Connection: one client's socket, served by one coroutine on one event loop.
//
// Everything here runs on the loop's thread. Reads and writes are started, not awaited. When one
// completes it calls Signal(), which resumes the coroutine; the coroutine sleeps until a signal or
// its deadline and then checks the whole state again. So at any moment it waits in one place with
// one deadline, and a client that closes is noticed while a handler works. Signal() resumes the
// coroutine directly: the caller must have finished everything else.
//
// The memory that a client can occupy is bounded: kMostBuffered bytes of unprocessed input
// (pipelined requests; beyond that the socket is not read), one body within its route's limit, and
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
  void Stop();   // checks Shared::stopping: no further request after the present one
  void Abort();  // ends the connection at once

 private:
  using Clock = std::chrono::steady_clock;
  enum class Next { kRequest, kPart, kClose };
  static constexpr std::size_t kMostBuffered = 64 << 10;
  static constexpr Clock::time_point kNever = Clock::time_point::max();

  // Stores the handler that resumes the coroutine. Not a lambda: a type without linkage cannot be
  // in a coroutine's frame.
  struct FallAsleep {
    Connection& connection;
    template <class Handler>
    void operator()(Handler handler) const {
      connection.resume_ = std::move(handler);
    }
  };

  // The protocol.
  asio::awaitable<void> Serve();
  asio::awaitable<Next> ServeOne();
  asio::awaitable<std::optional<std::size_t>> AwaitHead();
  asio::awaitable<Next> ServeAdmitted(RequestReader& reader, Admission& admission);
  asio::awaitable<std::optional<Response>> ReadWhole(RequestReader& reader, BodyMemory& memory);
  asio::awaitable<Next> Converse(RequestReader& reader, ExchangeState& state);
  asio::awaitable<Next> Refuse(Response response, After after);
  asio::awaitable<void> Part();

  // Parts of ServeOne().
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

  // Input, output and waiting.
  void Listen();
  void OnReadable(const boost::system::error_code& error);
  void NoticeHangup();
  asio::awaitable<bool> Send(std::string bytes);
  asio::awaitable<bool> Sleep(Clock::time_point deadline);  // false: the deadline was reached
  void SetAlarm();
  void Signal();
  void Resume();

  Shared& shared_;
  const OwnNames& names_;
  Socket socket_;
  asio::steady_timer timer_;
  // declared before seat_, so it ends after it: a drained server has no seats taken
  Activity::Token activity_;
  Seat seat_;
  Peer peer_;
  Served served_;
  Clock::time_point began_;
  std::string in_;                           // received, not processed yet
  std::string out_;                          // being written
  std::shared_ptr<ExchangeState> exchange_;  // set while a handler has the exchange
  Fd spare_gone_;  // GoneFd of the last exchange for reuse; a new one costs 3 us
  std::size_t requests_ = 0;
  std::move_only_function<void()> resume_;  // set while the coroutine sleeps
  Clock::time_point deadline_ = kNever;     // of the present sleep
  bool alarm_set_ = false;
  bool asked_ = false;  // 100 Continue was sent
  bool signalled_ = false;
  bool listening_ = false;
  bool writing_ = false;
  bool write_failed_ = false;
  bool ended_ = false;  // the client has closed its sending side
  bool aborted_ = false;
};

}  // namespace belljar::http::server
