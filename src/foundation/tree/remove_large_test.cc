#include <gtest/gtest.h>

#include "foundation/tree/remove.h"
#include "foundation/tree/scratch.h"

namespace belljar::tree {
namespace {

TEST(RemoveBeneath, TooMuchIsNotRemovedAtAll) {
  const Scratch scratch;
  fs::create_directory(scratch / "d");
  const Fd dir = scratch.OpenDir("tree/d");
  scratch.Write("d/last/file");
  // Hard links are the fastest to make; two source files, because some file systems limit a file to
  // 65,000 links.
  for (const char* const from : {"odd", "even"}) scratch.Write(from);
  for (std::size_t i = 0; i + 1 < kMostRemoved; ++i) {
    const char* const from = i % 2 == 0 ? "even" : "odd";
    ASSERT_EQ(::linkat(scratch.root().get(), from, dir.get(), std::to_string(i).c_str(), 0), 0);
  }
  const auto removed = RemoveBeneath(scratch.root(), "d");
  ASSERT_FALSE(removed);
  EXPECT_EQ(removed.error().message(), "too much to remove at once");
  EXPECT_TRUE(fs::exists(scratch / "d/0"));
  EXPECT_TRUE(fs::exists(scratch / "d/last/file"));
}

}  // namespace
}  // namespace belljar::tree
