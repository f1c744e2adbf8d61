#include "foundation/http/server/testing.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>

namespace belljar::http::server {
namespace {

constexpr std::chrono::milliseconds kPatience{5000};

Fd ConnectTo(const std::string& address) {
  sockaddr_storage where{};
  socklen_t length = 0;
  if (address.starts_with("unix:")) {
    auto* unix_address = reinterpret_cast<sockaddr_un*>(&where);
    unix_address->sun_family = AF_UNIX;
    address.substr(5).copy(unix_address->sun_path, sizeof(unix_address->sun_path) - 1);
    length = sizeof(*unix_address);
  } else {
    const std::size_t colon = address.rfind(':');
    auto* four = reinterpret_cast<sockaddr_in*>(&where);
    four->sin_family = AF_INET;
    four->sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
    ::inet_pton(AF_INET, address.substr(0, colon).c_str(), &four->sin_addr);
    length = sizeof(*four);
  }
  Fd socket(::socket(where.ss_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&where), length), 0) << address;
  return socket;
}

std::string HeaderOf(const std::string& head, std::string_view name) {
  const std::size_t at = head.find(fmt::format("\r\n{}: ", name));
  if (at == std::string::npos) return "";
  const std::size_t from = at + name.size() + 4;
  return head.substr(from, head.find("\r\n", from) - from);
}

}  // namespace

Client::Client(const std::string& address) : socket_(ConnectTo(address)) {}

void Client::Say(std::string_view bytes) { EXPECT_TRUE(TrySay(bytes)); }

bool Client::TrySay(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool Client::Fill() {
  const Result<bool> readable = WaitReadable(socket_, kPatience);
  if (!readable || !*readable) return false;
  char buffer[65536];
  const ssize_t size = ::recv(socket_.get(), buffer, sizeof(buffer), 0);
  if (size <= 0) return false;
  heard_.append(buffer, static_cast<std::size_t>(size));
  return true;
}

std::string Client::Take(std::size_t size) {
  std::string taken = heard_.substr(0, size);
  heard_.erase(0, size);
  return taken;
}

std::string Client::HearUntil(std::string_view end) {
  std::size_t at = heard_.find(end);
  while (at == std::string::npos) {
    if (!Fill()) return Take(heard_.size());
    at = heard_.find(end);
  }
  return Take(at + end.size());
}

std::string Client::HearChunks() {
  std::string body;
  for (;;) {
    const std::string line = HearUntil("\r\n");
    if (!line.ends_with("\r\n")) return body + "<cut>";
    const std::size_t size = std::stoul(line, nullptr, 16);
    while (heard_.size() < size + 2) {
      if (!Fill()) return body + "<cut>";
    }
    body += Take(size);
    EXPECT_EQ(Take(2), "\r\n");
    if (size == 0) return body;
  }
}

std::optional<Answer> Client::Hear(std::string_view method) {
  Answer answer;
  answer.head = HearUntil("\r\n\r\n");
  if (!answer.head.starts_with("HTTP/1.1 ")) return std::nullopt;
  answer.status = static_cast<unsigned>(std::stoul(answer.head.substr(9)));
  if (method == "HEAD" || answer.status == 100) return answer;
  if (HeaderOf(answer.head, "Transfer-Encoding") == "chunked") {
    answer.body = HearChunks();
    return answer;
  }
  const std::string length = HeaderOf(answer.head, "Content-Length");
  const std::size_t size = length.empty() ? 0 : std::stoul(length);
  while (heard_.size() < size) {
    if (!Fill()) return std::nullopt;
  }
  answer.body = Take(size);
  return answer;
}

Answer Client::Ask(std::string_view bytes) {
  Say(bytes);
  return Hear().value_or(Answer{});
}

bool Client::IsClosed() {
  const Result<bool> readable = WaitReadable(socket_, kPatience);
  char byte = 0;
  return readable && *readable && heard_.empty() && ::recv(socket_.get(), &byte, 1, 0) <= 0;
}

Limits ShortLimits() {
  using std::chrono::milliseconds;
  Limits limits;
  limits.workers.threads = limits.workers.threads_per_caller = 8;
  limits.linger = milliseconds(200);
  limits.accept_pause = milliseconds(10);
  return limits;
}

Handler Echo() {
  return [](Exchange exchange) {
    Response response;
    response.content_type = "text/plain";
    response.body = exchange.TakeBody();
    exchange.Answer(std::move(response));
  };
}

Options EchoOptions() {
  Options options;
  options.limits = ShortLimits();
  const Handler hello = [](Exchange exchange) {
    exchange.Answer(Response{200, "text/plain", "hello", {}});
  };
  EXPECT_TRUE(options.router.Add("POST", "/echo",
                                 {.scope = kOpen, .handler = Echo(), .body_limit = 65536}));
  EXPECT_TRUE(options.router.Add("GET", "/hello", {.scope = kOpen, .handler = hello}));
  EXPECT_TRUE(options.router.Add("GET", "/private", {.scope = "run", .handler = hello}));
  options.authenticate = [](const Request& request) -> Result<Principal> {
    const std::string name(request.headers.Find("Authorization").value_or("nobody"));
    if (name == "nobody") return Error(Kind::kDenied, "a token is needed");
    if (name == "guest") return Principal{name, {}};
    return Principal{name, {"run"}};
  };
  return options;
}

TestServer::TestServer(Options options) {
  if (options.listen.empty()) options.listen = {"unix:" + directory_ / "s"};
  auto server = Server::Create(std::move(options));
  EXPECT_TRUE(server) << (server ? "" : server.error().message());
  server_ = *std::move(server);
  EXPECT_TRUE(server_->Start());
}

std::string Get(std::string_view path, std::string_view headers) {
  return fmt::format("GET {} HTTP/1.1\r\nHost: localhost\r\n{}\r\n", path, headers);
}

std::string Post(std::string_view path, std::string_view body, std::string_view headers) {
  return fmt::format("POST {} HTTP/1.1\r\nHost: localhost\r\nContent-Length: {}\r\n{}\r\n{}", path,
                     body.size(), headers, body);
}

}  // namespace belljar::http::server
