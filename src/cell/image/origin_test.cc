#include "cell/image/origin.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cell/image/scratch.h"
#include "cell/image/store.h"

namespace belljar::cell::image {
namespace {

using testing::Contains;

class OriginTest : public testing::Test {
 protected:
  OriginTest() {
    for (const char* file : {"usr/bin/bash", "usr/bin/python3.11", "usr/bin/python3.12",
                             "lib/x86_64-linux-gnu/libc.so.6", "var/lib/dpkg/status"}) {
      Place(file, "four");
    }
    host_.MakeLink("usr/bin/python3", "python3.11");
    before_ = Origin();
  }
  // All files get the same time, so that a test changes only one property.
  void Place(const std::string& file, const std::string& text) const {
    host_.Write(file, text);
    SetTime(file, {1'700'000'000, 0});
  }
  void SetTime(const std::string& file, timespec time) const {
    const timespec times[] = {time, time};
    EXPECT_EQ(::utimensat(AT_FDCWD, host_.path(file).c_str(), times, 0), 0);
  }
  std::string Origin() const { return OriginOf(Root(host_.path()), recipe_); }

  Scratch host_;
  std::vector<std::string_view> recipe_ = {"ls", "cat"};
  std::string before_;
};

TEST_F(OriginTest, StaysWhileNothingChanges) {
  EXPECT_EQ(before_.size(), 16U);
  host_.Write("usr/bin/unrelated", "");
  EXPECT_EQ(Origin(), before_);
}

TEST_F(OriginTest, ChangesWithEachFileItLooksAt) {
  for (const char* file : {"usr/bin/bash", "usr/bin/python3.11", "lib/x86_64-linux-gnu/libc.so.6",
                           "var/lib/dpkg/status"}) {
    SetTime(file, {1'700'000'000, 1});
    EXPECT_NE(Origin(), before_) << "the time of " << file;
    Place(file, "fives");
    EXPECT_NE(Origin(), before_) << "the size of " << file;
    Place(file, "four");
    EXPECT_EQ(Origin(), before_) << file;
  }
}

TEST_F(OriginTest, ChangesWhenAnInterpreterComesMovesOrGoes) {
  Place("usr/local/bin/node", "four");
  EXPECT_NE(Origin(), before_);
  std::filesystem::remove(host_.path("usr/local/bin/node"));
  EXPECT_EQ(Origin(), before_);
  std::filesystem::remove(host_.path("usr/bin/python3"));
  EXPECT_NE(Origin(), before_);
  host_.MakeLink("usr/bin/python3", "python3.12");
  EXPECT_NE(Origin(), before_) << "of the same size and time, but another";
}

TEST_F(OriginTest, ChangesWithTheRecipe) {
  for (const std::vector<std::string_view>& other :
       {std::vector<std::string_view>{"ls", "cat", "tr"}, {"ls"}, {"lsc", "at"}, {"cat", "ls"}}) {
    recipe_ = other;
    EXPECT_NE(Origin(), before_) << testing::PrintToString(other);
  }
}

TEST(DefaultRecipe, HoldsTheListsTheImageIsMadeBy) {
  const auto recipe = DefaultRecipe();
  for (const char* item : {"sha256sum", "/workspace", "/usr/share/zoneinfo", "/etc/passwd",
                           "/usr/share/nodejs", "/usr/share/misc/magic.mgc", "idlelib"}) {
    EXPECT_THAT(recipe, Contains(item));
  }
}

TEST(HostOrigin, IsTheSameEachTime) { EXPECT_EQ(HostOrigin(), HostOrigin()); }

}  // namespace
}  // namespace belljar::cell::image
