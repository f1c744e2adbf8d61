#include "cell/image/hold.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>

#include "cell/image/scratch.h"
#include "cell/image/store.h"

namespace belljar::cell::image {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<> OpenNothing(const Image&) { return {}; }

class HoldTest : public testing::Test {
 protected:
  HoldTest() : store_(*ImageStore::Open(scratch_.path("store"))) { Build("small", "first"); }

  void Build(const std::string& name, const std::string& shell) {
    scratch_.Write("tree/bin/bash", shell, 0755);
    const auto built = store_.BuildFromTree(name, scratch_.path("tree"), {}, nullptr);
    ASSERT_TRUE(built) << built.error().message();
  }
  Fd Hold(const std::string& name) const {
    auto hold = store_.Hold(name, OpenNothing);
    EXPECT_TRUE(hold) << hold.error().message();
    return hold ? *std::move(hold) : Fd();
  }
  std::string ShellIn(const std::string& dir) const {
    return scratch_.Read("store/" + dir + "/rootfs/bin/bash");
  }
  // The directories in the store, hidden ones included.
  std::vector<std::string> Dirs() const {
    std::vector<std::string> dirs;
    for (const auto& entry : std::filesystem::directory_iterator(scratch_.path("store"))) {
      if (entry.is_directory()) dirs.push_back(entry.path().filename());
    }
    std::sort(dirs.begin(), dirs.end());
    return dirs;
  }

  const std::string aside_ = ".small." + std::to_string(::getpid());
  Scratch scratch_;
  ImageStore store_;
};

TEST_F(HoldTest, KeepsAReplacedTreeUntilItsUserEnds) {
  Fd hold = Hold("small");
  Build("small", "second");
  EXPECT_EQ(ShellIn("small"), "second");
  EXPECT_EQ(ShellIn(aside_), "first");
  Build("small", "third");  // under the same pid, while the name it would take is in use
  EXPECT_THAT(Dirs(), ElementsAre(aside_, "small"));
  EXPECT_EQ(ShellIn("small"), "third");
  EXPECT_EQ(ShellIn(aside_), "first");
  hold.Close();
  Build("other", "fourth");
  EXPECT_THAT(Dirs(), ElementsAre("other", "small"));
}

TEST_F(HoldTest, KeepsEachOfSeveralTreesInUse) {
  const Fd first = Hold("small");
  Build("small", "second");
  Fd second = Hold("small");
  Build("small", "third");
  EXPECT_THAT(Dirs(), ElementsAre(aside_, aside_ + ".2", "small"));
  EXPECT_EQ(ShellIn(aside_), "first");
  EXPECT_EQ(ShellIn(aside_ + ".2"), "second");
  second.Close();
  ASSERT_TRUE(store_.Remove("small"));
  EXPECT_THAT(Dirs(), ElementsAre(aside_));
}

TEST_F(HoldTest, LetsTheNameGoAtOnceAndTheTreeWithItsLastUser) {
  Fd one = Hold("small");
  Fd other = Hold("small");
  ASSERT_TRUE(store_.Remove("small"));
  EXPECT_EQ(store_.Find("small").error().kind(), Kind::kNotFound);
  EXPECT_EQ(ShellIn(aside_), "first");
  one.Close();
  Build("other", "second");
  EXPECT_EQ(ShellIn(aside_), "first");
  other.Close();
  ASSERT_TRUE(store_.Remove("other"));
  EXPECT_THAT(Dirs(), ElementsAre());
}

TEST_F(HoldTest, OpensAnewWhenTheImageWasReplacedMeanwhile) {
  std::vector<std::string> opened;
  const auto hold = store_.Hold("small", [&](const Image&) -> Result<> {
    opened.push_back(ShellIn("small"));
    if (opened.size() > 1) return {};
    Build("small", "second");
    return Error(Kind::kNotFound, "halfway through the first tree");
  });
  ASSERT_TRUE(hold) << hold.error().message();
  EXPECT_THAT(opened, ElementsAre("first", "second"));
  Build("small", "third");
  EXPECT_EQ(ShellIn(aside_), "second") << "the second is the one that is held";
}

TEST_F(HoldTest, GivesUpOnAnImageThatIsReplacedEachTime) {
  int opened = 0;
  const auto hold = store_.Hold("small", [&](const Image&) -> Result<> {
    Build("small", std::to_string(++opened));
    return {};
  });
  ASSERT_FALSE(hold);
  EXPECT_EQ(hold.error().kind(), Kind::kUnavailable);
  EXPECT_THAT(hold.error().message(), HasSubstr("was replaced while it was opened"));
  EXPECT_EQ(opened, 2);
}

TEST_F(HoldTest, SaysSoWhenTheImageIsRemovedMeanwhile) {
  const auto hold = store_.Hold("small", [&](const Image&) { return store_.Remove("small"); });
  ASSERT_FALSE(hold);
  EXPECT_EQ(hold.error().message(), "no image small: none has been built yet");
}

TEST_F(HoldTest, PassesOnWhyATreeCouldNotBeOpened) {
  int opened = 0;
  const auto hold = store_.Hold("small", [&](const Image&) -> Result<> {
    ++opened;
    return Error(Kind::kDenied, "no mounts here");
  });
  ASSERT_FALSE(hold);
  EXPECT_EQ(hold.error().message(), "no mounts here");
  EXPECT_EQ(opened, 1);
  ASSERT_TRUE(store_.Remove("small"));
  EXPECT_THAT(Dirs(), ElementsAre()) << "a failure holds nothing";
}

TEST_F(HoldTest, RefusesNamesThatLeadElsewhere) {
  scratch_.Write("image.json", "{}");
  EXPECT_EQ(store_.Hold("..", OpenNothing).error().kind(), Kind::kInvalid);
}

TEST_F(HoldTest, IsNotInherited) {
  const Fd hold = Hold("small");
  EXPECT_EQ(::fcntl(hold.get(), F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
}

}  // namespace
}  // namespace belljar::cell::image
