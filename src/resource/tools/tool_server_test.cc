#include "resource/tools/tool_server.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cstdlib>
#include <filesystem>

#include "foundation/base/sys.h"

namespace belljar::resource::tools {
namespace {

constexpr std::string_view kServers =
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"servers/list\"}\n";

ToolHooks Hooks() {
  ToolHooks hooks;
  judgement::policy::ToolServer terms;
  terms.allow = {"*"};
  hooks.terms_now = [terms](const std::string&) {
    return std::make_shared<const judgement::policy::ToolServer>(terms);
  };
  hooks.ask = [](const ToolCall&, const std::stop_token&) -> Result<> { return {}; };
  hooks.record = [](const ToolRecord&) -> Result<> { return {}; };
  return hooks;
}

// A cell as the desk sees it: a listener in a temporary directory, its seat, and a run with one
// server of that name.
class Cell {
 public:
  Cell(ToolCallServer& desk, McpServers& servers, const std::string& server,
       ToolHooks hooks = Hooks()) {
    char folder[] = "/tmp/belljar-desk-XXXXXX";
    folder_ = ::mkdtemp(folder);
    address_.sun_family = AF_UNIX;
    (folder_ + "/s").copy(address_.sun_path, sizeof(address_.sun_path) - 1);
    listener_ = Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    EXPECT_EQ(::bind(listener_.get(), reinterpret_cast<sockaddr*>(&address_), sizeof(address_)), 0);
    EXPECT_EQ(::listen(listener_.get(), 128), 0);
    seat_ = *desk.Open(listener_);
    judgement::policy::ToolServer terms;
    terms.command = {"/nowhere/at/all"};
    terms.ask = {"*"};
    seat_->Begin(std::make_shared<ToolRun>(servers, judgement::policy::ToolServers{{server, terms}},
                                           std::move(hooks), seat_->counts()));
  }
  ~Cell() { std::filesystem::remove_all(folder_); }

  Fd Connect() const {
    Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(
        ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address_), sizeof(address_)), 0);
    return socket;
  }
  CellToolEndpoint& seat() { return *seat_; }
  void Leave() { seat_.reset(); }

 private:
  std::string folder_;
  sockaddr_un address_{};
  Fd listener_;
  std::unique_ptr<CellToolEndpoint> seat_;
};

// Reads one line; shorter at end of file, or when nothing arrives for ten seconds.
std::string Read(const Fd& socket) {
  std::string line;
  char c = 0;
  while (*WaitReadable(socket, std::chrono::seconds(10)) && ::read(socket.get(), &c, 1) == 1 &&
         c != '\n')
    line += c;
  return line;
}

std::string Ask(const Fd& socket, std::string_view line) {
  EXPECT_EQ(::send(socket.get(), line.data(), line.size(), MSG_NOSIGNAL),
            static_cast<ssize_t>(line.size()));
  return Read(socket);
}

class ToolDeskTest : public testing::Test {
 protected:
  McpServers servers_{nullptr};
  std::unique_ptr<ToolCallServer> desk_ = *ToolCallServer::Create();
};

TEST_F(ToolDeskTest, KnowsACellByItsSocketWhateverItSays) {
  Cell mine(*desk_, servers_, "mine");
  Cell other(*desk_, servers_, "other");
  const Fd socket = mine.Connect();
  EXPECT_NE(Ask(socket, kServers).find("mine"), std::string::npos);
  const std::string forged = Ask(
      socket,
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"servers/list\",\"session\":\"other\",\"params\":"
      "{\"session\":\"other\",\"caller\":\"root\",\"cell\":2}}\n");
  EXPECT_NE(forged.find("mine"), std::string::npos);
  EXPECT_EQ(forged.find("other"), std::string::npos);
  EXPECT_NE(Ask(other.Connect(), kServers).find("other"), std::string::npos);
}

TEST_F(ToolDeskTest, AnswersLinesInOrderHoweverTheyCome) {
  Cell cell(*desk_, servers_, "mine");
  const Fd socket = cell.Connect();
  EXPECT_NE(Ask(socket,
                "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"servers/"
                "list\"}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"servers/"
                "list\"}\n{\"jsonrpc\":\"2.0\",\"id\":3,")
                .find("\"id\":1"),
            std::string::npos);
  EXPECT_NE(Read(socket).find("\"id\":2"), std::string::npos);
  EXPECT_NE(Ask(socket, "\"method\":\"servers/list\"}\n").find("\"id\":3"), std::string::npos);
}

