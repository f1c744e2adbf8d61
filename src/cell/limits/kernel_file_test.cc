#include "cell/limits/kernel_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

namespace belljar::cell::limits {
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

// A kept descriptor must return the present content at each read, not that of the first read.
TEST(KeptFiles, AreReadAnewEachTime) {
  const Fd dir = *OpenAt(Fd(), "/proc/self/fd", O_PATH | O_DIRECTORY);
  const Fd counter(::memfd_create("counter", MFD_CLOEXEC));
  KeptFiles files;
  for (const std::string text : {"1\n", "2\n"}) {
    ASSERT_EQ(::pwrite(counter.get(), text.data(), text.size(), 0), 2);
    EXPECT_EQ(*files.Read(dir, std::to_string(counter.get())), text);
  }
  EXPECT_FALSE(files.Read(dir, "no-such-file"));
}

}  // namespace
}  // namespace belljar::cell::limits
