#include "resource/artefact/store.h"

#include <sys/wait.h>

#include <csignal>
#include <thread>

#include "foundation/base/sys.h"
#include "resource/artefact/places.h"
#include "resource/artefact/scratch.h"

namespace belljar::resource::artefact {
namespace {

using Existing = Store::Existing;

class StoreTest : public testing::Test {
 protected:
  Store Opened() const {
    auto store = Store::Open(scratch_ / "store");
    EXPECT_TRUE(store) << store.error().message();
    return *std::move(store);
  }
  Info Added(Store& store, const std::string& name, const std::string& text) const {
    const auto info = store.Add(name, scratch_.Write("source", text), Existing::kRefuse, {});
    EXPECT_TRUE(info) << info.error().message();
    return info ? *info : Info{};
  }
  std::string ObjectOf(const Info& info) const {
    return scratch_ / ("store/objects/" + HexOf(info.content.digest));
  }
  std::size_t Objects() const { return Count(scratch_ / "store/objects"); }
  // The store has names, objects and the lock; other entries are leftovers.
  std::size_t Left() const { return Count(scratch_ / "store") - 3; }
  static std::size_t Count(const std::string& dir) {
    std::size_t count = 0;
    for ([[maybe_unused]] const auto& entry : fs::directory_iterator(dir)) ++count;
    return count;
  }
  static std::string WhyNotHeld(const Store& store, const std::string& name) {
    const auto held = store.Hold({name, ""});
    return held ? "" : held.error().message();
  }

  Scratch scratch_;
};

constexpr const char* kChanged =
    "artefact iris was changed in the store: run belljar artefact verify iris";

TEST_F(StoreTest, GivesWhatWasAdded) {
  Store store = Opened();
  const Info info = Added(store, "iris", "petals");
  const auto held = store.Hold({"iris", info.content.digest});
  ASSERT_TRUE(held) << held.error().message();
  EXPECT_EQ(TextOf("/proc/self/fd/" + std::to_string(held->content->get())), "petals");
  EXPECT_EQ(held->path, ObjectOf(info) + "/content");
  EXPECT_EQ(store.Find("iris")->content.digest, info.content.digest);
  EXPECT_EQ(Left(), 0U);
}

TEST_F(StoreTest, SharesOneContentAmongNames) {
  Store store = Opened();
  Added(store, "one", "same");
  Added(store, "two", "same");
  EXPECT_EQ(Objects(), 1U);
  EXPECT_EQ(*store.Remove("one"), Rest::kShared);
  EXPECT_EQ(WhyNotHeld(store, "two"), "");
  EXPECT_EQ(*store.Remove("two"), Rest::kDeleted);
  EXPECT_EQ(Objects(), 0U);
}

// A link that is named by the user is followed; links within a tree are not (walk.h).
TEST_F(StoreTest, AddsWhatALinkLeadsToThatIsNamedItself) {
  Store store = Opened();
  const std::string path = scratch_.Write("source", "text");
  const std::string link = path + ".link";
  ASSERT_EQ(::symlink(path.c_str(), link.c_str()), 0);
  const auto by_link = store.Add("link", link, Existing::kRefuse, {});
  ASSERT_TRUE(by_link) << by_link.error().message();
  const auto by_path = store.Add("path", path, Existing::kRefuse, {});
  ASSERT_TRUE(by_path);
  EXPECT_EQ(by_link->content.digest, by_path->content.digest);
  EXPECT_EQ(by_link->content.shape, Shape::kFile);
}

TEST_F(StoreTest, LeavesANameAloneUnlessItIsToBeReplaced) {
  Store store = Opened();
  const Info first = Added(store, "iris", "old");
  const std::string path = scratch_.Write("source", "new");
  const auto refused = store.Add("iris", path, Existing::kRefuse, {});
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().message().find("(--replace, ?replace=true)"), std::string::npos);
  EXPECT_EQ(store.Find("iris")->content.digest, first.content.digest);
  EXPECT_EQ(Objects(), 1U);
  ASSERT_TRUE(store.Add("iris", path, Existing::kReplace, {}));
  EXPECT_NE(store.Find("iris")->content.digest, first.content.digest);
  EXPECT_EQ(Objects(), 1U) << "what the name stood for is gone";
}

TEST_F(StoreTest, ResolvesANameToItsDigestAndNoOther) {
  Store store = Opened();
  const Info info = Added(store, "iris", "petals");
  EXPECT_EQ(store.Resolve({"iris", ""})->digest, info.content.digest);
  const std::string other = "sha256:" + std::string(64, '0');
  const auto wrong = store.Resolve({"iris", other});
  ASSERT_FALSE(wrong);
  EXPECT_EQ(wrong.error().message(), "the artefact iris is not " + other + " here");
  const auto none = store.Resolve({"rose", ""});
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message(),
            "there is no artefact \"rose\": add it with belljar artefact add rose PATH");
}

