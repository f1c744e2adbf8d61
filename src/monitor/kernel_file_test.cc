#include "monitor/kernel_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>

#include <latch>
#include <thread>

namespace belljar::monitor {
namespace {

TEST(NumberOf, WantsTheWholeKeyAtTheStartOfALine) {
  constexpr std::string_view kText = "oom 2\noom_kill 3\noom_group_kill 4\nRssAnon:\t   120 kB";
  EXPECT_EQ(NumberOf(kText, "oom"), 2u);
  EXPECT_EQ(NumberOf(kText, "oom_kill"), 3u);
  EXPECT_EQ(NumberOf(kText, "RssAnon:"), 120u);
  EXPECT_EQ(NumberOf(kText, "kill"), std::nullopt);
  EXPECT_EQ(NumberOf(kText, "oom_"), std::nullopt);
}

TEST(NumberOf, IsNotTakenInByANameThatLooksLikeALine) {
  EXPECT_EQ(NumberOf("Name:\tRssAnon: 1\nRssAnon: 7 kB\n", "RssAnon:"), 7u);
}

TEST(LeadingNumber, IsEmptyForWordsAndNegativeNumbers) {
  EXPECT_EQ(LeadingNumber("17\n"), 17u);
  EXPECT_EQ(LeadingNumber("max\n"), std::nullopt);
  EXPECT_EQ(LeadingNumber("-1\n"), std::nullopt);
  EXPECT_EQ(LeadingNumber(""), std::nullopt);
}

// What the kernel says changes; a file that is kept open must not go on saying what it said first.
TEST(KeptFiles, AreReadAnewEachTime) {
  const Fd tasks = *OpenAt(Fd(), "/proc/self", O_PATH | O_DIRECTORY);
  KeptFiles files;
  const auto threads = [&] { return NumberOf(*files.Read(tasks, "status"), "Threads:"); };
  const auto before = threads();
  std::latch release(1);
  {
    const std::jthread other([&] { release.wait(); });
    EXPECT_EQ(threads(), *before + 1);
    release.count_down();
  }
  EXPECT_FALSE(files.Read(tasks, "no-such-file"));
}

}  // namespace
}  // namespace belljar::monitor
