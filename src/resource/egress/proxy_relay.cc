// ProxyConnection, second part: relays the bytes of allowed calls, for forwarded requests and
// tunnels.
#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "resource/egress/proxy_connection.h"
#include "resource/egress/secret_mask.h"
#include "resource/egress/sni.h"

namespace belljar::resource::egress {
namespace {

constexpr std::size_t kPieceBytes = 64 << 10;
constexpr unsigned kSwitching = 101;
constexpr unsigned kPartial = 206;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
constexpr std::string_view kTunnelOpen = "HTTP/1.1 200 Connection established\r\n\r\n";

Refusal NoAnswer() { return {502, "unreachable", "the server closed without an answer"}; }

Refusal TooLarge() { return {413, "limit-reached", "the body is larger than what is left"}; }

Refusal BadAnswer(std::string sentence) { return {502, "unreachable", std::move(sentence)}; }

Refusal Part() {
  return BadAnswer("the server answered with a part, which cannot be searched for secrets");
}

// Takes the bytes that belong to the answer from `unread`. Interim (1xx) answers are dropped: the
// proxy itself has answered "Expect: 100-continue", and the final answer follows.
Result<std::size_t> TakePiece(ResponseReader& answer, std::string& unread, std::string& piece) {
  std::size_t taken = 0;
  while (!unread.empty()) {
    const std::size_t used = BJ_TRY(answer.Feed(unread));
    taken += used;
    piece.append(unread, 0, used);
    unread.erase(0, used);
    if (!answer.head_done() || !answer.interim()) break;
    if (answer.status() == kSwitching) {
      return Error(Kind::kInvalid, "the server wants to speak another protocol");
    }
    answer.Restart();
    piece.clear();
  }
  return taken;
}

// A refusal within a tunnel; it is recorded only, since no HTTP answer can be sent any more.
Refusal Unfit(std::string error) { return {403, std::move(error), ""}; }

}  // namespace

asio::awaitable<ProxyConnection::Next> ProxyConnection::Forward(
    const ProxyRequest& asked, http::server::RequestReader& reader) {
  using Body = ResponseReader::Body;
  if (auto refused = reader.LimitBody(listener_->allowance.bytes_left())) {
    const Refusal too_large = TooLarge();
    co_return co_await Refuse(too_large);
  }
  for (bool again = reused_ && !reader.has_body() && IsRepeatable(asked);; again = false) {
    ResponseReader answer(asked.method == "HEAD" ? Body::kNone : Body::kAsSaid);
    const auto failed = co_await Exchange(asked, reader, answer);
    if (!client_.is_open()) co_return Next::kEnd;
    if (!failed) {
      // The server connection is not reused if the server sent more than its answer.
      rests_ = answer.keep_alive() && reader.done() && !said_more_ && !unwanted_;
      if (unwanted_ || !reader.done()) {
        EndCall();
        co_await LetGo();
      }
      co_return rests_&& reader.keep_alive() ? Next::kRequest : Next::kEnd;
    }
    if (answered_) co_return Next::kEnd;
    // A reused connection that failed without an answer was probably closed by the server already:
    // the request is sent again on a new one.
    if (!again || heard_) co_return co_await Refuse(*failed);
    upstream_.reset();
    const auto unreached = co_await Reach(asked);
    if (unreached) co_return co_await Refuse(*unreached);
  }
}

// Sends the request and relays the answer. Returns nullopt once the answer has been sent to the
// guest.
asio::awaitable<std::optional<Refusal>> ProxyConnection::Exchange(
    const ProxyRequest& asked, http::server::RequestReader& reader, ResponseReader& answer) {
  heard_ = said_more_ = unwanted_ = false;
  const std::string head = ForwardHead(asked, reader.request(), listener_->terms);
  const bool head_sent = co_await SendUp(head);
  // Even if sending failed, the server may have answered.
  if (!head_sent || reader.done()) {
    co_return co_await PassAnswer(asked, answer);
  }
  if (reader.expects_continue() && in_.empty()) {
    const bool told = co_await WriteClient(kContinue);
    if (!told) co_return NoAnswer();
  }
  co_return co_await ExchangeBody(asked, reader, answer);
}

// Sends the body and relays the answer concurrently: a server may answer before it has read the
// whole body, and never read the rest.
asio::awaitable<std::optional<Refusal>> ProxyConnection::ExchangeBody(
    const ProxyRequest& asked, http::server::RequestReader& reader, ResponseReader& answer) {
  asio::steady_timer over(client_.get_executor(), Clock::time_point::max());
  std::optional<Refusal> failed;
  bool sending = true;
  bool answering = true;
  asio::co_spawn(client_.get_executor(), PassAnswer(asked, answer),
                 [&](const std::exception_ptr& thrown, std::optional<Refusal> why) {
                   failed = thrown ? NoAnswer() : std::move(why);
                   answering = false;
                   over.cancel();
                   if (sending) LeaveBody();
                 });
  auto malformed = co_await SendBody(reader);
  sending = false;
  if (malformed) upstream_->Close();  // a truncated request gets no answer
  ErrorCode ignored;
  if (answering) co_await over.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  co_return malformed ? malformed : failed;
}

// Cancels the transfer of the body in both directions.
void ProxyConnection::LeaveBody() {
  unwanted_ = true;
  ErrorCode ignored;
  client_.cancel(ignored);
  upstream_->Close();
}

// Decodes the body and frames it anew, so that the server parses it exactly as the proxy did.
// Returns an error if the body is malformed; if it cannot be sent, the answer shows that.
asio::awaitable<std::optional<Refusal>> ProxyConnection::SendBody(
    http::server::RequestReader& reader) {
  const bool chunked = !reader.content_length();
  while (!reader.done() && !unwanted_) {
    std::string piece;
    const auto progress = reader.ReadBody(in_, piece);
    in_.erase(0, progress.used);
    if (progress.refusal) co_return RefusalOf(*progress.refusal);
    if (chunked && !piece.empty()) piece = fmt::format("{:x}\r\n{}\r\n", piece.size(), piece);
    if (chunked && reader.done()) piece += "0\r\n\r\n";
    if (!piece.empty()) {
      const bool sent = co_await SendUp(piece);
      if (!sent) break;
    } else if (!reader.done() && progress.used == 0) {
      const std::size_t read = co_await ReadClient();
      if (read == 0 && !unwanted_) Close("aborted");
      if (read == 0) break;
    }
  }
  co_return std::nullopt;
}

asio::awaitable<bool> ProxyConnection::SendUp(std::string_view bytes) {
  if (!Count(call_.sent, bytes.size())) co_return false;
  co_return co_await upstream_->Write(bytes);
}

asio::awaitable<std::optional<Refusal>> ProxyConnection::PassAnswer(const ProxyRequest& asked,
                                                                    ResponseReader& answer) {
  from_server_.resize(kPieceBytes);
  SecretMask mask(SecretsOf(asked, listener_->terms));
  std::string unread;
  // The first piece contains the whole head; nothing was sent to the guest before it.
  std::string piece;
  while (!answer.done()) {
    const std::size_t read = co_await upstream_->Read(from_server_.data(), from_server_.size());
    if (read == 0) {
      const std::string rest = mask.Finish();
      co_await WriteClient(rest);
      co_return answer.End() ? std::nullopt : std::optional(NoAnswer());
    }
    heard_ = true;
    unread.append(from_server_.data(), read);
    const auto taken = TakePiece(answer, unread, piece);
    if (!taken) co_return BadAnswer(taken.error().message());
    if (!Count(call_.received, *taken)) co_return NoAnswer();
    if (!answer.head_done()) continue;
    if (!mask.empty() && answer.status() == kPartial) co_return Part();
    call_.status = answer.status();
    answered_ = true;
    if (!mask.empty()) piece = mask.Pass(piece);
    if (answer.done()) piece += mask.Finish();
    const bool passed = co_await WriteClient(piece);
    if (!passed) co_return NoAnswer();
    piece.clear();
  }
  said_more_ = !unread.empty();
  co_return std::nullopt;
}

asio::awaitable<std::optional<Refusal>> ProxyConnection::CheckHello(const ProxyRequest& asked) {
  Allow(listener_->loop.options.limits.head_time);
  Hello hello = ReadHello(in_);
  while (hello.state == HelloState::kIncomplete) {
    const std::size_t read = co_await ReadClient();
    if (read == 0) co_return Unfit("aborted");
    hello = ReadHello(in_);
  }
  if (hello.state == HelloState::kNotTls) {
    co_return Unfit("not-tls");
  }
  const bool is_address = request::Address::Parse(asked.host).has_value();
  const bool same = is_address ? hello.name.empty() : hello.name == asked.host;
  if (same || listener_->terms.left_out.Has(Control::kServerName)) co_return std::nullopt;
  co_return Unfit("other-name");
}

asio::awaitable<ProxyConnection::Next> ProxyConnection::Tunnel(const ProxyRequest& asked) {
  call_.status = 200;
  const bool told = co_await WriteClient(kTunnelOpen);
  if (!told) co_return Next::kEnd;
  // The guest already has its 200, so a refusal can only close the connection.
  const auto refusal = co_await CheckHello(asked);
  if (refusal) {
    Close(refusal->error);
    co_return Next::kEnd;
  }
  // Relays both directions concurrently, until both have ended.
  asio::steady_timer down(client_.get_executor(), Clock::time_point::max());
  bool down_done = false;
  asio::co_spawn(client_.get_executor(), PassDown(), [&](const std::exception_ptr&) {
    down_done = true;
    down.cancel();
  });
  co_await PassUp();
  ErrorCode ignored;
  if (!down_done) co_await down.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  co_return Next::kEnd;
}

asio::awaitable<void> ProxyConnection::PassUp() {
  for (;;) {
    if (!in_.empty()) {
      const bool sent = co_await SendUp(in_);
      if (!sent) co_return;
      in_.clear();
    }
    const std::size_t read = co_await ReadClient();
    if (read == 0) break;
  }
  upstream_->Finish();
}

asio::awaitable<void> ProxyConnection::PassDown() {
  std::string piece(kPieceBytes, '\0');
  for (;;) {
    const std::size_t read = co_await upstream_->Read(piece.data(), piece.size());
    if (read == 0 || !Count(call_.received, read)) break;
    const std::string_view part = std::string_view(piece).substr(0, read);
    const bool passed = co_await WriteClient(part);
    if (!passed) break;
  }
  Close("");  // a client that waits for more would wait forever
}

}  // namespace belljar::resource::egress
