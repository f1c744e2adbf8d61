#include "cell/oci/shim/tunnelled_connections.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "foundation/base/sys.h"

namespace belljar::cell::oci {
namespace {

using testing::Test;

std::string Of(std::uint32_t number, std::string_view rest = {}) {
  std::string payload(kNumberBytes, '\0');
  PutNumber(payload.data(), number);
  return payload + std::string(rest);
}

std::string Counted(std::uint32_t number, std::uint32_t count) { return Of(number, Of(count)); }

// Tests the supervisor's end; the fixture plays the shim.
class CrossingsTest : public Test {
 protected:
  struct Said {
    Channel channel;
    std::string payload;
    bool operator==(const Said&) const = default;
  };

  Fd Connected() {
    auto ends = *MakeSocketPair(SOCK_STREAM);
    EXPECT_TRUE(SetNonBlocking(ends.ours));
    EXPECT_TRUE(SetNonBlocking(ends.theirs));
    brokers_.push_back(std::move(ends.theirs));
    return std::move(ends.ours);
  }

  // Number 1 is open, with its other end in brokers_.
  void Open() {
    ASSERT_TRUE(crossings_.TakeOpen(Of(1, {"\0", 1})));
    crossings_.Connect([this](CellListener) -> Result<Fd> { return Connected(); });
  }

  // Polls and serves as the relay does, until nothing is left to do.
  void Turn() {
    for (int i = 0; i < 50; ++i) {
      std::vector<pollfd> polled;
      crossings_.Prepare(polled);
      if (polled.empty() || ::poll(polled.data(), polled.size(), 0) <= 0) return;
      crossings_.Serve(polled);
    }
    ADD_FAILURE() << "it turns without end";
  }

  // Sends until the socket of the broker, which does not read, is full.
  void Fill() {
    const std::string some(kWindow / 4, 'x');
    for (int i = 0; i < 100 && crossings_.Waiting() == 0; ++i) {
      ASSERT_TRUE(crossings_.Take(Channel::kDataOut, Of(1, some)));
    }
    ASSERT_GT(crossings_.Waiting(), 0U);
    said_.clear();
  }

  std::string Read() {
    std::array<char, 256 << 10> chunk;
    const ssize_t n = ::read(brokers_[0].get(), chunk.data(), chunk.size());
    if (n < 0) return errno == EAGAIN ? "(nothing)" : "(error)";
    return {chunk.data(), static_cast<std::size_t>(n)};
  }

