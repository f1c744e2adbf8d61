#include "foundation/http/client/connection.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>

#include "foundation/base/json.h"
#include "foundation/base/sys.h"

namespace belljar::http::client {
namespace {

constexpr std::string_view kUnixPrefix = "unix:";
constexpr std::chrono::milliseconds kLongestStall{30'000};  // while sending
constexpr std::size_t kMostStreamHead = 16 << 10;

Result<sockaddr_un> AddressOf(const std::string& address) {
  sockaddr_un socket_address{};
  socket_address.sun_family = AF_UNIX;
  if (!address.starts_with(kUnixPrefix)) {
    return Error(Kind::kInvalid, fmt::format("{}: write a daemon's address as unix:PATH", address));
  }
  const std::string path = address.substr(kUnixPrefix.size());
  if (path.empty() || path.size() >= sizeof(socket_address.sun_path) ||
      path.find('\0') != std::string::npos) {
    return Error(Kind::kInvalid, fmt::format("{}: the path of a socket has 1 to {} bytes", address,
                                             sizeof(socket_address.sun_path) - 1));
  }
  path.copy(socket_address.sun_path, path.size());
  return socket_address;
}

Error CannotConnect(const std::string& address, int sys) {
  if (sys == ENOENT || sys == ECONNREFUSED) {
    return Error(Kind::kNotFound,
                 fmt::format("no daemon listens on {}: start one with belljar serve", address),
                 sys);
  }
  if (sys == EAGAIN) {
    return Error(Kind::kUnavailable,
                 fmt::format("the daemon on {} has no room for another caller now", address), sys);
  }
  return SysError("connect", address, sys);
}

// The pid of the process that called listen(), if it runs as this user or root. The owner of the
// socket's file would prove nothing.
Result<pid_t> TrustedListener(const Fd& socket, const std::string& address) {
  ucred peer{};
  socklen_t size = sizeof(peer);
  BJ_TRY(Check("getsockopt", address,
               [&] { return ::getsockopt(socket.get(), SOL_SOCKET, SO_PEERCRED, &peer, &size); }));
  if (peer.uid == ::geteuid() || peer.uid == 0) return peer.pid;
  return Error(Kind::kDenied,
               fmt::format("{}: whoever listens there is user {}, neither you nor root; nothing "
                           "was sent to it",
                           address, peer.uid));
}

enum class BodyIs { kWhole, kChunked };

std::string HeadOf(const Ask& ask, BodyIs body) {
  std::string head = fmt::format("{} {} HTTP/1.1\r\nHost: localhost\r\nAccept: {}\r\n", ask.method,
                                 ask.target, ask.accept);
  const bool takes_body = ask.method == "POST" || ask.method == "PUT";
  if (body == BodyIs::kChunked) {
    head += "Transfer-Encoding: chunked\r\n";
  } else if (takes_body) {
    head += fmt::format("Content-Length: {}\r\n", ask.body.size());
  }
  if (!ask.upgrade.empty()) {
    head += fmt::format("Connection: Upgrade\r\nUpgrade: {}\r\n", ask.upgrade);
  }
  if (!ask.prefer.empty()) head += fmt::format("Prefer: {}\r\n", ask.prefer);
  if (!ask.content_type.empty()) head += fmt::format("Content-Type: {}\r\n", ask.content_type);
  return head + "\r\n";
}

Error Gone() { return Error(Kind::kUnavailable, "the daemon went away before it had answered"); }

std::string Escape(std::string_view text, std::string_view also) {
  std::string escaped;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                       also.find(c) != std::string_view::npos;
    if (plain) {
      escaped += c;
    } else {
      escaped += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    }
  }
  return escaped;
}

Kind KindNamed(std::string_view name) {
  for (const Kind kind :
       {Kind::kInvalid, Kind::kDenied, Kind::kNotFound, Kind::kExhausted, Kind::kUnavailable}) {
    if (KindName(kind) == name) return kind;
  }
  return Kind::kInternal;
}

}  // namespace

Result<Connection> Connection::Open(const std::string& address) {
  const sockaddr_un to = BJ_TRY(AddressOf(address));
  Fd socket(static_cast<int>(BJ_TRY(Check("socket", address, [] {
    return ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  }))));
  if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&to), sizeof(to)) != 0) {
    return CannotConnect(address, errno);
  }
  const pid_t listener = BJ_TRY(TrustedListener(socket, address));
  return Connection(std::move(socket), listener);
}

// Waits for one of `events` and returns those that occurred; an Error on timeout.
Result<short> Connection::Wait(short events, std::chrono::milliseconds longest) const {
  pollfd waited{socket_.get(), events, 0};
  const long ready = BJ_TRY(Check(
      "poll", "the daemon", [&] { return ::poll(&waited, 1, static_cast<int>(longest.count())); }));
  if (ready > 0) return waited.revents;
  return Error(Kind::kUnavailable,
               fmt::format("the daemon has said nothing for {} s", longest.count() / 1000));
}

