#include "run/capture.h"

#include <gtest/gtest.h>

namespace belljar::run {
namespace {

request::Limits Limit(std::uint64_t bytes, std::uint32_t lines) {
  request::Limits limits;
  limits.output_bytes = bytes;
  limits.output_lines = lines;
  return limits;
}

TEST(Capture, KeepsWhatIsWithinTheLimits) {
  Capture capture(Limit(100, 3));
  capture.Add(Stream::kStdout, "a\nb\n");
  capture.Add(Stream::kStderr, "c\n");
  EXPECT_FALSE(capture.full());
  EXPECT_EQ(capture.of(Stream::kStdout).bytes, "a\nb\n");
  EXPECT_EQ(capture.of(Stream::kStderr).bytes, "c\n");
}

TEST(Capture, CutsAtTheByteLimit) {
  Capture capture(Limit(5, 100));
  EXPECT_EQ(capture.Add(Stream::kStdout, "1234567"), "12345");
  EXPECT_TRUE(capture.full());
  EXPECT_TRUE(capture.of(Stream::kStdout).truncated);
  EXPECT_FALSE(capture.of(Stream::kStderr).truncated);
}

TEST(Capture, CutsAfterTheLastAllowedLine) {
  Capture capture(Limit(100, 2));
  EXPECT_EQ(capture.Add(Stream::kStdout, "a\nb\nc\n"), "a\nb\n");
  EXPECT_TRUE(capture.full());
}

TEST(Capture, TheLimitIsSharedByBothStreams) {
  Capture capture(Limit(100, 2));
  capture.Add(Stream::kStdout, "a\nb\n");
  EXPECT_FALSE(capture.full());
  EXPECT_EQ(capture.Add(Stream::kStderr, "c"), "");
  EXPECT_TRUE(capture.of(Stream::kStderr).truncated);
}

TEST(Capture, ExactlyTheLimitIsNotTooMuch) {
  Capture capture(Limit(4, 2));
  capture.Add(Stream::kStdout, "a\nb\n");
  EXPECT_FALSE(capture.full());
}

}  // namespace
}  // namespace belljar::run
