#include <gtest/gtest.h>

#include "request/request.h"

namespace belljar::request {
namespace {

using std::chrono::milliseconds;

TEST(ParseSize, ReadsBytesAndPowersOf1024) {
  const std::vector<std::pair<const char*, std::uint64_t>> cases = {
      {"0", 0},
      {"1048576", 1048576},
      {"64K", 65536},
      {"64k", 65536},
      {"512M", 512 * kMiB},
      {"512MiB", 512 * kMiB},
      {"1G", 1024 * kMiB},
      {"2T", 2 * 1024 * 1024 * kMiB},
      {"18446744073709551615", UINT64_MAX},
      {"16777215T", 16777215ull << 40},
  };
  for (const auto& [text, bytes] : cases) {
    const auto size = ParseSize(text);
    ASSERT_TRUE(size) << size.error().message();
    EXPECT_EQ(*size, bytes) << text;
  }
}

TEST(ParseSize, RefusesWhatCouldMeanSomethingElse) {
  for (const char* text : {"", "M", "-1", "+1", "1.5G", "1 G", " 1G", "1G ", "1MB", "1B", "1iB",
                           "0x10", "1e6", "1P", "1Mi", "1,000"}) {
    const auto size = ParseSize(text);
    ASSERT_FALSE(size) << text;
    EXPECT_EQ(size.error().kind(), Kind::kInvalid);
    EXPECT_NE(size.error().message().find("is not a size"), std::string::npos) << text;
  }
}

TEST(ParseSize, RefusesNumbersThatOverflow) {
  for (const char* text : {"18446744073709551616", "16777216T", "99999999999999999999999K"}) {
    const auto size = ParseSize(text);
    ASSERT_FALSE(size) << text;
    EXPECT_EQ(size.error().message(), "\"" + std::string(text) + "\" is too large for a size");
  }
}

TEST(ParseDuration, ReadsSecondsAndUnits) {
  const std::vector<std::pair<const char*, milliseconds>> cases = {
      {"30", milliseconds(30'000)},   {"0.5", milliseconds(500)},
      {"0.001", milliseconds(1)},     {"30s", milliseconds(30'000)},
      {"500ms", milliseconds(500)},   {"2m", milliseconds(120'000)},
      {"1.5m", milliseconds(90'000)}, {"24h", std::chrono::hours(24)},
  };
  for (const auto& [text, time] : cases) {
    const auto duration = ParseDuration(text);
    ASSERT_TRUE(duration) << duration.error().message();
    EXPECT_EQ(*duration, time) << text;
  }
}

TEST(ParseDuration, RefusesWhatIsNotATime) {
  for (const char* text : {"", "s", "-1", "+1", "1e3", "inf", "nan", "1..5", "1.5.0", ".5", "5.",
                           "1d", "1 s", "1m30s", "0x10"}) {
    const auto duration = ParseDuration(text);
    ASSERT_FALSE(duration) << text;
    EXPECT_NE(duration.error().message().find("is not a time"), std::string::npos) << text;
  }
}

TEST(ParseDuration, RefusesTimesThatRoundToNothingOrOverflow) {
  EXPECT_EQ(ParseDuration("0").error().message(), R"("0" is shorter than a millisecond)");
  EXPECT_EQ(ParseDuration("0.0009").error().message(), R"("0.0009" is shorter than a millisecond)");
  EXPECT_EQ(ParseDuration("99999999999999999999h").error().message(),
            R"("99999999999999999999h" is too long for a time)");
}

TEST(ParseCpus, ReadsThousandths) {
  EXPECT_EQ(*ParseCpus("1"), 1000u);
  EXPECT_EQ(*ParseCpus("0.29"), 290u);
  EXPECT_EQ(*ParseCpus("64"), 64'000u);
  for (const char* text : {"", "-1", "two", "1e3", "9999999", "inf"}) {
    EXPECT_FALSE(ParseCpus(text)) << text;
  }
}

}  // namespace
}  // namespace belljar::request
