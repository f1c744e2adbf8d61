#include "cell/guest/protocol/frames.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace belljar::cell::guest {
namespace {

// The numbers are repeated here, because changing one would change the protocol.
TEST(FrameType, HasTheNumbersOfVersionOne) {
  EXPECT_EQ(kProtocolVersion, 1);
  const std::map<FrameType, int> numbers = {
      {FrameType::kRun, 0x01},        {FrameType::kSession, 0x02}, {FrameType::kStatement, 0x03},
      {FrameType::kCheckpoint, 0x04}, {FrameType::kRestore, 0x05}, {FrameType::kHello, 0x81},
      {FrameType::kError, 0x82},      {FrameType::kCount, 0x83},   {FrameType::kQuota, 0x84},
      {FrameType::kReady, 0x85},      {FrameType::kDone, 0x86},    {FrameType::kDisplay, 0x87},
      {FrameType::kSaved, 0x88}};
  EXPECT_EQ(numbers.size(), std::size(kFrameRules));
  for (const auto& [type, number] : numbers) EXPECT_EQ(static_cast<int>(type), number);
}

TEST(FrameType, HasTheLimitsOfVersionOne) {
  EXPECT_EQ(kMaxRunBytes, 64U << 20);
  EXPECT_EQ(kMaxGuestFrameBytes, 256U << 10);
  EXPECT_EQ(kMaxDisplayFrameBytes, 4U << 20);
  EXPECT_EQ(kMaxDisplayBytes, 16U << 20);
  EXPECT_EQ(kMaxDisplays, 256U);
}

std::set<int> LegalFor(Sender sender) {
  std::set<int> legal;
  for (int number = 0; number <= 0xFF; ++number) {
    if (RuleFor(sender, static_cast<std::uint8_t>(number)) != nullptr) legal.insert(number);
  }
  return legal;
}

TEST(RuleFor, KnowsWhatEachSideMaySend) {
  EXPECT_EQ(LegalFor(Sender::kSupervisor), std::set({0x01, 0x02, 0x03, 0x04, 0x05}));
  EXPECT_EQ(LegalFor(Sender::kGuest), std::set({0x81, 0x82, 0x83, 0x84}));
  EXPECT_EQ(LegalFor(Sender::kSessionGuest), std::set({0x82, 0x84, 0x85, 0x86, 0x87, 0x88}));
}

TEST(RuleFor, LimitsEachFrame) {
  EXPECT_EQ(RuleFor(Sender::kSupervisor, 0x03)->max_payload, kMaxRunBytes);
  EXPECT_EQ(RuleFor(Sender::kGuest, 0x82)->max_payload, kMaxGuestFrameBytes);
  EXPECT_EQ(RuleFor(Sender::kSessionGuest, 0x82)->max_payload, kMaxGuestFrameBytes);
  EXPECT_EQ(RuleFor(Sender::kSessionGuest, 0x87)->max_payload, kMaxDisplayFrameBytes);
}

}  // namespace
}  // namespace belljar::cell::guest
