#include "service/webhook/post.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <future>
#include <thread>

#include "foundation/base/fd.h"
#include "service/webhook/sender.h"

namespace belljar::service::webhook {
namespace {

using ::testing::HasSubstr;
using namespace std::chrono_literals;

// Listens on the loopback interface; answers one request with `answer`, or does not answer if that
// is empty.
class Receiver {
 public:
  explicit Receiver(std::string answer)
      : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof(address);
    ::bind(socket_.get(), reinterpret_cast<sockaddr*>(&address), size);
    ::listen(socket_.get(), 4);
    ::getsockname(socket_.get(), reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ::ntohs(address.sin_port);
    if (!answer.empty()) {
      thread_ = std::thread([this, answer = std::move(answer)] { Serve(answer); });
    }
  }
  ~Receiver() {
    if (thread_.joinable()) thread_.join();
  }
  std::string address(const std::string& scheme = "http") const {
    return scheme + "://127.0.0.1:" + std::to_string(port_) + "/hook?a=b";
  }
  std::string heard() {
    thread_.join();
    return heard_;
  }

 private:
  void Serve(const std::string& answer) {
    const Fd visitor(::accept(socket_.get(), nullptr, nullptr));
    char bytes[4096];
    do {
      const ssize_t n = ::read(visitor.get(), bytes, sizeof(bytes));
      if (n <= 0) break;
      heard_.append(bytes, static_cast<std::size_t>(n));
    } while (heard_.starts_with("POST") && !heard_.ends_with("}"));
    EXPECT_EQ(::write(visitor.get(), answer.data(), answer.size()),
              static_cast<ssize_t>(answer.size()));
  }

  Fd socket_;
  int port_ = 0;
  std::string heard_;
  std::thread thread_;
};

constexpr char kFine[] = "HTTP/1.1 204 No Content\r\n\r\n";

TEST(Post, SendsJsonAndTellsTheStatus) {
  Receiver receiver(kFine);
  const auto status = Post(receiver.address(), R"({"a":1})", 5s);
  ASSERT_TRUE(status) << status.error().message();
  EXPECT_EQ(*status, 204u);
  const std::string heard = receiver.heard();
  EXPECT_TRUE(heard.starts_with("POST /hook?a=b HTTP/1.1\r\n"));
  EXPECT_THAT(heard, HasSubstr("Content-Type: application/json"));
  EXPECT_TRUE(heard.ends_with("\r\n\r\n{\"a\":1}"));
}

TEST(Post, GivesUpOnWhoSaysNothing) {
  Receiver silent("");
  const auto status = Post(silent.address(), "{}", 50ms);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message(), HasSubstr("127.0.0.1 did not take it: Timeout"));
}

TEST(Post, NamesWhomItCouldNotReach) {
  const auto status = Post("http://127.0.0.1:1/", "{}", 5s);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message(), HasSubstr("127.0.0.1 did not take it: Couldn't connect"));
}

TEST(Post, TrustsNobodyWithoutACertificate) {
  Receiver plain(kFine);
  const auto status = Post(plain.address("https"), "{}", 2s);
  ASSERT_FALSE(status);
  EXPECT_THAT(status.error().message(), HasSubstr("127.0.0.1 did not take it: SSL"));
}

TEST(Post, TakesHttpAndHttpsOnly) {
  for (const char* const bad :
       {"", "a", "ftp://a/", "http://", "http://u:p@a/", "file:///etc/passwd", "http://a b/"}) {
    const auto status = Post(bad, "{}", 5s);
    ASSERT_FALSE(status) << bad;
    EXPECT_THAT(status.error().message(), HasSubstr("no address of a webhook")) << bad;
  }
}

TEST(Sender, TellsHowEachEnded) {
  std::promise<unsigned> told;
  Receiver receiver(kFine);
  Sender sender;
  ASSERT_TRUE(sender.Send({receiver.address(), "{}", [&](const Result<unsigned>& status) {
                             told.set_value(status ? *status : 0);
                           }}));
  EXPECT_EQ(told.get_future().get(), 204u);
}

}  // namespace
}  // namespace belljar::service::webhook
