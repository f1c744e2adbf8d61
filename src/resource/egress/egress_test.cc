#include "resource/egress/egress.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <thread>

#include "foundation/base/sys.h"

namespace belljar::resource::egress {
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

// Reads until end of file, or until `until` has arrived.
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

// An HTTP server that answers every request; it serves one connection at a time.
class Origin {
 public:
  Origin() : listener_(Listen(&port_)), thread_([this] { Serve(); }) {}
  ~Origin() {
    stopped_ = true;
    ::shutdown(listener_.get(), SHUT_RDWR);
  }
  std::uint16_t port() const { return port_; }
  int connections() const { return connections_; }
  // From now on closes each connection after its answer, without announcing it.
  void Leave() { leaves_ = true; }
  // Serves each connection with `play` instead. Must be set before the first connection.
  using Play = std::function<void(const Fd& client)>;
  void Act(Play play) { play_ = std::move(play); }

 private:
  void Serve() {
    while (!stopped_) {
      const Fd client(::accept(listener_.get(), nullptr, nullptr));
      if (!client) return;
      ++connections_;
      if (play_) {
        play_(client);
        continue;
      }
      while (!Receive(client, "\r\n\r\n").empty()) {
        Send(client, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello");
        if (leaves_) break;
      }
    }
  }

  std::uint16_t port_ = 0;
  Play play_;
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
      answers_names_.wait(false);
      return std::vector{*request::Address::Parse(resolves_to_.load())};
    };
    options.limits.head_time = head_time_;
    options.limits.connect_time = connect_time_;
    options.limits.quiet_time = 10s;
    options.limits.look = 10ms;
    egress_ = *Egress::Create(std::move(options));
    const Fd listener = Listen(&port_);
    EgressTerms terms;
    terms.hosts = *request::ParseHostPatterns({Host()});
    if (!secret_.empty()) {
      terms.secrets.push_back({terms.hosts.front(), judgement::policy::Secret::Scheme::kHttp,
                               "X-Key", "PLACE", secret_});
    }
    terms.max_requests = terms.requests_per_minute = 1000;
    terms.max_bytes = max_bytes_;
    terms.unsafe_private = *request::ParseAddressRanges({"127.0.0.1"});
    listener_ =
        *egress_->Open(listener, std::move(terms), [this](std::span<const Call> calls) -> Result<> {
          const std::lock_guard lock(mutex_);
          told_.insert(told_.end(), calls.begin(), calls.end());
          if (recorder_fails_) return Error(Kind::kUnavailable, "no log");
          return {};
        });
  }

  std::string Host() const { return "a.com:" + std::to_string(origin_.port()); }

  std::string Request(const std::string& method = "GET", const std::string& more = "") const {
    return method + " http://" + Host() + "/ HTTP/1.1\r\nHost: " + Host() + "\r\n" + more + "\r\n";
  }

  // The guest's view of a server that answers `said` to its request.
  std::string AnswerTo(const std::string& request, const std::string& said) {
    origin_.Act([said](const Fd& client) {
      Receive(client, "\r\n\r\n");
      Send(client, said);
    });
    Open();
    const Fd client = Connect(port_);
    Send(client, request);
    return Receive(client);
  }

  // Sends a request as a client does that opens one connection per request.
  std::string AskOnce() const {
    const Fd client = Connect(port_);
    std::string request = Request();
    Send(client, request.insert(request.size() - 2, "Connection: close\r\n"));
    return Receive(client);
  }

  std::vector<Call> Told() {
    listener_->Close();
    const std::lock_guard lock(mutex_);
    return told_;
  }

  Origin origin_;
  std::atomic<int> lookups_{0};
  std::atomic<const char*> resolves_to_{"127.0.0.1"};
  std::uint64_t max_bytes_ = 1 << 20;
  std::atomic<bool> answers_names_{true};
  std::chrono::milliseconds head_time_ = 150ms;
  std::chrono::milliseconds connect_time_ = 10s;
  bool recorder_fails_ = false;
  std::string secret_;  // for the one host; may be empty
  std::uint16_t port_ = 0;
  std::mutex mutex_;
  std::vector<Call> told_;
  std::unique_ptr<Egress> egress_;
  std::unique_ptr<EgressListener> listener_;
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
  EXPECT_EQ(listener_->calls(), 3U);
}