TEST_F(ToolDeskTest, LetsOneCellFloodWithoutAnotherWaiting) {
  std::atomic<int> inside{0};
  ToolHooks slow = Hooks();
  slow.ask = [&](const ToolCall&, const std::stop_token& stop) -> Result<> {
    ++inside;
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock(mutex);
    never.wait(lock, stop, [] { return false; });
    return Error(Kind::kDenied, "given up");
  };
  Cell flooding(*desk_, servers_, "flooding", slow);
  Cell quiet(*desk_, servers_, "quiet");
  const std::string call =
      "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/"
      "call\",\"params\":{\"server\":\"flooding\",\"tool\":\"x\"}}\n";
  std::vector<Fd> sockets;
  for (std::size_t i = 0; i < 40; ++i) {
    sockets.push_back(flooding.Connect());
    for (int j = 0; j < 20; ++j) {
      ASSERT_GT(::send(sockets.back().get(), call.data(), call.size(), MSG_NOSIGNAL), 0);
    }
  }
  EXPECT_NE(Ask(quiet.Connect(), kServers).find("quiet"), std::string::npos);
  flooding.Leave();
  EXPECT_LE(inside.load(), static_cast<int>(40 * 20));
  EXPECT_GE(inside.load(), 1);
}

TEST_F(ToolDeskTest, GivesACellNoMoreWorkersThanItsShare) {
  std::atomic<int> now{0}, most{0};
  std::atomic<bool> go{false};
  ToolHooks hooks = Hooks();
  hooks.ask = [&](const ToolCall&, const std::stop_token&) -> Result<> {
    most = std::max(most.load(), ++now);
    go.wait(false);
    --now;
    return Error(Kind::kDenied, "no");
  };
  Cell cell(*desk_, servers_, "mine", hooks);
  std::vector<Fd> sockets;
  for (int i = 0; i < 12; ++i) {
    sockets.push_back(cell.Connect());
    const std::string call =
        "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/"
        "call\",\"params\":{\"server\":\"mine\",\"tool\":\"x\"}}\n";
    ASSERT_GT(::send(sockets.back().get(), call.data(), call.size(), MSG_NOSIGNAL), 0);
  }
  while (now < static_cast<int>(ToolCallServer::kMostWorking)) std::this_thread::yield();
  go = true;
  go.notify_all();
  for (const Fd& socket : sockets) EXPECT_NE(Read(socket).find("denied"), std::string::npos);
  EXPECT_EQ(most.load(), static_cast<int>(ToolCallServer::kMostWorking));
}

TEST_F(ToolDeskTest, RefusesConnectionsBeyondTheMost) {
  Cell cell(*desk_, servers_, "mine");
  std::vector<Fd> sockets;
  for (std::size_t i = 0; i < ToolCallServer::kMostConnections; ++i)
    sockets.push_back(cell.Connect());
  EXPECT_NE(Ask(sockets.back(), kServers).find("mine"), std::string::npos);
  EXPECT_NE(Read(cell.Connect()).find("too many connections"), std::string::npos);
  sockets.clear();
  std::string again;
  for (int i = 0; i < 100 && again.find("mine") == std::string::npos; ++i)
    again = Ask(cell.Connect(), kServers);
  EXPECT_NE(again.find("mine"), std::string::npos);
}

TEST_F(ToolDeskTest, ClosesAConnectionWhoseLineDoesNotEnd) {
  Cell cell(*desk_, servers_, "mine");
  const Fd socket = cell.Connect();
  const std::string much(1 << 20, 'x');
  for (int i = 0; i < 6; ++i) {
    if (::send(socket.get(), much.data(), much.size(), MSG_NOSIGNAL) < 0) break;
  }
  EXPECT_NE(Read(socket).find("a line has at most"), std::string::npos);
}

TEST_F(ToolDeskTest, ALongLineThatStopsInTheMiddleIsNotKept) {
  Cell cell(*desk_, servers_, "a");
  const Fd stopped = cell.Connect();
  const std::string begun(100 << 10, 'x');
  ASSERT_TRUE(WriteAll(stopped, begun, "a line"));
  const Fd patient = cell.Connect();
  ASSERT_TRUE(WriteAll(patient, kServers.substr(0, 5), "a line"));
  EXPECT_EQ(Read(stopped), "");
  char c = 0;
  EXPECT_EQ(::recv(stopped.get(), &c, 1, MSG_DONTWAIT), 0) << "it was closed";
  EXPECT_NE(Ask(patient, kServers.substr(5)), "") << "a short one may take its time";
}

TEST_F(ToolDeskTest, AnswersNothingBetweenRuns) {
  Cell cell(*desk_, servers_, "mine");
  const Fd socket = cell.Connect();
  cell.seat().End();
  EXPECT_NE(Ask(socket, kServers).find("no run is going on"), std::string::npos);
}

}  // namespace
}  // namespace belljar::resource::tools
