#include "cell/native/launcher/serve_orders.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <cstring>
#include <optional>

#include "cell/native/host/spawn.h"
#include "foundation/base/sys.h"

namespace belljar::cell::native {
namespace {

struct TestOrder {
  int number;
};

struct TestReport {
  int number;
  int count;
};

constexpr int kLeave = -1;
constexpr int kLeft = 42;

// A process that doubles numbers, and gives the first descriptor of an order back.
class Server {
 public:
  Server() {
    auto ends = MakeSocketPair(SOCK_SEQPACKET);
    EXPECT_TRUE(ends);
    pid_ = ::fork();
    if (pid_ == 0) {
      ends->ours.Close();
      Serve(ends->theirs.get());
    }
    socket_ = std::move(ends->ours);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;
  ~Server() {
    if (pid_ > 0) static_cast<void>(Status());
  }

  Fd& socket() { return socket_; }

  Result<Received> Ask(const TestOrder& order, std::span<const int> fds = {}) {
    EXPECT_TRUE(SendWithFds(socket_, BytesOf(order), fds));
    return ReceiveWithFds(socket_, sizeof(TestReport), 1);
  }

  // What it has ended with, after the end of its orders.
  int Status() {
    socket_.Close();
    int status = -1;
    EXPECT_EQ(::waitpid(pid_, &status, 0), pid_);
    pid_ = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  [[noreturn]] static void Serve(int socket) {
    // A descriptor that was left open with each order would soon be one too many.
    const rlimit few{64, 64};
    if (::setrlimit(RLIMIT_NOFILE, &few) != 0) ::_exit(1);
    TestOrder order;
    ServeOrders(socket, order, [&](const OrderFds& fds) -> std::optional<OrderAnswer<TestReport>> {
      if (order.number == kLeave) return std::nullopt;
      const int back = fds.count > 0 ? ::dup(fds.fd[0]) : -1;
      return OrderAnswer<TestReport>{{2 * order.number, fds.count}, back};
    });
    ::_exit(kLeft);
  }

  pid_t pid_ = 0;
  Fd socket_;
};

TestReport ReportIn(const Received& received) {
  TestReport report{};
  EXPECT_EQ(received.bytes.size(), sizeof(report));
  std::memcpy(&report, received.bytes.data(), sizeof(report));
  return report;
}

TEST(ServeOrders, AnswersOneOrderAfterAnother) {
  Server server;
  for (const int number : {7, 0, 21}) {
    const auto answer = server.Ask({number});
    ASSERT_TRUE(answer);
    EXPECT_EQ(ReportIn(*answer).number, 2 * number);
    EXPECT_TRUE(answer->fds.empty());
  }
}

TEST(ServeOrders, TakesAndGivesDescriptorsAndKeepsNone) {
  Server server;
  const PipeEnds pipe = *MakePipe();
  const std::array<int, 2> fds = {pipe.read.get(), pipe.write.get()};
  for (int i = 0; i < 100; ++i) {
    const auto answer = server.Ask({i}, fds);
    ASSERT_TRUE(answer) << i;
    ASSERT_EQ(ReportIn(*answer).count, 2);
    ASSERT_EQ(answer->fds.size(), 1U) << i;
    struct stat sent {};
    struct stat came {};
    ASSERT_EQ(::fstat(pipe.read.get(), &sent), 0);
    ASSERT_EQ(::fstat(answer->fds[0].get(), &came), 0);
    EXPECT_EQ(sent.st_ino, came.st_ino);
  }
}

TEST(ServeOrders, EndsQuietlyWhenTheSupervisorHasGone) { EXPECT_EQ(Server().Status(), 0); }

TEST(ServeOrders, EndsOnAMessageThatIsNoOrder) {
  for (const std::size_t size : {sizeof(TestOrder) - 1, sizeof(TestOrder) + 1}) {
    Server server;
    const std::array<std::byte, 16> bytes{};
    ASSERT_TRUE(SendWithFds(server.socket(), std::span(bytes).first(size), {}));
    EXPECT_EQ(server.Status(), 1) << size;
  }
}

TEST(ServeOrders, IsLeftByTheChildThatAnOrderMade) {
  Server server;
  const TestOrder leave{kLeave};
  ASSERT_TRUE(SendWithFds(server.socket(), BytesOf(leave), {}));
  EXPECT_EQ(server.Status(), kLeft);
}

TEST(CloneAnswer, HasAProcessOrTheStepThatFailed) {
  const auto cloned = CloneAnswer(17, 5, Step::kCloneInit);
  EXPECT_EQ(cloned.report.pid, 17);
  EXPECT_EQ(cloned.report.failure.step, Step::kNone);
  EXPECT_EQ(cloned.fd, 5);
  errno = EAGAIN;
  const auto failed = CloneAnswer(-1, 5, Step::kJoinNamespaces);
  EXPECT_EQ(failed.report.failure.step, Step::kJoinNamespaces);
  EXPECT_EQ(failed.report.failure.sys, EAGAIN);
  EXPECT_EQ(failed.fd, -1) << "the kernel has taken it back";
}

}  // namespace
}  // namespace belljar::cell::native
