// Tests the pieces that a shim may send about listeners, and that others end the connection.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "cell/oci/host/hidden_listener.h"
#include "cell/oci/host/relay.h"
#include "foundation/base/sys.h"

namespace belljar::cell::oci {
namespace {

using namespace std::chrono_literals;

std::string Opened(std::uint32_t number, CellListener listener) {
  std::string payload(kNumberBytes, '\0');
  PutNumber(payload.data(), number);
  return payload + static_cast<char>(listener);
}

std::string Numbered(std::uint32_t number, std::string_view rest) {
  std::string payload(kNumberBytes, '\0');
  PutNumber(payload.data(), number);
  return payload + std::string(rest);
}

// The container's side of a stream, played by the test.
class RelayListeners : public testing::Test {
 protected:
  void Carry(std::set<CellListener> listeners) {
    auto ends = *MakeSocketPair(SOCK_STREAM);
    container_ = std::move(ends.theirs);
    const timeval patience{0, 200'000};
    ASSERT_EQ(::setsockopt(container_.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience)),
              0);
    Fd in(::fcntl(ends.ours.get(), F_DUPFD_CLOEXEC, 3));
    line_ = *relay_->Add(
        {std::move(in), std::move(ends.ours), Framing::kPlain, nullptr, std::move(listeners)});
  }

  static std::string Piece(Channel channel, std::string_view payload) {
    std::string piece(kPieceHeader, '\0');
    PutPieceHeader(piece.data(), payload.size(), channel);
    return piece + std::string(payload);
  }

  // False: the relay has closed the stream.
  bool Say(Channel channel, std::string_view payload) {
    return static_cast<bool>(WriteAll(container_, Piece(channel, payload), "the container"));
  }

  std::pair<Channel, std::string> Heard() {
    std::array<char, kPieceHeader> header{};
    if (::recv(container_.get(), header.data(), header.size(), MSG_WAITALL) != kPieceHeader) {
      return {Channel::kEnded, "nothing"};
    }
    std::string payload(PieceLength(header.data()), '\0');
    if (!payload.empty()) ::recv(container_.get(), payload.data(), payload.size(), MSG_WAITALL);
    return {PieceChannel(header.data()), payload};
  }

  const Fd& Listener(CellListener listener) {
    return line_->ends().listeners[static_cast<std::size_t>(listener)];
  }

  // Accepts a connection as the broker does.
  Fd Accept(CellListener listener) {
    if (!*WaitReadable(Listener(listener), 5s)) return Fd();
    return Fd(::accept4(Listener(listener).get(), nullptr, nullptr, SOCK_CLOEXEC));
  }

  static std::string Read(const Fd& socket) {
    std::array<char, 4096> chunk;
    if (!*WaitReadable(socket, 5s)) return "(nothing)";
    const ssize_t n = ::read(socket.get(), chunk.data(), chunk.size());
    return n < 0 ? "(error)" : std::string(chunk.data(), static_cast<std::size_t>(n));
  }

  void ExpectEnded() {
    ASSERT_TRUE(*WaitReadable(line_->ends().ended, 5s));
    EXPECT_EQ(line_->ending(), (Ending{{}, 9}));
  }

