// The server over real sockets, with well-behaved clients.
#include "foundation/http/server/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <thread>
#include <vector>

#include "foundation/http/server/testing.h"

namespace belljar::http::server {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(HttpServer, AnswersManyRequestsOnOneConnection) {
  TestServer server;
  Client client = server.Connect();
  for (int i = 0; i < 50; ++i) {
    const std::string body = "number " + std::to_string(i);
    const Answer answer = client.Ask(Post("/echo", body));
    EXPECT_EQ(answer.status, 200u);
    EXPECT_EQ(answer.body, body);
  }
  EXPECT_EQ(server->stats().accepted, 1u);
  EXPECT_EQ(server->stats().requests, 50u);
}

TEST(HttpServer, AnswersPipelinedRequestsInOrder) {
  TestServer server;
  Client client = server.Connect();
  std::string all;
  for (int i = 0; i < 20; ++i) all += Post("/echo", std::to_string(i));
  client.Say(all);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(client.Hear().value_or(Answer{}).body, std::to_string(i));
}

TEST(HttpServer, ReadsARequestThatComesByteByByte) {
  TestServer server;
  Client client = server.Connect();
  for (const char byte : Post("/echo", "slow")) client.Say({&byte, 1});
  EXPECT_EQ(client.Hear().value_or(Answer{}).body, "slow");
}

TEST(HttpServer, ReadsAChunkedBody) {
  TestServer server;
  Client client = server.Connect();
  const Answer answer = client.Ask(
      "POST /echo HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n"
      "3\r\nabc\r\nA\r\n0123456789\r\n0\r\n\r\n");
  EXPECT_EQ(answer.body, "abc0123456789");
  EXPECT_EQ(client.Ask(Get("/hello")).body, "hello");
}

TEST(HttpServer, AsksAClientThatWaitsForItToSendItsBody) {
  TestServer server;
  Client client = server.Connect();
  client.Say("POST /echo HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.Hear().value_or(Answer{}).status, 100u);
  EXPECT_EQ(client.Ask("ok").body, "ok");
}

TEST(HttpServer, ClosesWhenTheClientAsksForIt) {
  TestServer server;
  Client client = server.Connect();
  const Answer answer = client.Ask(Get("/hello", "Connection: close\r\n"));
  EXPECT_THAT(answer.head, HasSubstr("Connection: close\r\n"));
  EXPECT_TRUE(client.IsClosed());
}

TEST(HttpServer, AnswersHeadWithTheHeadOfGet) {
  TestServer server;
  Client client = server.Connect();
  client.Say("HEAD /hello HTTP/1.1\r\nHost: x\r\n\r\n");
  const Answer answer = client.Hear("HEAD").value_or(Answer{});
  EXPECT_EQ(answer.status, 200u);
  EXPECT_THAT(answer.head, HasSubstr("Content-Length: 5\r\n"));
  EXPECT_EQ(client.Ask(Get("/hello")).body, "hello");
}

TEST(HttpServer, TellsPathsMethodsAndCallersApart) {
  TestServer server;
  Client client = server.Connect();
  EXPECT_EQ(client.Ask(Get("/nothing")).status, 404u);
  const Answer wrong_method = client.Ask(Get("/echo"));
  EXPECT_EQ(wrong_method.status, 405u);
  EXPECT_THAT(wrong_method.head, HasSubstr("Allow: POST\r\n"));
  const Answer unknown = client.Ask(Get("/private"));
  EXPECT_EQ(unknown.status, 401u);
  EXPECT_THAT(unknown.head, HasSubstr("WWW-Authenticate: Bearer\r\n"));
  EXPECT_EQ(client.Ask(Get("/private", "Authorization: guest\r\n")).status, 403u);
  EXPECT_EQ(client.Ask(Get("/private", "Authorization: ann\r\n")).status, 200u);
  EXPECT_EQ(server->stats().accepted, 1u) << "a refusal of a whole request keeps the connection";
}

TEST(HttpServer, SaysErrorsInJson) {
  TestServer server;
  const Answer answer = server.Connect().Ask(Get("/nothing"));
  EXPECT_THAT(answer.head, HasSubstr("Content-Type: application/json\r\n"));
  EXPECT_EQ(answer.body,
            "{\"error\":{\"kind\":\"not_found\",\"message\":\"there is nothing at this path\"}}\n");
}

TEST(HttpServer, NeverOpensItselfToOtherOrigins) {
  Options options = EchoOptions();
  const Handler generous = [](Exchange exchange) {
    Response response;
    response.headers.Add("Access-Control-Allow-Origin", "*");
    exchange.Answer(std::move(response));
  };
  ASSERT_TRUE(options.router.Add("GET", "/generous", {.scope = kOpen, .handler = generous}));
  TestServer server(std::move(options));
  const Answer answer = server.Connect().Ask(Get("/generous"));
  EXPECT_EQ(answer.status, 500u);
  EXPECT_THAT(answer.head, Not(HasSubstr("Access-Control")));
}

TEST(HttpServer, LetsNoHandlerSplitAResponse) {
  Options options = EchoOptions();
  const Handler by_header = [](Exchange exchange) {
    Response response;
    response.headers.Add("X-Name", "a\r\nSet-Cookie: b");
    exchange.Answer(std::move(response));
  };
  const Handler by_type = [](Exchange exchange) {
    exchange.Answer(Response{200, "text/plain\r\nSet-Cookie: b", "", {}});
  };
  const Handler by_status = [](Exchange exchange) { exchange.Answer(Response{100, "", "", {}}); };
  const Handler by_length = [](Exchange exchange) {
    Response response;
    response.headers.Add("content-length", "3");
    exchange.Answer(std::move(response));
  };
  ASSERT_TRUE(options.router.Add("GET", "/header", {.scope = kOpen, .handler = by_header}));
  ASSERT_TRUE(options.router.Add("GET", "/type", {.scope = kOpen, .handler = by_type}));
  ASSERT_TRUE(options.router.Add("GET", "/status", {.scope = kOpen, .handler = by_status}));
  ASSERT_TRUE(options.router.Add("GET", "/length", {.scope = kOpen, .handler = by_length}));
  TestServer server(std::move(options));
  for (const char* path : {"/header", "/type", "/status", "/length"}) {
    const Answer answer = server.Connect().Ask(Get(path));
    EXPECT_EQ(answer.status, 500u) << path;
    EXPECT_THAT(answer.head, Not(HasSubstr("Set-Cookie"))) << path;
  }
}

TEST(HttpServer, AnswersForAHandlerThatThrowsOrForgets) {
  Options options = EchoOptions();
  std::vector<std::string> faults;
  options.on_fault = [&](const std::string& fault, const Headers& headers) {
    faults.push_back(fault + " of " + std::string(headers.Find("x-mark").value_or("nobody")));
  };
  const Handler thrower = [](Exchange) { throw std::runtime_error("oh"); };
  const Handler forgetter = [](Exchange) {};
  ASSERT_TRUE(options.router.Add("GET", "/throw", {.scope = kOpen, .handler = thrower}));
  ASSERT_TRUE(options.router.Add("GET", "/forget", {.scope = kOpen, .handler = forgetter}));
  TestServer server(std::move(options));
  Client client = server.Connect();
  EXPECT_EQ(client.Ask("GET /throw HTTP/1.1\r\nHost: x\r\nX-Mark: m1\r\n\r\n").status, 500u);
  EXPECT_EQ(client.Ask(Get("/forget")).status, 500u);
  server.End();
  EXPECT_THAT(faults, testing::ElementsAre("a handler threw: oh of m1"));
}

TEST(HttpServer, LetsAHandlerAnswerLaterFromAnotherThread) {
  Options options = EchoOptions();
  std::optional<Exchange> kept;
  std::mutex mutex;
  const Handler keep = [&](Exchange exchange) {
    const std::lock_guard lock(mutex);
    kept.emplace(std::move(exchange));
  };
  ASSERT_TRUE(options.router.Add("GET", "/later", {.scope = kOpen, .handler = keep}));
  TestServer server(std::move(options));
  Client client = server.Connect();
  client.Say(Get("/later"));
  ASSERT_TRUE(Eventually([&] {
    const std::lock_guard lock(mutex);
    return kept.has_value();
  }));
  kept->Answer(Response{202, "text/plain", "at last", {}});
  EXPECT_EQ(client.Hear().value_or(Answer{}).body, "at last");
}

TEST(HttpServer, KnowsTheUidBehindAUnixSocket) {
  Options options = EchoOptions();
  const Handler who = [](Exchange exchange) {
    const auto uid = exchange.request().peer.uid;
    exchange.Answer(Response{200, "text/plain", uid ? std::to_string(*uid) : "?", {}});
  };
  ASSERT_TRUE(options.router.Add("GET", "/who", {.scope = kOpen, .handler = who}));
  TestServer server(std::move(options));
  EXPECT_EQ(server.Connect().Ask(Get("/who")).body, std::to_string(::getuid()));
}

TEST(HttpServer, ServesManyClientsAtOnce) {
  TestServer server;
  constexpr int kClients = 256;
  std::vector<Client> clients;
  for (int i = 0; i < kClients; ++i) clients.push_back(server.Connect());
  for (int round = 0; round < 3; ++round) {
    for (int i = 0; i < kClients; ++i)
      clients[static_cast<std::size_t>(i)].Say(Post("/echo", std::to_string(i)));
    for (int i = 0; i < kClients; ++i) {
      const auto answer = clients[static_cast<std::size_t>(i)].Hear();
      ASSERT_TRUE(answer);
      EXPECT_EQ(answer->body, std::to_string(i));
    }
  }
  EXPECT_EQ(server->stats().connections, 256u);
}

TEST(HttpServer, TellsOfEveryAnswerAlsoOfItsOwnRefusals) {
  Options options = EchoOptions();
  std::mutex mutex;
  std::vector<std::string> told;
  options.on_served = [&](const Served& served) {
    const std::lock_guard lock(mutex);
    told.push_back(served.method + " " + served.pattern + " " + std::to_string(served.status));
  };
  TestServer server(std::move(options));
  Client client = server.Connect();
  EXPECT_EQ(client.Ask(Get("/hello")).status, 200u);
  EXPECT_EQ(client.Ask(Get("/nothing")).status, 404u);
  EXPECT_EQ(client.Ask("bad\r\n\r\n").status, 400u);
  server.End();
  EXPECT_THAT(told, testing::ElementsAre("GET /hello 200", "GET  404", "  400"));
}

TEST(HttpServer, TellsOfAnAnswerWithItsKeptHeadersAndItsHandlersMarks) {
  Options options = EchoOptions();
  options.kept_headers = {"X-Mark"};
  std::mutex mutex;
  std::vector<std::string> told;
  options.on_served = [&](const Served& served) {
    const std::lock_guard lock(mutex);
    told.push_back(std::string(served.marks.Find("x-mark").value_or("none")));
  };
  const Handler marker = [](Exchange exchange) {
    exchange.Mark("X-Mark", "of the handler");
    exchange.Answer({});
  };
  ASSERT_TRUE(options.router.Add("GET", "/mark", {.scope = kOpen, .handler = marker}));
  TestServer server(std::move(options));
  Client client = server.Connect();
  const auto get = [&](const std::string& path, const std::string& header) {
    return client.Ask("GET " + path + " HTTP/1.1\r\nHost: x\r\n" + header + "\r\n").status;
  };
  EXPECT_EQ(get("/hello", "x-mark: m1\r\n"), 200u);
  EXPECT_EQ(get("/nothing", "X-Mark: m2\r\n"), 404u);
  EXPECT_EQ(get("/hello", ""), 200u);
  EXPECT_EQ(get("/mark", "X-Mark: m3\r\n"), 200u);
  server.End();
  EXPECT_THAT(told, testing::ElementsAre("m1", "m2", "none", "of the handler"));
}

}  // namespace
}  // namespace belljar::http::server
