// For tests: a server on a Unix socket that answers as a test scripts it.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <thread>

#include "foundation/base/fd.h"
#include "foundation/base/sys.h"

namespace belljar::http::client {

// Accepts connections one after the other and passes each to `serve`.
class Listening {
 public:
  using Serve = std::function<void(const Fd&)>;

  explicit Listening(Serve serve = {}) : serve_(std::move(serve)) {
    std::string name = testing::TempDir() + "client-XXXXXX";
    dir_ = ::mkdtemp(name.data());
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path().copy(address.sun_path, sizeof(address.sun_path) - 1);
    socket_ = Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
    EXPECT_EQ(::listen(socket_.get(), 1), 0);
    if (serve_) thread_ = std::jthread([this] { Work(); });
  }
  ~Listening() {
    ::shutdown(socket_.get(), SHUT_RDWR);
    if (thread_.joinable()) thread_.join();
    std::filesystem::remove_all(dir_);
  }

  std::string path() const { return dir_ + "/s"; }
  std::string address() const { return "unix:" + path(); }

 private:
  void Work() {
    for (;;) {
      const Fd caller(::accept4(socket_.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!caller) return;
      serve_(caller);
    }
  }

  Serve serve_;
  std::string dir_;
  Fd socket_;
  std::jthread thread_;
};

// Reads from the caller until `end` has arrived or the caller stops sending.
inline std::string HearUntil(const Fd& caller, std::string_view end) {
  std::string heard;
  std::array<char, 4096> piece;
  while (heard.find(end) == std::string::npos) {
    const ssize_t n = ::read(caller.get(), piece.data(), piece.size());
    if (n <= 0) break;
    heard.append(piece.data(), static_cast<std::size_t>(n));
  }
  return heard;
}

inline void Say(const Fd& caller, std::string_view text) {
  EXPECT_TRUE(WriteAll(caller, text, "the answer"));
}

}  // namespace belljar::http::client
