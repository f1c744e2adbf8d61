// Bounds in time and number, with clients that try to exceed them.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <latch>
#include <thread>

#include "foundation/http/server/testing.h"

namespace belljar::http::server {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using testing::HasSubstr;

std::chrono::milliseconds TimeOf(const std::function<void()>& act) {
  const auto since = std::chrono::steady_clock::now();
  act();
  return std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - since);
}

TEST(HttpSlowness, AHeadThatTricklesInIsCutOff) {
  Options options = EchoOptions();
  options.limits.head_time = milliseconds(150);
  TestServer server(std::move(options));
  Client client = server.Connect();
  const auto took = TimeOf([&] {
    for (int i = 0; i < 100 && client.TrySay("G"); ++i) {
      const auto readable = WaitReadable(client.socket(), milliseconds(10));
      if (readable && *readable) break;
    }
  });
  EXPECT_EQ(client.Hear().value_or(Answer{}).status, 408u);
  EXPECT_TRUE(client.IsClosed());
  EXPECT_GE(took, milliseconds(140));
}

TEST(HttpSlowness, AClientThatSaysNothingIsDropped) {
  Options options = EchoOptions();
  options.limits.head_time = milliseconds(50);
  TestServer server(std::move(options));
  EXPECT_TRUE(server.Connect().IsClosed());
}

TEST(HttpSlowness, AnIdleConnectionIsClosedButLaterThanASlowHead) {
  Options options = EchoOptions();
  options.limits.head_time = milliseconds(30);
  options.limits.idle_time = milliseconds(200);
  TestServer server(std::move(options));
  Client client = server.Connect();
  EXPECT_EQ(client.Ask(Get("/hello")).status, 200u);
  const auto took = TimeOf([&] { EXPECT_TRUE(client.IsClosed()); });
  EXPECT_GE(took, milliseconds(150));
  EXPECT_LT(took, seconds(3));
}

TEST(HttpSlowness, TheSecondHeadHasItsOwnClock) {
  Options options = EchoOptions();
  options.limits.head_time = milliseconds(50);
  TestServer server(std::move(options));
  Client client = server.Connect();
  EXPECT_EQ(client.Ask(Get("/hello")).status, 200u);
  EXPECT_EQ(client.Ask("GET /hel").status, 408u);
}

TEST(HttpSlowness, ABodyBelowTheLeastRateIsCutOff) {
  Options options = EchoOptions();
  options.limits.body_grace = milliseconds(100);
  options.limits.least_bytes_per_second = 1000;
  TestServer server(std::move(options));
  Client client = server.Connect();
  client.Say("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n");
  // Sends about a tenth of the least rate.
  bool answered = false;
  for (int i = 0; i < 500 && !answered && client.TrySay("a"); ++i) {
    const auto readable = WaitReadable(client.socket(), milliseconds(10));
    answered = readable && *readable;
  }
  EXPECT_EQ(client.Hear().value_or(Answer{}).status, 408u);
}

TEST(HttpSlowness, ABodyAboveTheLeastRateMayTakeLongerThanTheGrace) {
  Options options = EchoOptions();
  options.limits.body_grace = milliseconds(100);
  options.limits.least_bytes_per_second = 1000;
  TestServer server(std::move(options));
  Client client = server.Connect();
  client.Say("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2000\r\n\r\n");
  for (int i = 0; i < 20; ++i) {
    client.Say(std::string(100, 'a'));
    std::this_thread::sleep_for(milliseconds(20));
  }
  EXPECT_EQ(client.Hear().value_or(Answer{}).status, 200u);
}

TEST(HttpSlowness, AClientThatDoesNotReadItsAnswerIsDropped) {
  Options options = EchoOptions();
  options.limits.write_grace = milliseconds(100);
  options.limits.least_bytes_per_second = 1 << 30;
  const Handler large = [](Exchange exchange) {
    exchange.Answer(Response{200, "text/plain", std::string(8 << 20, 'a'), {}});
  };
  ASSERT_TRUE(options.router.Add("GET", "/large", {.scope = kOpen, .handler = large}));
  TestServer server(std::move(options));
  Client client = server.Connect();
  client.Say(Get("/large"));
  EXPECT_TRUE(Eventually([&] { return server->stats().requests == 1; }));
  EXPECT_TRUE(Eventually([&] { return server->stats().connections == 0; }));
}