// The digest of one name must not give access to it under another name.
TEST_F(StoreTest, DoesNotGiveTheContentOfAnotherName) {
  Store store = Opened();
  const Info secret = Added(store, "secret", "petals");
  Added(store, "open", "leaves");
  EXPECT_FALSE(store.Hold({"open", secret.content.digest}));
}

TEST_F(StoreTest, NoticesAWrite) {
  Store store = Opened();
  const std::string content = ObjectOf(Added(store, "iris", "petals")) + "/content";
  ASSERT_EQ(::chmod(content.c_str(), 0644), 0);
  std::ofstream(content) << "thorns";
  EXPECT_EQ(WhyNotHeld(store, "iris"), kChanged);
  // The mode is as before, but the change time differs.
  ASSERT_EQ(::chmod(content.c_str(), 0444), 0);
  EXPECT_EQ(WhyNotHeld(store, "iris"), kChanged);
  const auto verified = store.Verify("iris", {});
  ASSERT_FALSE(verified);
  EXPECT_NE(verified.error().message().find("artefact iris is damaged: it is sha256:"),
            std::string::npos);
}

TEST_F(StoreTest, NoticesAnotherFileInItsPlace) {
  Store store = Opened();
  const std::string content = ObjectOf(Added(store, "iris", "petals")) + "/content";
  ASSERT_EQ(::rename(content.c_str(), (scratch_ / "kept").c_str()), 0);
  fs::create_symlink(scratch_ / "kept", content);
  EXPECT_EQ(WhyNotHeld(store, "iris"), kChanged) << "a link to the very file";
  fs::remove(content);
  fs::copy_file(scratch_ / "kept", content);
  ASSERT_EQ(::chmod(content.c_str(), 0444), 0);
  EXPECT_EQ(WhyNotHeld(store, "iris"), kChanged) << "a copy";
}

TEST_F(StoreTest, NoticesAChangeDeepInATree) {
  Store store = Opened();
  scratch_.Write("tree/a/b/file", "1");
  const auto info = store.Add("iris", scratch_ / "tree", Existing::kRefuse, {});
  ASSERT_TRUE(info);
  EXPECT_EQ(WhyNotHeld(store, "iris"), "");
  const std::string file = ObjectOf(*info) + "/content/a/b/file";
  ASSERT_EQ(::chmod(file.c_str(), 0644), 0);
  ASSERT_EQ(::chmod(file.c_str(), 0444), 0);
  EXPECT_EQ(WhyNotHeld(store, "iris"), kChanged);
}

TEST_F(StoreTest, VerifiesWhatOnlyLooksChanged) {
  Store store = Opened();
  const std::string content = ObjectOf(Added(store, "iris", "petals")) + "/content";
  // changes the change time and leaves the bytes the same
  ASSERT_EQ(::chmod(content.c_str(), 0444), 0);
  EXPECT_EQ(WhyNotHeld(store, "iris"), kChanged);
  ASSERT_TRUE(store.Verify("iris", {}));
  EXPECT_EQ(WhyNotHeld(store, "iris"), "");
}

TEST_F(StoreTest, DoesNotVerifyWhatSomebodyCouldWriteTo) {
  Store store = Opened();
  const std::string content = ObjectOf(Added(store, "iris", "petals")) + "/content";
  ASSERT_EQ(::chmod(content.c_str(), 0644), 0);
  const auto open = store.Verify("iris", {});
  ASSERT_FALSE(open);
  EXPECT_NE(open.error().message().find("has mode 0644"), std::string::npos);
  ASSERT_EQ(::chmod(content.c_str(), 0444), 0);
  ASSERT_EQ(::link(content.c_str(), (scratch_ / "other").c_str()), 0);
  EXPECT_FALSE(store.Verify("iris", {})) << "another name leads to it";
}

TEST_F(StoreTest, IsMendedByAddingTheSameAgain) {
  Store store = Opened();
  const std::string content = ObjectOf(Added(store, "iris", "petals")) + "/content";
  ASSERT_EQ(::chmod(content.c_str(), 0644), 0);
  std::ofstream(content) << "thorns";
  Added(store, "iris", "petals");
  EXPECT_EQ(WhyNotHeld(store, "iris"), "");
  EXPECT_TRUE(store.Verify("iris", {}));
  EXPECT_EQ(Left(), 0U);
}

TEST_F(StoreTest, KeepsWhatIsHeldAndDeletesItLater) {
  Store store = Opened();
  const Info info = Added(store, "iris", "petals");
  {
    const auto held = store.Hold({"iris", ""});
    ASSERT_TRUE(held);
    EXPECT_EQ(*store.Remove("iris"), Rest::kInUse);
    EXPECT_EQ(TextOf(held->path), "petals");
    EXPECT_NE(WhyNotHeld(store, "iris"), "");
  }
  EXPECT_EQ(Objects(), 1U);
  Opened();
  EXPECT_EQ(Objects(), 0U);
}