Result<Connection::Sent> Connection::SendBytes(std::string_view rest) {
  while (!rest.empty()) {
    const ssize_t sent = ::send(socket_.get(), rest.data(), rest.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      rest.remove_prefix(static_cast<std::size_t>(sent));
      continue;
    }
    if (errno == EINTR) continue;
    // The daemon closed its reading side; there may be an answer to read.
    if (errno == EPIPE || errno == ECONNRESET) return Sent::kAnswered;
    if (errno != EAGAIN) return SysError("send", "the request to the daemon", errno);
    const short come = BJ_TRY(Wait(POLLIN | POLLOUT, kLongestStall));
    // The daemon answered (with a refusal) before it read the whole request.
    if ((come & POLLIN) != 0) return Sent::kAnswered;
  }
  return Sent::kAll;
}

Result<> Connection::Send(const Ask& ask) {
  const std::string head = HeadOf(ask, BodyIs::kWhole);
  if (BJ_TRY(SendBytes(head)) == Sent::kAnswered) return {};
  BJ_TRY(SendBytes(ask.body));
  return {};
}

Result<> Connection::Receive(ResponseReader& reader) {
  std::array<char, 64 << 10> piece;
  while (!reader.done()) {
    const ssize_t n = ::recv(socket_.get(), piece.data(), piece.size(), 0);
    if (n == 0) return reader.End();
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return {};
    if (n < 0) return Gone();
    BJ_TRY(reader.Feed({piece.data(), static_cast<std::size_t>(n)}));
  }
  return {};
}

Result<Answer> Connection::AwaitAnswer(const Bounds& bounds) {
  ResponseReader reader(bounds.body_bytes);
  while (!reader.done()) {
    BJ_TRY(Wait(POLLIN, bounds.silence));
    BJ_TRY(Receive(reader));
  }
  return Answer{reader.status(), reader.TakeBody()};
}

Result<Answer> Connection::Exchange(const Ask& ask, const Bounds& bounds) {
  BJ_TRY(Send(ask));
  return AwaitAnswer(bounds);
}

Result<Answer> Connection::Exchange(const Ask& ask, const BodySource& body, const Bounds& bounds) {
  bool answered = BJ_TRY(SendBytes(HeadOf(ask, BodyIs::kChunked))) == Sent::kAnswered;
  const auto send_chunk = [&](std::string_view bytes) -> Result<> {
    if (bytes.empty()) return {};  // an empty chunk would end the body
    const std::string size = fmt::format("{:x}\r\n", bytes.size());
    for (const std::string_view part : {std::string_view(size), bytes, std::string_view("\r\n")}) {
      if (!answered) answered = BJ_TRY(SendBytes(part)) == Sent::kAnswered;
    }
    if (answered) return Error(Kind::kUnavailable, "the daemon has answered before the end");
    return {};
  };
  auto made = body(send_chunk);
  if (!made && !answered) return std::move(made).error();
  if (!answered) BJ_TRY(SendBytes("0\r\n\r\n"));
  return AwaitAnswer(bounds);
}

// Reads byte by byte: the bytes behind the head belong to the stream.
Result<std::string> Connection::ReadHead(const Bounds& bounds) {
  std::string head;
  while (!head.ends_with("\r\n\r\n")) {
    if (head.size() == kMostStreamHead) return Gone();
    char next = 0;
    const ssize_t n = ::recv(socket_.get(), &next, 1, 0);
    if (n == 0) return Gone();
    if (n > 0) {
      head += next;
    } else if (errno == EAGAIN) {
      BJ_TRY(Wait(POLLIN, bounds.silence));
    } else if (errno != EINTR) {
      return Gone();
    }
  }
  return head;
}

Result<Connection::Upgraded> Connection::Upgrade(const Ask& ask, const Bounds& bounds) {
  BJ_TRY(Send(ask));
  const std::string head = BJ_TRY(ReadHead(bounds));
  ResponseReader reader(bounds.body_bytes);
  BJ_TRY(reader.Feed(head));
  Upgraded upgraded;
  upgraded.answer.status = reader.status();
  // Some daemons do not know the protocol's name, answer 200 in place of 101, and switch all the
  // same.
  if (reader.status() == 101 || reader.status() == 200) {
    upgraded.stream = std::move(socket_);
    return upgraded;
  }
  while (!reader.done()) {
    BJ_TRY(Wait(POLLIN, bounds.silence));
    BJ_TRY(Receive(reader));
  }
  upgraded.answer.body = reader.TakeBody();
  return upgraded;
}

std::string EscapeSegment(std::string_view text) { return Escape(text, "-._~"); }
std::string EscapePath(std::string_view path) { return Escape(path, "-._~/"); }

Error ErrorOf(std::string_view json_text) {
  const auto value = ParseJson(json_text);
  const json::value* const error =
      value && value->is_object() ? value->get_object().if_contains("error") : nullptr;
  const json::object* const object = error == nullptr ? nullptr : error->if_object();
  const json::value* const kind = object == nullptr ? nullptr : object->if_contains("kind");
  const json::value* const message = object == nullptr ? nullptr : object->if_contains("message");
  if (kind == nullptr || message == nullptr || !kind->is_string() || !message->is_string()) {
    return Error(Kind::kInternal, "the daemon's answer is not one of Belljar's");
  }
  return Error(KindNamed(kind->get_string()), std::string(message->get_string()));
}

Error ErrorOf(const Answer& answer) {
  Error error = ErrorOf(std::string_view(answer.body));
  if (error.kind() != Kind::kInternal || answer.status / 100 == 5) return error;
  return Error(Kind::kInternal, fmt::format("{} (status {})", error.message(), answer.status));
}

}  // namespace belljar::http::client
