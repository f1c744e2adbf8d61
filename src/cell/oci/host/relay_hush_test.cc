// Tests Hush and Speak: the silence of a container before it is saved, and containers that break
// it.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <thread>

#include "cell/oci/host/relay.h"
#include "foundation/base/sys.h"

namespace belljar::cell::oci {
namespace {

using namespace std::chrono_literals;

// The container's side of a stream, played by the test.
class RelayHush : public testing::Test {
 protected:
  RelayHush() {
    auto ends = *MakeSocketPair(SOCK_STREAM);
    container_ = std::move(ends.theirs);
    Fd in(::dup(ends.ours.get()));
    line_ = *relay_->Add({std::move(in), std::move(ends.ours), Framing::kPlain, nullptr});
  }

  // False: the relay has closed the stream.
  bool Say(Channel channel, std::string_view payload) {
    std::string piece(kPieceHeader, '\0');
    PutPieceHeader(piece.data(), payload.size(), channel);
    return static_cast<bool>(WriteAll(container_, piece + std::string(payload), "the container"));
  }

  bool SayHushed(std::uint32_t number) {
    std::array<char, kNumberBytes> payload;
    PutNumber(payload.data(), number);
    return Say(Channel::kHushed, {payload.data(), payload.size()});
  }

  // The next piece that the container is sent.
  Channel Heard() {
    std::array<char, kPieceHeader> header{};
    if (::recv(container_.get(), header.data(), header.size(), MSG_WAITALL) != kPieceHeader) {
      return Channel::kEnded;
    }
    std::string payload(PieceLength(header.data()), '\0');
    if (!payload.empty()) ::recv(container_.get(), payload.data(), payload.size(), MSG_WAITALL);
    return PieceChannel(header.data());
  }

  static std::string Read(const Fd& pipe, std::size_t bytes) {
    std::string all;
    std::array<char, 4096> chunk;
    while (all.size() < bytes && *WaitReadable(pipe, 5s)) {
      const ssize_t n =
          ::read(pipe.get(), chunk.data(), std::min(chunk.size(), bytes - all.size()));
      if (n <= 0) break;
      all.append(chunk.data(), static_cast<std::size_t>(n));
    }
    return all;
  }

  std::unique_ptr<Relay> relay_ = *Relay::Create();
  Fd container_;
  std::unique_ptr<Relay::Line> line_;
};

TEST_F(RelayHush, HandsOutAllThatWasSaidBeforeTheSilence) {
  std::string expected;
  std::jthread container([&] {
    for (char c = 'a'; c <= 'z'; ++c) {  // more than the relay buffers
      const std::string piece(kMaxPiece, c);
      expected += piece;
      Say(Channel::kFromStdout, piece);
      if (c == 'c') {
        EXPECT_EQ(Heard(), Channel::kHush);
      }
    }
    Say(Channel::kFromStderr, "worse");
    SayHushed(1);
  });
  const auto unread = line_->Hush(60s);
  container.join();
  ASSERT_TRUE(unread) << unread.error().message();
  EXPECT_EQ(unread->err, "worse");
  EXPECT_TRUE(unread->out == expected);
}

TEST_F(RelayHush, WhatWasHandedOutComesFirstAgain) {
  line_->Speak({"first ", "worse "});
  EXPECT_EQ(Heard(), Channel::kSpeak);
  Say(Channel::kFromStdout, "second");
  Say(Channel::kFromStderr, "worst");
  EXPECT_EQ(Read(line_->ends().stdout_pipe, 12), "first second");
  EXPECT_EQ(Read(line_->ends().stderr_pipe, 11), "worse worst");
}

// If Speak() took effect later, the output of a run would be held back until the next one.
TEST_F(RelayHush, WhatIsSentAfterwardsComesAfterwards) {
  for (int i = 0; i < 500; ++i) {
    line_->Speak({});
    ASSERT_TRUE(WriteAll(line_->ends().control, "RUN", "control"));
    ASSERT_EQ(Heard(), Channel::kSpeak) << i;
    ASSERT_EQ(Heard(), Channel::kToControl) << i;
  }
}

TEST_F(RelayHush, OneThatDoesNotAnswerIsRefusedAndLosesNothing) {
  Say(Channel::kFromStdout, "printed");
  const auto unread = line_->Hush(50ms);
  ASSERT_FALSE(unread);
  EXPECT_EQ(unread.error().kind(), Kind::kInvalid);
  EXPECT_EQ(unread.error().message(), "it does not fall silent");
  EXPECT_EQ(Heard(), Channel::kHush);
  EXPECT_EQ(Heard(), Channel::kSpeak);
  EXPECT_EQ(Read(line_->ends().stdout_pipe, 7), "printed");
}

TEST_F(RelayHush, OneThatOnlyPrintsIsRefusedBeforeItFillsTheMemory) {
  const timeval patience{1, 0};
  ::setsockopt(container_.get(), SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
  std::size_t taken = 0;
  std::jthread container([&] {
    const std::string piece(kMaxPiece, 'x');
    while (taken < (64U << 20) && Say(Channel::kFromStdout, piece)) taken += piece.size();
  });
  const auto unread = line_->Hush(60s);
  container.join();
  ASSERT_FALSE(unread);
  EXPECT_EQ(unread.error().kind(), Kind::kInvalid);
  EXPECT_NE(unread.error().message().find("prints too much"), std::string::npos);
  EXPECT_LT(taken, 2 * kMostUnread);
}

TEST_F(RelayHush, AnAnswerThatIsLateIsNotTakenForTheNext) {
  ASSERT_FALSE(line_->Hush(20ms));
  std::jthread container([&] {
    EXPECT_EQ(Heard(), Channel::kHush);
    EXPECT_EQ(Heard(), Channel::kSpeak);
    EXPECT_EQ(Heard(), Channel::kHush);
    SayHushed(1);
    std::this_thread::sleep_for(100ms);  // long enough to mistake the late answer for the new one
    Say(Channel::kFromStdout, "late");
    SayHushed(2);
  });
  const auto unread = line_->Hush(60s);
  container.join();
  ASSERT_TRUE(unread) << unread.error().message();
  EXPECT_EQ(unread->out, "late");
}

TEST_F(RelayHush, ASilenceThatNobodyAskedForEndsTheCarrying) {
  SayHushed(1);
  EXPECT_TRUE(*WaitReadable(line_->ends().ended, 5s));
}

TEST_F(RelayHush, OneThatEndsInsteadHasEnded) {
  std::jthread container([&] {
    EXPECT_EQ(Heard(), Channel::kHush);
    Say(Channel::kEnded, {"\0\7", 2});
  });
  const auto unread = line_->Hush(60s);
  ASSERT_FALSE(unread);
  EXPECT_EQ(unread.error().kind(), Kind::kInternal);
}

TEST(Unread, ComesBackFromItsDirectory) {
  char path[] = "/tmp/belljar-unread-XXXXXX";
  ASSERT_NE(::mkdtemp(path), nullptr);
  const Fd dir = *Open(path, O_RDONLY | O_DIRECTORY);
  const Unread unread{std::string("out\0put", 7), ""};
  EXPECT_FALSE(ReadUnread(dir)) << "nothing was written there";
  ASSERT_TRUE(WriteUnread(dir, unread));
  const auto read = ReadUnread(dir);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(*read, unread);
  std::filesystem::resize_file(std::string(path) + "/unread.stdout", kMostUnread + 1);
  EXPECT_FALSE(ReadUnread(dir)) << "more than was ever written";
  std::filesystem::remove_all(path);
}

}  // namespace
}  // namespace belljar::cell::oci