TEST_F(StoreTest, RemovesWhatAKilledProcessLeft) {
  Opened();
  const pid_t child = ::fork();
  if (child == 0) {
    Store store = *Store::Open(scratch_ / "store");
    const auto die = [](std::span<char> piece) -> Result<std::size_t> {
      static int calls = 0;
      if (++calls > 2) ::raise(SIGKILL);
      std::ranges::fill(piece, 'x');
      return piece.size();
    };
    static_cast<void>(store.AddBytes("half", die, Existing::kRefuse));
    ::_exit(0);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_EQ(Left(), 1U);
  Store store = Opened();
  EXPECT_EQ(Left(), 0U);
  EXPECT_EQ(Objects(), 0U);
  EXPECT_TRUE(store.List()->empty());
}

TEST_F(StoreTest, DoesNotRemoveWhatIsJustBeingAdded) {
  Store store = Opened();
  bool looked = false;
  const auto read = [&](std::span<char> piece) -> Result<std::size_t> {
    if (looked) return std::size_t{0};
    looked = true;
    Opened();  // sweeps
    EXPECT_EQ(Left(), 1U);
    piece[0] = 'x';
    return std::size_t{1};
  };
  EXPECT_TRUE(store.AddBytes("slow", read, Existing::kRefuse));
  EXPECT_EQ(WhyNotHeld(store, "slow"), "");
}

TEST_F(StoreTest, LeavesNothingOfAnAddThatFailed) {
  Store store = Opened();
  const auto fail = [](std::span<char>) -> Result<std::size_t> {
    return Error(Kind::kUnavailable, "the sender has gone");
  };
  EXPECT_FALSE(store.AddBytes("half", fail, Existing::kRefuse));
  EXPECT_EQ(Left(), 0U);
  EXPECT_EQ(Objects(), 0U);
}

TEST_F(StoreTest, TakesManyAtOnce) {
  Opened();
  std::vector<std::jthread> threads;
  for (int i = 0; i < 8; ++i) {
    scratch_.Write("source" + std::to_string(i),
                   std::string(1 << 16, static_cast<char>('a' + i % 3)));
  }
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([this, i] {
      Store store = Opened();
      const std::string number = std::to_string(i);
      EXPECT_TRUE(store.Add("n" + number, scratch_ / ("source" + number), Existing::kRefuse, {}));
    });
  }
  threads.clear();
  Store store = Opened();
  EXPECT_EQ(store.List()->size(), 8U);
  EXPECT_EQ(Objects(), 3U);
  EXPECT_EQ(Left(), 0U);
  for (int i = 0; i < 8; ++i) EXPECT_EQ(WhyNotHeld(store, "n" + std::to_string(i)), "");
}

TEST_F(StoreTest, RefusesAPlaceThatOthersCanWriteTo) {
  fs::create_directory(scratch_ / "store");
  ASSERT_EQ(::chmod((scratch_ / "store").c_str(), 0777), 0);
  EXPECT_FALSE(Store::Open(scratch_ / "store"));
}

TEST_F(StoreTest, DeletesNothingWhileANameCannotBeRead) {
  Store store = Opened();
  Added(store, "iris", "petals");
  std::ofstream(scratch_ / "store/names/iris") << "{";
  Opened();
  EXPECT_EQ(Objects(), 1U);
  EXPECT_NE(WhyNotHeld(store, "iris"), "");
  ASSERT_TRUE(store.Remove("iris"));
  EXPECT_EQ(Objects(), 0U);
}

TEST_F(StoreTest, TakesNoFileForATree) {
  Store store = Opened();
  scratch_.Write("tree/a", "");
  ASSERT_TRUE(store.Add("tree", scratch_ / "tree", Existing::kRefuse, {}));
  const std::string listing =
      "belljar artefact tree 1\na\tfile\t0\t"
      "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\n";
  EXPECT_FALSE(store.Add("file", scratch_.Write("listing", listing), Existing::kRefuse, {}));
  EXPECT_EQ(store.Find("tree")->content.shape, Shape::kTree);
}

TEST_F(StoreTest, HasOnlyProperNames) {
  Store store = Opened();
  const std::string path = scratch_.Write("source", "x");
  for (const char* const name : {"../x", "", ".x", "a/b"}) {
    EXPECT_FALSE(store.Add(name, path, Existing::kRefuse, {})) << name;
    EXPECT_FALSE(store.Hold({name, ""})) << name;
    EXPECT_FALSE(store.Remove(name)) << name;
  }
}

}  // namespace
}  // namespace belljar::resource::artefact
