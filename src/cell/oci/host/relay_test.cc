#include "cell/oci/host/relay.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>

#include "foundation/base/sys.h"

namespace belljar::cell::oci {
namespace {

using namespace std::chrono_literals;

// The container's side of a stream, played by the test.
class Played : public testing::Test {
 protected:
  Played() {
    auto ends = *MakeSocketPair(SOCK_STREAM);
    container_ = std::move(ends.theirs);
    Fd in(::dup(ends.ours.get()));
    line_ = *relay_->Add({std::move(in), std::move(ends.ours), Framing::kPlain, nullptr});
  }

  void Say(Channel channel, std::string_view payload) {
    std::string piece(kPieceHeader, '\0');
    PutPieceHeader(piece.data(), payload.size(), channel);
    ASSERT_TRUE(WriteAll(container_, piece + std::string(payload), "the container"));
  }

  // The next piece that the container is sent.
  std::pair<Channel, std::string> Heard() {
    std::array<char, kPieceHeader> header{};
    if (::recv(container_.get(), header.data(), header.size(), MSG_WAITALL) != kPieceHeader) {
      return {Channel::kEnded, "nothing"};
    }
    std::string payload(PieceLength(header.data()), '\0');
    if (!payload.empty()) ::recv(container_.get(), payload.data(), payload.size(), MSG_WAITALL);
    return {PieceChannel(header.data()), payload};
  }

  static std::string ReadToEnd(const Fd& pipe) {
    std::string all;
    std::array<char, 4096> chunk;
    while (*WaitReadable(pipe, 5s)) {
      const ssize_t n = ::read(pipe.get(), chunk.data(), chunk.size());
      if (n <= 0) break;
      all.append(chunk.data(), static_cast<std::size_t>(n));
    }
    return all;
  }

  std::unique_ptr<Relay> relay_ = *Relay::Create();
  Fd container_;
  std::unique_ptr<Relay::Line> line_;
};

using RelayTest = Played;

TEST_F(RelayTest, CarriesWhatTheGuestSaysToItsOwnChannels) {
  Say(Channel::kFromStdout, "out");
  Say(Channel::kFromStderr, "err");
  Say(Channel::kFromControl, "said");
  Say(Channel::kEnded, {"\0\7", 2});
  ASSERT_TRUE(*WaitReadable(line_->ends().ended, 5s));
  EXPECT_EQ(line_->ending(), (Ending{7, {}}));
  EXPECT_EQ(ReadToEnd(line_->ends().stdout_pipe), "out");
  EXPECT_EQ(ReadToEnd(line_->ends().stderr_pipe), "err");
  EXPECT_EQ(ReadToEnd(line_->ends().control), "said");
}

TEST_F(RelayTest, TellsTheEndOnlyWhenAllThatWasPrintedIsThere) {
  const std::string much(400'000, 'x');  // more than a pipe holds
  for (std::size_t at = 0; at < much.size(); at += 50'000) {
    Say(Channel::kFromStdout, std::string_view(much).substr(at, 50'000));
  }
  Say(Channel::kEnded, {"\1\13", 2});
  EXPECT_FALSE(*WaitReadable(line_->ends().ended, 50ms));
  EXPECT_EQ(ReadToEnd(line_->ends().stdout_pipe), much);
  EXPECT_TRUE(*WaitReadable(line_->ends().ended, 5s));
  EXPECT_EQ(line_->ending(), (Ending{{}, 11}));
}

TEST_F(RelayTest, WhatWasPrintedComesBeforeWhatIsSaid) {
  const std::string much(200'000, 'x');
  for (std::size_t at = 0; at < much.size(); at += 50'000) {
    Say(Channel::kFromStdout, std::string_view(much).substr(at, 50'000));
  }
  Say(Channel::kFromControl, "done");
  EXPECT_FALSE(*WaitReadable(line_->ends().control, 50ms));
  container_.Close();
  EXPECT_EQ(ReadToEnd(line_->ends().stdout_pipe), much);
  EXPECT_EQ(ReadToEnd(line_->ends().control), "done");
}

TEST_F(RelayTest, AFloodThatNobodyReadsWaitsInTheContainer) {
  ASSERT_TRUE(SetNonBlocking(container_));
  std::string piece(kPieceHeader + kMaxPiece, 'x');
  PutPieceHeader(piece.data(), kMaxPiece, Channel::kFromStdout);
  std::size_t taken = 0;
  std::size_t at = 0;  // position in the piece that is being sent
  pollfd room{container_.get(), POLLOUT, 0};
  while (taken < (16U << 20) && ::poll(&room, 1, 200) > 0) {
    const ssize_t n = ::write(container_.get(), piece.data() + at, piece.size() - at);
    if (n <= 0) continue;
    taken += static_cast<std::size_t>(n);
    at = (at + static_cast<std::size_t>(n)) % piece.size();
  }
  EXPECT_LT(taken, 4U << 20) << "the relay keeps what nobody wants";
}

TEST_F(RelayTest, AGuestWhoseEndNobodyTellsWasKilled) {
  Say(Channel::kFromStdout, "half");
  container_.Close();
  ASSERT_TRUE(*WaitReadable(line_->ends().ended, 5s));
  EXPECT_EQ(line_->ending(), (Ending{{}, 9}));
  EXPECT_EQ(ReadToEnd(line_->ends().stdout_pipe), "half");
}

TEST_F(RelayTest, APieceThatBreaksTheRulesEndsTheCarrying) {
  ASSERT_TRUE(WriteAll(container_, std::string(64, '\xFF'), "the container"));
  ASSERT_TRUE(*WaitReadable(line_->ends().ended, 5s));
  EXPECT_EQ(line_->ending(), (Ending{{}, 9}));
}

TEST_F(RelayTest, SendsInterruptsAndControlBytes) {
  line_->Interrupt();
  EXPECT_EQ(Heard().first, Channel::kInterrupt);
  ASSERT_TRUE(WriteAll(line_->ends().control, "RUN", "control"));
  EXPECT_EQ(Heard(), (std::pair{Channel::kToControl, std::string("RUN")}));
}

TEST_F(RelayTest, StdinGoesPieceByPieceAsTheGuestTakesIt) {
  ASSERT_TRUE(WriteAll(line_->ends().stdin_pipe, "one", "stdin"));
  EXPECT_EQ(Heard(), (std::pair{Channel::kToStdin, std::string("one")}));
  ASSERT_TRUE(WriteAll(line_->ends().stdin_pipe, "two", "stdin"));
  line_->ends().stdin_pipe.Close();
  EXPECT_FALSE(*WaitReadable(container_, 50ms)) << "sent before it was asked for";
  Say(Channel::kStdinTaken, "");
  EXPECT_EQ(Heard(), (std::pair{Channel::kToStdin, std::string("two")}));
  Say(Channel::kStdinTaken, "");
  EXPECT_EQ(Heard(), (std::pair{Channel::kToStdin, std::string()}));
}

}  // namespace
}  // namespace belljar::cell::oci