TEST(HttpNumbers, OneConnectionTooManyHears503) {
  Options options = EchoOptions();
  options.limits.connections = 2;
  TestServer server(std::move(options));
  Client first = server.Connect();
  Client second = server.Connect();
  EXPECT_EQ(first.Ask(Get("/hello")).status, 200u);
  EXPECT_EQ(second.Ask(Get("/hello")).status, 200u);
  const Answer refusal = server.Connect().Hear().value_or(Answer{});
  EXPECT_EQ(refusal.status, 503u);
  EXPECT_THAT(refusal.head, HasSubstr("Retry-After: 1\r\n"));
  EXPECT_EQ(server->stats().turned_away, 1u);
  first.Leave();
  ASSERT_TRUE(Eventually([&] { return server->stats().connections == 1; }));
  EXPECT_EQ(server.Connect().Ask(Get("/hello")).status, 200u) << "a place given back is free";
}

TEST(HttpNumbers, OnePeerDoesNotTakeAllConnections) {
  TemporaryDirectory directory;
  Options options = EchoOptions();
  options.limits.connections_per_peer = 1;
  options.listen = {"unix:" + directory / "s", "127.0.0.1:0"};
  TestServer server(std::move(options));
  Client by_uid = server.Connect();
  EXPECT_EQ(by_uid.Ask(Get("/hello")).status, 200u);
  EXPECT_EQ(server.Connect().Hear().value_or(Answer{}).status, 503u);
  const std::string tcp = server->addresses().at(1);
  Client by_address(tcp);
  EXPECT_EQ(by_address.Ask("GET /hello HTTP/1.1\r\nHost: " + tcp + "\r\n\r\n").status, 200u);
  EXPECT_EQ(Client(tcp).Hear().value_or(Answer{}).status, 503u);
}

// Handlers that block until the test releases them.
class HttpQueue : public testing::Test {
 protected:
  Options Blocking() {
    Options options = EchoOptions();
    const Handler block = [this](Exchange exchange) {
      ++running_;
      release_.wait();
      exchange.Answer(Response{200, "text/plain", "done", {}});
    };
    EXPECT_TRUE(options.router.Add("GET", "/block", {.scope = "run", .handler = block}));
    const Handler health = [](Exchange exchange) { exchange.Answer(Response{}); };
    EXPECT_TRUE(options.router.Add("GET", "/health",
                                   {.scope = kOpen, .handler = health, .runs_on = RunsOn::kLoop}));
    return options;
  }
  static std::string Block(const std::string& caller) {
    return Get("/block", "Authorization: " + caller + "\r\n");
  }

  std::atomic<int> running_{0};
  std::latch release_{1};
};

TEST_F(HttpQueue, AFullQueueAnswers429AtOnceAndLivesOn) {
  Options options = Blocking();
  options.limits.workers = {
      .threads = 1, .threads_per_caller = 1, .queue = 1, .queue_per_caller = 1};
  TestServer server(std::move(options));
  Client running = server.Connect();
  Client waiting = server.Connect();
  Client refused = server.Connect();
  running.Say(Block("ann"));
  ASSERT_TRUE(Eventually([&] { return running_ == 1; }));
  waiting.Say(Block("ann"));
  ASSERT_TRUE(Eventually([&] { return server->stats().waiting == 1; }));
  const Answer answer = refused.Ask(Block("ann"));
  EXPECT_EQ(answer.status, 429u);
  EXPECT_THAT(answer.head, HasSubstr("Retry-After: 1\r\n"));
  EXPECT_EQ(server->stats().queue_full, 1u);
  EXPECT_EQ(refused.Ask(Get("/health")).status, 200u) << "what runs on the loop needs no worker";
  release_.count_down();
  EXPECT_EQ(running.Hear().value_or(Answer{}).body, "done");
  EXPECT_EQ(waiting.Hear().value_or(Answer{}).body, "done");
  EXPECT_EQ(refused.Ask(Block("ann")).body, "done") << "on the connection that was refused";
}

TEST_F(HttpQueue, OneCallersFloodLeavesRoomForAnother) {
  Options options = Blocking();
  options.limits.workers = {
      .threads = 2, .threads_per_caller = 1, .queue = 4, .queue_per_caller = 2};
  TestServer server(std::move(options));
  std::vector<Client> flood;
  for (std::size_t i = 0; i < 3; ++i) {
    flood.push_back(server.Connect());
    flood.back().Say(Block("greedy"));
    ASSERT_TRUE(Eventually([&] { return running_ == 1 && server->stats().waiting == i; }));
  }
  EXPECT_EQ(server.Connect().Ask(Block("greedy")).status, 429u);
  EXPECT_EQ(server.Connect().Ask(Get("/private", "Authorization: ann\r\n")).status, 200u);
  release_.count_down();
  for (Client& client : flood) EXPECT_EQ(client.Hear().value_or(Answer{}).body, "done");
}