  bool room_ = true;
  std::vector<Said> said_;
  std::vector<Fd> brokers_;
  Crossings crossings_{Crossings::End::kOutside,
                       {[this](Channel channel, std::string_view payload) {
                          said_.push_back({channel, std::string(payload)});
                        },
                        [this] { return room_; }}};
};

TEST_F(CrossingsTest, CarriesBothWays) {
  Open();
  ASSERT_TRUE(crossings_.Take(Channel::kDataOut, Of(1, "GET /")));
  EXPECT_EQ(Read(), "GET /");
  ASSERT_TRUE(WriteAll(brokers_[0], "200", "the broker"));
  Turn();
  EXPECT_EQ(said_, (std::vector<Said>{{Channel::kDataIn, Of(1, "200")}}));
}

TEST_F(CrossingsTest, WhatComesBeforeItIsConnectedIsKept) {
  ASSERT_TRUE(crossings_.TakeOpen(Of(1, {"\1", 1})));
  ASSERT_TRUE(crossings_.Take(Channel::kDataOut, Of(1, "early")));
  ASSERT_TRUE(crossings_.Take(Channel::kDataOut, Of(1)));
  std::vector<CellListener> listeners;
  crossings_.Connect([&](CellListener listener) -> Result<Fd> {
    listeners.push_back(listener);
    return Connected();
  });
  EXPECT_EQ(listeners, std::vector<CellListener>{CellListener::kTools});
  EXPECT_EQ(Read(), "early");
  EXPECT_EQ(Read(), "") << "and its end";
}

TEST_F(CrossingsTest, OneThatCannotBeMadeIsClosed) {
  ASSERT_TRUE(crossings_.TakeOpen(Of(1, {"\0", 1})));
  const auto fails = [](CellListener) -> Result<Fd> { return Error(Kind::kExhausted, "too many"); };
  crossings_.Connect(fails);
  EXPECT_EQ(said_, (std::vector<Said>{{Channel::kCloseIn, Of(1)}}));
  crossings_.Connect(fails);
  EXPECT_EQ(said_.size(), 1U) << "and not tried again";
  ASSERT_TRUE(crossings_.Take(Channel::kDataOut, Of(1, "under way"))) << "which was not known yet";
  ASSERT_TRUE(crossings_.Take(Channel::kCloseOut, Of(1)));
  EXPECT_EQ(crossings_.size(), 0U);
}

TEST_F(CrossingsTest, OneThatIsHalfClosedStillAnswers) {
  Open();
  ASSERT_TRUE(crossings_.Take(Channel::kDataOut, Of(1, "ask")));
  ASSERT_TRUE(crossings_.Take(Channel::kDataOut, Of(1)));
  EXPECT_EQ(Read(), "ask");
  EXPECT_EQ(Read(), "");
  Turn();
  ASSERT_TRUE(WriteAll(brokers_[0], "answer", "the broker"));
  Turn();
  EXPECT_EQ(said_, (std::vector<Said>{{Channel::kDataIn, Of(1, "answer")}}));
  brokers_[0].Close();
  Turn();
  ASSERT_EQ(said_.size(), 3U);
  EXPECT_EQ(said_[1], (Said{Channel::kDataIn, Of(1)}));
  EXPECT_EQ(said_[2], (Said{Channel::kCloseIn, Of(1)}));
  EXPECT_EQ(crossings_.size(), 1U) << "the number is in use until both have closed";
  ASSERT_TRUE(crossings_.Take(Channel::kCloseOut, Of(1)));
  EXPECT_EQ(crossings_.size(), 0U);
}

TEST_F(CrossingsTest, AnAnswerThatWasGivenBeforeAllWasHeardArrives) {
  Open();
  Fill();
  ASSERT_TRUE(WriteAll(brokers_[0], "403", "the broker"));
  brokers_[0].Close();
  Turn();
  ASSERT_GE(said_.size(), 2U);
  EXPECT_EQ(said_.back(), (Said{Channel::kCloseIn, Of(1)}));
  EXPECT_TRUE(std::ranges::count(said_, Said{Channel::kDataIn, Of(1, "403")}) == 1);
}

TEST_F(CrossingsTest, NoMoreIsReadThanTheOtherEndHasRoomFor) {
  Open();
  const std::string much(4 * kWindow, 'x');
  std::size_t written = 0;
  std::size_t sent = 0;
  const auto count = [&] {
    sent = 0;
    for (const Said& each : said_) sent += each.payload.size() - kNumberBytes;
  };
  for (int i = 0; i < 20; ++i) {
    const ssize_t n = ::write(brokers_[0].get(), much.data(), much.size());
    if (n > 0) written += static_cast<std::size_t>(n);
    Turn();
  }
  count();
  EXPECT_GT(written, kWindow);
  EXPECT_EQ(sent, kWindow);
  ASSERT_TRUE(crossings_.Take(Channel::kTakenOut, Counted(1, 1000)));
  Turn();
  count();
  EXPECT_EQ(sent, kWindow + 1000);
}

TEST_F(CrossingsTest, NothingIsReadWhileTheStreamIsFull) {
  Open();
  room_ = false;
  ASSERT_TRUE(WriteAll(brokers_[0], "200", "the broker"));
  Turn();
  EXPECT_EQ(said_, std::vector<Said>{});
}

TEST_F(CrossingsTest, AHungUpSocketThatMayNotBeReadWakesNobody) {
  Open();
  room_ = false;
  ASSERT_TRUE(WriteAll(brokers_[0], "200", "the broker"));
  brokers_[0].Close();
  std::vector<pollfd> polled;
  crossings_.Prepare(polled);
  EXPECT_TRUE(polled.empty());
}

TEST_F(CrossingsTest, WhatTheSocketTakesIsToldInLargePortions) {
  Open();
  ASSERT_TRUE(crossings_.Take(Channel::kDataOut, Of(1, "little")));
  EXPECT_EQ(said_, std::vector<Said>{});
  ASSERT_TRUE(crossings_.Take(Channel::kDataOut, Of(1, std::string(kWindow / 4, 'x'))));
  EXPECT_EQ(said_, (std::vector<Said>{{Channel::kTakenIn, Counted(1, kWindow / 4 + 6)}}));
}

TEST_F(CrossingsTest, SendingBeyondTheWindowBreaksTheRules) {
  ASSERT_TRUE(crossings_.TakeOpen(Of(1, {"\0", 1})));
  ASSERT_TRUE(crossings_.Take(Channel::kDataOut, Of(1, std::string(kWindow, 'x'))));
  EXPECT_FALSE(crossings_.Take(Channel::kDataOut, Of(1, "x")));
  EXPECT_EQ(crossings_.Waiting(), kWindow);
}

TEST_F(CrossingsTest, TakingWhatWasNotSentBreaksTheRules) {
  Open();
  EXPECT_FALSE(crossings_.Take(Channel::kTakenOut, Counted(1, 1)));
  EXPECT_FALSE(crossings_.Take(Channel::kTakenOut, Counted(1, 0)));
  EXPECT_FALSE(crossings_.Take(Channel::kTakenOut, Of(1, "abc")));
}

TEST_F(CrossingsTest, WordsOfAConnectionThatIsNotOpenBreakTheRules) {
  EXPECT_FALSE(crossings_.Take(Channel::kDataOut, Of(1, "x")));
  EXPECT_FALSE(crossings_.Take(Channel::kCloseOut, Of(0)));
  EXPECT_FALSE(crossings_.Take(Channel::kDataOut, "abc"));
  Open();
  ASSERT_TRUE(crossings_.Take(Channel::kDataOut, Of(1)));
  EXPECT_FALSE(crossings_.Take(Channel::kDataOut, Of(1, "after its end")));
  ASSERT_TRUE(crossings_.Take(Channel::kCloseOut, Of(1)));
  EXPECT_FALSE(crossings_.Take(Channel::kCloseOut, Of(1)));
}

TEST_F(CrossingsTest, OneThatIsClosedWhileBytesWaitDeliversThemAndIsSilent) {
  Open();
  Fill();
  ASSERT_TRUE(crossings_.Take(Channel::kCloseOut, Of(1)));
  EXPECT_EQ(crossings_.size(), 1U);
  EXPECT_FALSE(crossings_.Take(Channel::kCloseOut, Of(1)));
  while (Read().size() > 10) Turn();
  EXPECT_EQ(said_, (std::vector<Said>{{Channel::kCloseIn, Of(1)}}));
  EXPECT_EQ(crossings_.size(), 0U);
}

TEST_F(CrossingsTest, NumbersFollowOneAnother) {
  EXPECT_FALSE(crossings_.TakeOpen(Of(2, {"\0", 1})));
  EXPECT_FALSE(crossings_.TakeOpen(Of(1)));
  EXPECT_FALSE(crossings_.TakeOpen(Of(1, "\2")));
  EXPECT_TRUE(crossings_.TakeOpen(Of(1, {"\0", 1})));
  EXPECT_FALSE(crossings_.TakeOpen(Of(1, {"\0", 1})));
}

TEST_F(CrossingsTest, AListenerHasSoManyConnectionsAndNoMore) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < kConnectionsOfListener; ++i) {
    ASSERT_TRUE(crossings_.TakeOpen(Of(++number, {"\0", 1})));
  }
  EXPECT_FALSE(crossings_.TakeOpen(Of(number + 1, {"\0", 1})));
  EXPECT_TRUE(crossings_.TakeOpen(Of(number + 1, {"\1", 1}))) << "the other has its own";
}