TEST_F(EgressTest, KeepsTheConnectionToAServerForTheNextClient) {
  Open();
  for (int i = 0; i < 3; ++i) EXPECT_NE(AskOnce().find("200 OK"), std::string::npos);
  EXPECT_EQ(origin_.connections(), 1);
  listener_->Revoke();
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
  listener_->Revoke();
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

TEST_F(EgressTest, ShutsTheListenerOfACellWhoseCallsCannotBeRecorded) {
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

TEST_F(EgressTest, ServesManyConnectionsAtOnceAndLetsOneMoreWaitForItsTurn) {
  head_time_ = 10s;
  Open();
  std::vector<Fd> clients;
  for (std::size_t i = 0; i < EgressLimits{}.connections; ++i) clients.push_back(Connect(port_));
  const Fd one_more = Connect(port_);
  Send(one_more, Request());
  pollfd answer{one_more.get(), POLLIN, 0};
  EXPECT_EQ(::poll(&answer, 1, 200), 0) << "it waits";
  Send(clients.back(), "GET / HTTP/1.1\r\nHost: a.com\r\n\r\n");
  EXPECT_TRUE(Receive(clients.back(), "\r\n").starts_with("HTTP/1.1 400 "));
  clients.pop_back();
  EXPECT_TRUE(Receive(one_more, "hello").starts_with("HTTP/1.1 200 "));
}

constexpr std::string_view kHello = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello";

// A server that answers the first request of a connection, and sends `last` for the second and
// closes.
class EgressAgain : public EgressTest {
 protected:
  std::string SecondAnswer(const std::string& method, const std::string& last) {
    origin_.Act([this, method, last](const Fd& client) {
      Receive(client, "\r\n\r\n");
      Send(client, std::string(kHello));
      if (Receive(client, "\r\n\r\n").starts_with(method)) ++seen_;
      if (!last.empty()) Send(client, last);
    });
    Open();
    const Fd client = Connect(port_);
    Send(client, Request());
    Receive(client, "hello");
    Send(client, Request(method, method == "GET" ? "" : "Content-Length: 0\r\n"));
    return Receive(client, "hello");
  }

  std::atomic<int> seen_{0};
};

TEST_F(EgressAgain, IsAskedByWhatChangesNothing) {
  EXPECT_NE(SecondAnswer("GET", "").find("200 OK"), std::string::npos);
  EXPECT_EQ(origin_.connections(), 2);
}

TEST_F(EgressAgain, IsNotAskedByWhatMayHaveBeenDone) {
  const std::string answer = SecondAnswer("POST", "");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 502 ")) << answer;
  EXPECT_EQ(origin_.connections(), 1);
  EXPECT_EQ(seen_, 1);
}

TEST_F(EgressAgain, IsNotAskedOnceAnAnswerHasBegun) {
  const std::string answer = SecondAnswer("GET", "HTTP/1.1 2");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 502 ")) << answer;
  EXPECT_EQ(origin_.connections(), 1);
}

TEST_F(EgressTest, PassesTheAnswerThatStandsBehindInterimOnes) {
  const std::string answer =
      AnswerTo(Request("GET", "Connection: close\r\n"),
               "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n" +
                   std::string(kHello));
  EXPECT_EQ(answer, kHello);
}

TEST_F(EgressTest, PassesAnAnswerThatComesBeforeTheBodyHasGone) {
  const std::string said = "HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\n\r\nno";
  const std::string head = Request("POST", "Content-Length: 900000\r\n");
  EXPECT_EQ(AnswerTo(head + std::string(50'000, 'x'), said), said);
  const auto told = Told();
  ASSERT_EQ(told.size(), 1U);
  EXPECT_EQ(told[0].status, 413U);
  EXPECT_EQ(told[0].refusal, "");
}

TEST_F(EgressTest, AnswersABodyThatCannotBeRead) {
  origin_.Act([](const Fd& client) { Receive(client); });
  Open();
  const Fd client = Connect(port_);
  Send(client, Request("POST", "Transfer-Encoding: chunked\r\n") + "1\r\na\r\n0\r\nX: y\r\n\r\n");
  const std::string answer = Receive(client);
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 400 ")) << answer;
  EXPECT_NE(answer.find("the body is malformed"), std::string::npos) << answer;
}

TEST_F(EgressTest, SaysWhatIsWrongWithAHead) {
  Open();
  const Fd client = Connect(port_);
  Send(client, Request("POST", "Content-Length: 1\r\nContent-Length: 2\r\n"));
  const std::string answer = Receive(client);
  EXPECT_NE(answer.find("Content-Length"), answer.rfind("Content-Length")) << answer;
}

TEST_F(EgressTest, PassesNothingOfAnAnswerThatCannotBeRead) {
  const std::string answer =
      AnswerTo(Request(), "HTTP/1.1 200 OK\r\nX: " + std::string(200'000, 'x') + "\r\n\r\n");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 502 ")) << answer.substr(0, 200);
  EXPECT_NE(answer.find("the server's answer is malformed"), std::string::npos);
}

TEST_F(EgressTest, RefusesAPartOfAnAnswerThatIsToBeSearched) {
  secret_ = "real-value";
  const std::string answer =
      AnswerTo(Request(), "HTTP/1.1 206 Partial Content\r\nContent-Length: 5\r\n\r\n-valu");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 502 ")) << answer;
  EXPECT_EQ(answer.find("-valu"), std::string::npos) << answer;
}

TEST_F(EgressTest, HoldsBackTheEndOfAnAnswerWhateverItIs) {
  secret_ = "real-value";
  std::atomic<const char*> last{""};
  std::atomic<int> read{0};
  origin_.Act([&](const Fd& client) {
    const int before = read;
    Receive(client, "\r\n\r\n");
    Send(client, "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nbegin " + std::string(last));
    read.wait(before);
  });
  Open();
  for (const char* const guess : {"12345678 real-v", "12345678 xxxx-x"}) {
    last = guess;
    const Fd client = Connect(port_);
    Send(client, Request());
    EXPECT_TRUE(Receive(client, "begin 123456").ends_with("begin 123456")) << guess;
    ++read;
    read.notify_all();
    Receive(client);
  }
}

TEST_F(EgressTest, TakesAHostOrAnAddressOrAMethodAwayWhileItIsUsed) {
  origin_.Act([](const Fd& client) {
    Receive(client, "\r\n\r\n");
    Send(client, "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhe");
    Receive(client);
  });
  EgressTerms same;
  same.hosts = *request::ParseHostPatterns({Host()});
  same.unsafe_private = *request::ParseAddressRanges({"127.0.0.1"});
  EgressTerms host = same, address = same, method = same;
  host.hosts = *request::ParseHostPatterns({"b.com"});
  address.unsafe_private.clear();
  method.methods = {"POST"};
  for (const auto& [now, why] :
       {std::pair(host, "blocked-by-allowlist"), std::pair(address, "blocked-by-policy"),
        std::pair(method, "blocked-by-method-policy")}) {
    told_.clear();
    const int before = origin_.connections();
    Open();
    const Fd open = Connect(port_);
    Send(open, Request());
    EXPECT_TRUE(Receive(open, "\r\n\r\nhe").ends_with("he"));
    listener_->Narrow(now);
    EXPECT_EQ(Receive(open), "") << "it is closed";
    EXPECT_NE(AskOnce().find(why), std::string::npos);
    EXPECT_EQ(origin_.connections(), before + 1);
    EXPECT_EQ(Told()[0].refusal, "revoked") << "and not late: " << why;
    listener_.reset();
  }
}

TEST_F(EgressTest, LeavesAHostThatIsStillAllowed) {
  Open();
  const Fd open = Connect(port_);
  Send(open, Request());
  EXPECT_NE(Receive(open, "hello"), "");
  EgressTerms now;
  now.hosts = *request::ParseHostPatterns({Host(), "b.com"});
  now.unsafe_private = *request::ParseAddressRanges({"127.0.0.1"});
  listener_->Narrow(now);
  Send(open, Request());
  EXPECT_NE(Receive(open, "hello"), "");
  EXPECT_EQ(origin_.connections(), 1);
}

TEST_F(EgressTest, LooksUpNoNameForWhoHasGoneMeanwhile) {
  constexpr int kAtOnce = 4, kMore = 20;
  connect_time_ = 50ms;
  answers_names_ = false;
  Open();
  std::vector<Fd> clients;
  for (int i = 0; i < kAtOnce + kMore; ++i) {
    clients.push_back(Connect(port_));
    Send(clients.back(), Request());
  }
  for (const Fd& client : clients) EXPECT_EQ(Receive(client), "") << "it took too long";
  std::this_thread::sleep_for(50ms);
  EXPECT_EQ(lookups_, kAtOnce) << "threads that other cells need";
  answers_names_ = true;
  answers_names_.notify_all();
}

}  // namespace
}  // namespace belljar::resource::egress
