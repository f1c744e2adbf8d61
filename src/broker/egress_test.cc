#include "broker/egress.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "base/sys.h"

namespace belljar::broker {
namespace {

using namespace std::chrono_literals;

sockaddr_in Loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return address;
}

Fd Listen(std::uint16_t* port) {
  Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address = Loopback(0);
  socklen_t size = sizeof(address);
  EXPECT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  EXPECT_EQ(::listen(socket.get(), 128), 0);
  EXPECT_EQ(::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  *port = ntohs(address.sin_port);
  return socket;
}

Fd Connect(std::uint16_t port) {
  Fd socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = Loopback(port);
  EXPECT_EQ(::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)),
            0);
  return socket;
}

void Send(const Fd& socket, const std::string& text) {
  EXPECT_EQ(::send(socket.get(), text.data(), text.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(text.size()));
}

// Until the end, or until `until` has come.
std::string Receive(const Fd& socket, std::string_view until = "") {
  std::string text;
  std::array<char, 4096> chunk;
  while (until.empty() || text.find(until) == std::string::npos) {
    const ssize_t n = ::recv(socket.get(), chunk.data(), chunk.size(), 0);
    if (n <= 0) break;
    text.append(chunk.data(), static_cast<std::size_t>(n));
  }
  return text;
}

// Answers every request on every connection, one connection at a time.
class Origin {
 public:
  Origin() : listener_(Listen(&port_)), thread_([this] { Serve(); }) {}
  ~Origin() {
    stopped_ = true;
    ::shutdown(listener_.get(), SHUT_RDWR);
  }
  std::uint16_t port() const { return port_; }
  int connections() const { return connections_; }
  // Closes after each answer from now on, without having said so.
  void Leave() { leaves_ = true; }

 private:
  void Serve() {
    while (!stopped_) {
      const Fd client(::accept(listener_.get(), nullptr, nullptr));
      if (!client) return;
      ++connections_;
      while (!Receive(client, "\r\n\r\n").empty()) {
        Send(client, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
        if (leaves_) break;
      }
    }
  }

  std::uint16_t port_ = 0;
  Fd listener_;
  std::atomic<bool> stopped_{false};
  std::atomic<bool> leaves_{false};
  std::atomic<int> connections_{0};
  std::jthread thread_;
};

class EgressTest : public testing::Test {
 protected:
  void Open() {
    Egress::Options options;
    options.resolve = [this](const std::string&) {
      ++lookups_;
      return std::vector{*policy::Address::Parse(resolves_to_.load())};
    };
    options.limits.head_time = 150ms;
    options.limits.look = 10ms;
    egress_ = *Egress::Create(std::move(options));
    const Fd listener = Listen(&port_);
    EgressTerms terms;
    terms.hosts = *policy::ParseHostPatterns({"a.com:" + std::to_string(origin_.port())});
    terms.max_requests = terms.requests_per_minute = 1000;
    terms.max_bytes = max_bytes_;
    terms.unsafe_private = *policy::ParseAddressRanges({"127.0.0.1"});
    door_ =
        *egress_->Open(listener, std::move(terms), [this](std::span<const Call> calls) -> Result<> {
          const std::lock_guard lock(mutex_);
          told_.insert(told_.end(), calls.begin(), calls.end());
          if (recorder_fails_) return Error(Kind::kUnavailable, "no log");
          return {};
        });
  }

  std::string Request() const {
    const std::string host = "a.com:" + std::to_string(origin_.port());
    return "GET http://" + host + "/ HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
  }

  // By a client that makes a connection for each request.
  std::string AskOnce() const {
    const Fd client = Connect(port_);
    std::string request = Request();
    Send(client, request.insert(request.size() - 2, "Connection: close\r\n"));
    return Receive(client);
  }

  std::vector<Call> Told() {
    door_->Close();
    const std::lock_guard lock(mutex_);
    return told_;
  }

  Origin origin_;
  std::atomic<int> lookups_{0};
  std::atomic<const char*> resolves_to_{"127.0.0.1"};
  std::uint64_t max_bytes_ = 1 << 20;
  bool recorder_fails_ = false;
  std::uint16_t port_ = 0;
  std::mutex mutex_;
  std::vector<Call> told_;
  std::unique_ptr<Egress> egress_;
  std::unique_ptr<EgressDoor> door_;
};

TEST_F(EgressTest, ForwardsOneRequestAfterTheOtherOverOneConnection) {
  Open();
  const Fd client = Connect(port_);
  for (int i = 0; i < 3; ++i) {
    Send(client, Request());
    EXPECT_TRUE(Receive(client, "hello").starts_with("HTTP/1.1 200 OK\r\n"));
  }
  EXPECT_EQ(origin_.connections(), 1);
  EXPECT_EQ(lookups_, 1);
  const auto told = Told();
  ASSERT_EQ(told.size(), 3U);
  EXPECT_EQ(told[0].method, "GET");
  EXPECT_EQ(told[0].host, "a.com");
  EXPECT_EQ(told[0].address, "127.0.0.1");
  EXPECT_EQ(told[0].status, 200U);
  EXPECT_EQ(told[0].refusal, "");
  EXPECT_EQ(told[0].received, 43U);
  EXPECT_EQ(door_->calls(), 3U);
}

TEST_F(EgressTest, KeepsTheConnectionToAServerForTheNextClient) {
  Open();
  for (int i = 0; i < 3; ++i) EXPECT_NE(AskOnce().find("200 OK"), std::string::npos);
  EXPECT_EQ(origin_.connections(), 1);
  door_->Revoke();
  EXPECT_NE(AskOnce().find("blocked-by-policy"), std::string::npos);
}

TEST_F(EgressTest, AsksAgainWhereTheServerHasLeftMeanwhile) {
  origin_.Leave();
  Open();
  for (int i = 0; i < 3; ++i) EXPECT_NE(AskOnce().find("200 OK"), std::string::npos);
  EXPECT_EQ(origin_.connections(), 3);
}

TEST_F(EgressTest, JudgesEveryNewConnectionByWhatTheNameIsThen) {
  Open();
  const Fd first = Connect(port_);
  Send(first, Request());
  EXPECT_NE(Receive(first, "hello").find("200 OK"), std::string::npos);
  resolves_to_ = "169.254.169.254";
  const Fd second = Connect(port_);
  Send(second, Request());
  const std::string refused = Receive(second);
  EXPECT_NE(refused.find("x-proxy-error: blocked-by-policy\r\n"), std::string::npos) << refused;
  EXPECT_NE(refused.find("a.com is at a metadata address"), std::string::npos) << refused;
  EXPECT_EQ(origin_.connections(), 1);
}

TEST_F(EgressTest, EndsAConnectionThatSaysHalfARequestAndNoMore) {
  Open();
  const Fd client = Connect(port_);
  Send(client, "GET http://a.com/ HTTP/1.1\r\nHost:");
  EXPECT_EQ(Receive(client), "");
  const Fd silent = Connect(port_);
  EXPECT_EQ(Receive(silent), "");
}

TEST_F(EgressTest, TakesTheNetworkAwayWhileItIsUsed) {
  Open();
  const Fd open = Connect(port_);
  Send(open, Request());
  EXPECT_NE(Receive(open, "hello"), "");
  door_->Revoke();
  EXPECT_EQ(Receive(open), "") << "it is closed";
  const Fd later = Connect(port_);
  Send(later, Request());
  const std::string refused = Receive(later);
  EXPECT_TRUE(refused.starts_with("HTTP/1.1 403 ")) << refused;
  EXPECT_NE(refused.find("x-proxy-error: blocked-by-policy\r\n"), std::string::npos) << refused;
  EXPECT_EQ(origin_.connections(), 1);
}

TEST_F(EgressTest, EndsACallThatMovesMoreBytesThanAreLeft) {
  max_bytes_ = 70;
  Open();
  const Fd client = Connect(port_);
  Send(client, Request());
  EXPECT_EQ(Receive(client), "");
  const auto told = Told();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].refusal, "limit-reached");
}

TEST_F(EgressTest, ShutsTheDoorOfACellWhoseCallsCannotBeRecorded) {
  recorder_fails_ = true;
  Open();
  const Fd client = Connect(port_);
  Send(client, Request());
  Receive(client, "hello");
  EXPECT_EQ(Receive(client), "") << "it is closed";
  const Fd later = Connect(port_);
  Send(later, Request());
  EXPECT_TRUE(Receive(later).starts_with("HTTP/1.1 403 "));
}

TEST_F(EgressTest, ServesManyConnectionsAtOnceAndNoMoreThanItsLimit) {
  Open();
  std::vector<Fd> clients;
  for (std::size_t i = 0; i < EgressLimits{}.connections; ++i) clients.push_back(Connect(port_));
  Send(clients.back(), "GET / HTTP/1.1\r\nHost: a.com\r\n\r\n");
  EXPECT_TRUE(Receive(clients.back(), "\r\n").starts_with("HTTP/1.1 400 "));
  const Fd one_more = Connect(port_);
  EXPECT_EQ(Receive(one_more), "");
}

}  // namespace
}  // namespace belljar::broker