// Both ends of one stream, joined with each other; each has real sockets.
class JoinedCrossings : public Test {
 protected:
  static Crossings::Ways To(std::vector<std::pair<Channel, std::string>>& queue) {
    return {[&queue](Channel channel, std::string_view payload) {
              queue.emplace_back(channel, payload);
            },
            [] { return true; }};
  }

  void Deliver() {
    for (const auto& [channel, payload] : std::exchange(outwards_, {})) {
      ASSERT_TRUE(channel == Channel::kOpen ? outside_.TakeOpen(payload)
                                            : outside_.Take(channel, payload));
    }
    outside_.Connect([this](CellListener) -> Result<Fd> {
      auto ends = *MakeSocketPair(SOCK_STREAM);
      broker_ = std::move(ends.theirs);
      EXPECT_TRUE(SetNonBlocking(broker_));
      return std::move(ends.ours);
    });
    for (const auto& [channel, payload] : std::exchange(inwards_, {})) {
      ASSERT_TRUE(inside_.Take(channel, payload));
    }
  }

  void Turn() {
    for (Crossings* const end : {&inside_, &outside_}) {
      std::vector<pollfd> polled;
      end->Prepare(polled);
      ::poll(polled.data(), polled.size(), 0);
      end->Serve(polled);
      Deliver();
    }
  }

  std::vector<std::pair<Channel, std::string>> inwards_;
  std::vector<std::pair<Channel, std::string>> outwards_;
  Crossings inside_{Crossings::End::kInside, To(outwards_)};
  Crossings outside_{Crossings::End::kOutside, To(inwards_)};
  Fd broker_;
};

TEST_F(JoinedCrossings, MuchPassesBothWaysAndNothingIsLeft) {
  auto ends = *MakeSocketPair(SOCK_STREAM);
  ASSERT_TRUE(SetNonBlocking(ends.theirs));
  inside_.Accepted(CellListener::kEgress, std::move(ends.ours));
  Deliver();
  std::string told;  // what the guest has heard
  std::string heard;
  std::string asked(1'000'000, 'a');
  std::string answered(1'500'000, 'b');
  const auto pump = [](const Fd& fd, std::string& from, std::string& into) {
    std::array<char, 50'000> chunk;
    const ssize_t n = fd ? ::read(fd.get(), chunk.data(), chunk.size()) : -1;
    if (n > 0) into.append(chunk.data(), static_cast<std::size_t>(n));
    const ssize_t w = fd && !from.empty() ? ::write(fd.get(), from.data(), from.size()) : 0;
    if (w > 0) from.erase(0, static_cast<std::size_t>(w));
  };
  for (int i = 0; i < 5000 && (told.size() < 1'500'000 || heard.size() < 1'000'000); ++i) {
    pump(ends.theirs, asked, told);
    pump(broker_, answered, heard);
    Turn();
  }
  EXPECT_EQ(heard.size(), 1'000'000U);
  EXPECT_EQ(told.size(), 1'500'000U);
  ends.theirs.Close();
  for (int i = 0; i < 10; ++i) Turn();
  broker_.Close();
  for (int i = 0; i < 10; ++i) Turn();
  EXPECT_EQ(inside_.size() + outside_.size(), 0U);
}

}  // namespace
}  // namespace belljar::cell::oci