  std::unique_ptr<Relay> relay_ = *Relay::Create();
  Fd container_;
  std::unique_ptr<Relay::Line> line_;
};

TEST_F(RelayListeners, AConnectionInsideIsOneToItsListenerOutside) {
  Carry({CellListener::kEgress, CellListener::kTools});
  Say(Channel::kOpen, Opened(1, CellListener::kTools));
  Say(Channel::kDataOut, Numbered(1, "asked"));
  const Fd broker = Accept(CellListener::kTools);
  ASSERT_TRUE(broker);
  EXPECT_EQ(Read(broker), "asked");
  ASSERT_TRUE(WriteAll(broker, "answered", "the broker"));
  EXPECT_EQ(Heard(), (std::pair{Channel::kDataIn, Numbered(1, "answered")}));
  EXPECT_FALSE(*WaitReadable(Listener(CellListener::kEgress), 0ms));
}

TEST_F(RelayListeners, ACellWithoutListenersThatSpeaksOfOneIsEnded) {
  Carry({});
  EXPECT_FALSE(Listener(CellListener::kEgress));
  EXPECT_FALSE(Listener(CellListener::kTools));
  Say(Channel::kOpen, Opened(1, CellListener::kEgress));
  ExpectEnded();
}

TEST_F(RelayListeners, ACellThatSpeaksOfAListenerOfOthersIsEnded) {
  Carry({CellListener::kTools});
  Say(Channel::kOpen, Opened(1, CellListener::kEgress));
  ExpectEnded();
}

TEST_F(RelayListeners, WordsOfNumbersThatAreNotInUseEndTheCell) {
  for (const Channel channel : {Channel::kDataOut, Channel::kTakenOut, Channel::kCloseOut}) {
    Carry({CellListener::kTools});
    Say(channel, Numbered(77, ""));
    ExpectEnded();
  }
}

TEST_F(RelayListeners, TenThousandConnectionsAreNotMade) {
  Carry({CellListener::kEgress});
  for (std::uint32_t i = 1; i <= 10'000 && Say(Channel::kOpen, Opened(i, CellListener::kEgress));
       ++i) {
  }
  ExpectEnded();
  std::size_t accepted = 0;
  while (*WaitReadable(Listener(CellListener::kEgress), 0ms) && Accept(CellListener::kEgress))
    ++accepted;
  EXPECT_LE(accepted, kConnectionsOfListener);
}

TEST_F(RelayListeners, AShimThatAsksWithoutEndAndDoesNotListenIsEnded) {
  Carry({CellListener::kTools});
  constexpr std::uint32_t kMany = 1'000'000;  // their answers would be 9 MB
  std::uint32_t asked = 0;
  for (bool heard = true; heard && asked < kMany;) {
    std::string pieces;
    for (int i = 0; i < 1000; ++i) {
      pieces += Piece(Channel::kOpen, Opened(++asked, CellListener::kTools));
      pieces += Piece(Channel::kCloseOut, Numbered(asked, ""));
    }
    heard = static_cast<bool>(WriteAll(container_, pieces, "the container"));
  }
  EXPECT_LT(asked, kMany);
  ExpectEnded();
}

TEST_F(RelayListeners, OneThatNobodyReadsHoldsUpNothingElse) {
  Carry({CellListener::kTools});
  const std::string much(kWindow, 'x');
  for (std::uint32_t i = 1; i <= 40; ++i) {
    Say(Channel::kOpen, Opened(i, CellListener::kTools));
    Say(Channel::kDataOut, Numbered(i, much.substr(0, kMaxPiece - kNumberBytes)));
  }
  Say(Channel::kFromControl, "said");
  EXPECT_EQ(Read(line_->ends().control), "said");
  Say(Channel::kOpen, Opened(41, CellListener::kTools));
  Say(Channel::kDataOut, Numbered(41, "small"));
  std::string last;
  while (*WaitReadable(Listener(CellListener::kTools), 1s)) {
    const Fd broker = Accept(CellListener::kTools);
    last = Read(broker).substr(0, 5);
    if (last == "small") break;
  }
  EXPECT_EQ(last, "small");
}

TEST_F(RelayListeners, MoreThanTheWindowThatNobodyReadsEndsTheCell) {
  Carry({CellListener::kTools});
  Say(Channel::kOpen, Opened(1, CellListener::kTools));
  // More than the window, together with the socket's buffer.
  for (int i = 0; i < 100 && Say(Channel::kDataOut, Numbered(1, std::string(60'000, 'x'))); ++i) {
  }
  ExpectEnded();
}

TEST_F(RelayListeners, WhatIsOpenGoesWithTheGuest) {
  Carry({CellListener::kTools});
  Say(Channel::kOpen, Opened(1, CellListener::kTools));
  const Fd broker = Accept(CellListener::kTools);
  Say(Channel::kEnded, {"\0\0", 2});
  ASSERT_TRUE(*WaitReadable(line_->ends().ended, 5s));
  EXPECT_EQ(Read(broker), "");
}

TEST(HiddenListener, HasNoNameThatAnybodyCouldUse) {
  std::string folder = testing::TempDir() + "belljar-hidden-XXXXXX";
  ASSERT_NE(::mkdtemp(folder.data()), nullptr);
  const char* const before = ::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", folder.c_str(), 1);
  const auto hidden = HideListener();
  if (kept.empty()) {
    ::unsetenv("TMPDIR");
  } else {
    ::setenv("TMPDIR", kept.c_str(), 1);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder)) << "neither socket nor directory is left";
  std::filesystem::remove_all(folder);
  ASSERT_TRUE(hidden);

  sockaddr_un address{};
  socklen_t size = sizeof(address);
  ASSERT_EQ(::getsockname(hidden->listener.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  EXPECT_NE(address.sun_path[0], '\0') << "an abstract name is one for the whole host";
  const Fd stranger(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  EXPECT_LT(::connect(stranger.get(), reinterpret_cast<sockaddr*>(&address), size), 0);

  const auto ours = ConnectBy(hidden->way);
  ASSERT_TRUE(ours) << ours.error().message();
  const Fd accepted(::accept4(hidden->listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  EXPECT_TRUE(accepted);
}

}  // namespace
}  // namespace belljar::cell::oci
