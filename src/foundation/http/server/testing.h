// For tests: a server on a Unix socket, and a client that sends exactly the given bytes.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "foundation/base/sys.h"
#include "foundation/http/server/router.h"
#include "foundation/http/server/server.h"

namespace belljar::http::server {

// The scope of routes without authentication.
inline const std::string kOpen(kPublic);

class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    char pattern[] = "/tmp/belljar-http-XXXXXX";
    path_ = ::mkdtemp(pattern);
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  std::string operator/(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

// Status, head and body of one answer, as received.
struct Answer {
  unsigned status = 0;
  std::string head;
  std::string body;
};

class Client {
 public:
  explicit Client(const std::string& address);

  void Say(std::string_view bytes);
  // False if the server no longer accepts bytes.
  [[nodiscard]] bool TrySay(std::string_view bytes);
  // Reads the next answer. Its body has a Content-Length, is chunked (then decoded), or is absent
  // because the request was HEAD. nullopt if the server closes the connection or sends nothing for
  // 5 s.
  std::optional<Answer> Hear(std::string_view method = "GET");
  Answer Ask(std::string_view bytes);
  // True if the server closes the connection within 5 s without sending another byte.
  bool IsClosed();
  // Bytes up to and including `end`, or those received before the server closed the connection.
  std::string HearUntil(std::string_view end);
  void CloseSending() { ::shutdown(socket_.get(), SHUT_WR); }
  void Leave() { socket_.Close(); }
  const Fd& socket() const { return socket_; }

 private:
  [[nodiscard]] bool Fill();
  std::string Take(std::size_t size);
  std::string HearChunks();

  Fd socket_;
  std::string heard_;
};

// Limits with short times, so that tests are quick.
Limits ShortLimits();

// Options with the routes that most tests use: "/echo" (POST, 64 KiB) answers with its body,
// "/hello" (GET) with "hello", "/private" (GET) requires the scope "run". The principal is the
// value of "Authorization"; "nobody" is denied, "guest" has no scopes.
Options EchoOptions();
Handler Echo();

class TestServer {
 public:
  explicit TestServer(Options options = EchoOptions());

  Client Connect() { return Client(address()); }
  std::string address() const { return server_->addresses().at(0); }
  Server& operator*() { return *server_; }
  Server* operator->() { return server_.get(); }
  void End() { server_.reset(); }

 private:
  TemporaryDirectory directory_;
  std::unique_ptr<Server> server_;
};

std::string Get(std::string_view path, std::string_view headers = "");
std::string Post(std::string_view path, std::string_view body, std::string_view headers = "");

// Waits up to 5 s until the condition holds.
template <class Condition>
bool Eventually(Condition condition) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(5);
  while (!condition()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    ::usleep(500);
  }
  return true;
}

}  // namespace belljar::http::server
