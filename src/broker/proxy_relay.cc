// The bytes of a call that may be made: forwarded requests, and tunnels.
#include <fmt/format.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "broker/mask.h"
#include "broker/proxy_connection.h"
#include "broker/sni.h"

namespace belljar::broker {
namespace {

constexpr std::size_t kPieceBytes = 64 << 10;
constexpr unsigned kSwitching = 101;
constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
constexpr std::string_view kTunnelOpen = "HTTP/1.1 200 Connection established\r\n\r\n";

Refusal NoAnswer() { return {502, "unreachable", "the server closed without an answer"}; }

Refusal TooLarge() { return {413, "limit-reached", "the body is larger than what is left"}; }

// Of a tunnel: for the record only.
Refusal Unfit(std::string error) { return {403, std::move(error), ""}; }

}  // namespace

asio::awaitable<ProxyConnection::Next> ProxyConnection::Forward(const Asked& asked,
                                                                http::RequestReader& reader) {
  using Body = ResponseReader::Body;
  const bool repeatable = reused_ && !reader.has_body();
  if (auto refused = reader.LimitBody(door_->allowance.bytes_left())) {
    const Refusal too_large = TooLarge();
    co_return co_await Refuse(too_large);
  }
  for (bool again = repeatable;; again = false) {
    ResponseReader answer(asked.method == "HEAD" ? Body::kNone : Body::kAsSaid);
    std::optional<Refusal> failed = NoAnswer();
    const bool sent = co_await SendRequest(asked, reader);
    if (sent) failed = co_await PassAnswer(asked, answer);
    if (!client_.is_open()) co_return Next::kEnd;
    if (!failed) {
      rests_ = answer.keep_alive() && reader.done();
      co_return rests_&& reader.keep_alive() ? Next::kRequest : Next::kEnd;
    }
    if (answered_) co_return Next::kEnd;
    // A kept connection may have been closed by the server just before: that is nobody's fault.
    if (!again) co_return co_await Refuse(*failed);
    upstream_.reset();
    const auto unreached = co_await Reach(asked);
    if (unreached) co_return co_await Refuse(*unreached);
  }
}

asio::awaitable<bool> ProxyConnection::SendRequest(const Asked& asked,
                                                   http::RequestReader& reader) {
  const std::string head = ForwardHead(asked, reader.request(), door_->terms);
  const bool head_sent = co_await SendUp(head);
  if (!head_sent || reader.done()) co_return head_sent;
  if (reader.expects_continue() && in_.empty()) {
    const bool told = co_await WriteClient(kContinue);
    if (!told) co_return false;
  }
  co_return co_await SendBody(reader);
}

// Decoded and framed anew: the server sees the one reading of it that was judged.
asio::awaitable<bool> ProxyConnection::SendBody(http::RequestReader& reader) {
  const bool chunked = !reader.content_length();
  while (!reader.done()) {
    std::string piece;
    const auto progress = reader.ReadBody(in_, piece);
    in_.erase(0, progress.used);
    if (progress.refusal) {
      Close("malformed-request");
      co_return false;
    }
    if (chunked && !piece.empty()) piece = fmt::format("{:x}\r\n{}\r\n", piece.size(), piece);
    if (chunked && reader.done()) piece += "0\r\n\r\n";
    if (!piece.empty()) {
      const bool sent = co_await SendUp(piece);
      if (!sent) co_return false;
    } else if (!reader.done() && progress.used == 0) {
      const std::size_t read = co_await ReadClient();
      if (read == 0) Close("aborted");
      if (read == 0) co_return false;
    }
  }
  co_return true;
}

asio::awaitable<bool> ProxyConnection::SendUp(std::string_view bytes) {
  if (!Count(call_.sent, bytes.size())) co_return false;
  co_return co_await upstream_->Write(bytes);
}

asio::awaitable<std::optional<Refusal>> ProxyConnection::PassAnswer(const Asked& asked,
                                                                    ResponseReader& answer) {
  from_server_.resize(kPieceBytes);
  Mask mask(SecretsOf(asked, door_->terms));
  std::string held;  // a head that is not whole yet
  while (!answer.done()) {
    const std::size_t read = co_await upstream_->Read(from_server_.data(), from_server_.size());
    if (read == 0) {
      const std::string rest = mask.Finish();
      co_await WriteClient(rest);
      co_return answer.End() ? std::nullopt : std::optional(NoAnswer());
    }
    held.append(from_server_.data(), read);
    const auto used = answer.Feed(held);
    if (!used) co_return NoAnswer();
    if (!Count(call_.received, *used)) co_return NoAnswer();
    if (answer.head_done() && answer.interim()) {
      if (answer.status() == kSwitching) co_return NoAnswer();
      // The guest was answered by us, if it waits for that; the answer proper is still to come.
      answer.Restart();
      held.erase(0, *used);
      continue;
    }
    if (answer.head_done()) call_.status = answer.status();
    answered_ = answered_ || *used > 0;
    const std::string_view piece = std::string_view(held).substr(0, *used);
    std::string masked = mask.empty() ? "" : mask.Pass(piece);
    if (answer.done()) masked += mask.Finish();
    const std::string_view shown = mask.empty() ? piece : masked;
    const bool passed = co_await WriteClient(shown);
    if (!passed) co_return NoAnswer();
    held.erase(0, *used);
  }
  // A server that says more than it was asked is not asked again over this connection.
  if (!held.empty()) upstream_.reset();
  co_return std::nullopt;
}

asio::awaitable<std::optional<Refusal>> ProxyConnection::CheckHello(const Asked& asked) {
  Allow(door_->loop.options.limits.head_time);
  Hello hello = ReadHello(in_);
  while (hello.state == HelloState::kIncomplete) {
    const std::size_t read = co_await ReadClient();
    if (read == 0) co_return Unfit("aborted");
    hello = ReadHello(in_);
  }
  if (hello.state == HelloState::kNotTls) {
    co_return Unfit("not-tls");
  }
  const bool is_address = policy::Address::Parse(asked.host).has_value();
  const bool same = is_address ? hello.name.empty() : hello.name == asked.host;
  if (same) co_return std::nullopt;
  co_return Unfit("other-name");
}

asio::awaitable<ProxyConnection::Next> ProxyConnection::Tunnel(const Asked& asked) {
  call_.status = 200;
  const bool told = co_await WriteClient(kTunnelOpen);
  if (!told) co_return Next::kEnd;
  // The guest has its 200: from here on a refusal is an end without a word.
  const auto refusal = co_await CheckHello(asked);
  if (refusal) {
    Close(refusal->error);
    co_return Next::kEnd;
  }
  // Both ways at once; it is over when both are.
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
  Close("");  // a client that waits for more would wait for ever
}

}  // namespace belljar::broker