TEST_F(HttpQueue, HandlersThatBlockHoldUpNoLoop) {
  Options options = Blocking();
  options.limits.workers = {
      .threads = 2, .threads_per_caller = 2, .queue = 9, .queue_per_caller = 9};
  options.limits.io_threads = 2;
  TestServer server(std::move(options));
  std::vector<Client> blocked;  // connections are distributed over the loops round-robin
  for (int i = 0; i < 4; ++i) {
    blocked.push_back(server.Connect());
    blocked.back().Say(Block("ann"));
  }
  ASSERT_TRUE(Eventually([&] { return running_ == 2 && server->stats().waiting == 2; }));
  for (int i = 0; i < 4; ++i) EXPECT_EQ(server.Connect().Ask(Get("/health")).status, 200u);
  EXPECT_EQ(running_, 2);
  release_.count_down();
  for (Client& client : blocked) EXPECT_EQ(client.Hear().value_or(Answer{}).body, "done");
}

TEST(HttpNumbers, BodiesTogetherAreBounded) {
  Options options = EchoOptions();
  options.limits.body_memory_bytes = 10000;
  TestServer server(std::move(options));
  Client holder = server.Connect();
  holder.Say("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 6000\r\n\r\n");
  ASSERT_TRUE(Eventually([&] { return server->stats().body_memory_bytes == 6000; }));
  EXPECT_EQ(server.Connect().Ask(Post("/echo", std::string(5000, 'a'))).status, 503u);
  EXPECT_EQ(server.Connect().Ask(Post("/echo", std::string(4000, 'a'))).status, 200u);
  const std::string chunk = fmt::format("1388\r\n{}\r\n", std::string(5000, 'a'));
  const std::string chunked = "POST /echo HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
  EXPECT_EQ(server.Connect().Ask(chunked + chunk).status, 503u) << "without a length, too";
  holder.Say(std::string(6000, 'a'));
  EXPECT_EQ(holder.Hear().value_or(Answer{}).status, 200u);
  EXPECT_TRUE(Eventually([&] { return server->stats().body_memory_bytes == 0; }));
}

TEST_F(HttpQueue, PipelinedRequestsAreNotReadWithoutBound) {
  TestServer server(Blocking());
  Client client = server.Connect();
  client.Say(Block("ann"));
  ASSERT_TRUE(Eventually([&] { return running_ == 1; }));
  // Far more than the server and the kernel buffer: at some point the server stops reading.
  const std::string flood(1 << 16, 'a');
  std::size_t taken = 0;
  for (;;) {
    const ssize_t sent =
        ::send(client.socket().get(), flood.data(), flood.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent > 0) taken += static_cast<std::size_t>(sent);
    ASSERT_LT(taken, std::size_t{64} << 20);
    if (sent <= 0) {
      const std::size_t before = taken;
      std::this_thread::sleep_for(milliseconds(20));
      if (::send(client.socket().get(), flood.data(), 1, MSG_DONTWAIT | MSG_NOSIGNAL) <= 0 &&
          taken == before)
        break;
    }
  }
  release_.count_down();
  EXPECT_EQ(client.Hear().value_or(Answer{}).body, "done");
}

TEST(HttpAccept, RunningOutOfDescriptorsIsWaitedOut) {
  TestServer server;
  Client early = server.Connect();
  EXPECT_EQ(early.Ask(Get("/hello")).status, 200u);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &before), 0);
  Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  std::vector<Fd> all;
  const rlimit scarce{static_cast<rlim_t>(socket.get()) + 8, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &scarce), 0);
  for (int fd = ::dup(0); fd >= 0; fd = ::dup(0)) all.emplace_back(fd);
  sockaddr_un where{};
  where.sun_family = AF_UNIX;
  server.address().substr(5).copy(where.sun_path, sizeof(where.sun_path) - 1);
  ASSERT_EQ(::connect(socket.get(), reinterpret_cast<sockaddr*>(&where), sizeof(where)), 0);
  EXPECT_TRUE(Eventually([&] { return server->stats().accept_failures >= 2; }));
  const std::uint64_t failures = server->stats().accept_failures;
  std::this_thread::sleep_for(milliseconds(50));
  EXPECT_LE(server->stats().accept_failures, failures + 10) << "it must pause, not spin";
  EXPECT_EQ(early.Ask(Get("/hello")).status, 200u) << "those who are in are served";
  all.clear();
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &before), 0);
  EXPECT_TRUE(Eventually([&] { return server->stats().connections == 2; }));
}

}  // namespace
}  // namespace belljar::http::server
