#include "cell/image/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <thread>

#include "cell/image/build.h"
#include "cell/image/manifest.h"
#include "cell/image/origin.h"
#include "cell/image/paths.h"
#include "cell/image/scratch.h"

namespace belljar::cell::image {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Looks for a waiter's line in /proc/locks: "1: -> FLOCK  ADVISORY  WRITE 77 fe:00:1234 0 EOF".
bool SomebodyWaitsFor(ino_t inode) {
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    const std::string place = ":" + std::to_string(inode) + " ";
    if (line.find("-> FLOCK") != std::string::npos && line.find(place) != std::string::npos) {
      return true;
    }
  }
  return false;
}

class ImageStoreTest : public testing::Test {
 protected:
  ImageStoreTest() : store_(*ImageStore::Open(scratch_.path("store"))) {
    scratch_.Write("tree/bin/bash", "shell", 04755);
  }
  Result<Image> Build(const std::string& name, std::vector<std::string> preimport = {}) {
    return store_.BuildFromTree(name, scratch_.path("tree"), std::move(preimport), nullptr);
  }
  std::vector<std::string> Names() const {
    std::vector<std::string> names;
    for (const Image& image : *store_.List()) names.push_back(image.name);
    return names;
  }
  // The files of the store, hidden ones included.
  std::vector<std::string> Files() const {
    std::vector<std::string> files;
    for (const auto& file : std::filesystem::directory_iterator(scratch_.path("store"))) {
      files.push_back(file.path().filename());
    }
    std::sort(files.begin(), files.end());
    return files;
  }

  Scratch scratch_;
  ImageStore store_;
};

TEST_F(ImageStoreTest, RefusesToPreimportWhatTheImageHasNot) {
  scratch_.Write("tree/usr/bin/python3.11", "", 0755);
  scratch_.MakeLink("tree/usr/bin/python3", "python3.11");
  scratch_.Write("tree/usr/lib/python3.11/os.py", "");
  scratch_.Write("tree/usr/lib/python3.11/json/__init__.py", "");
  ASSERT_TRUE(Build("small", {"sys", "json.decoder", "os.path"}));
  const auto built = Build("small", {"json", "numpy.linalg"});
  ASSERT_FALSE(built);
  EXPECT_EQ(built.error().message(),
            "build image small: --preimport numpy.linalg: there is no such module in it");
  EXPECT_THAT(store_.Find("small")->preimport, ElementsAre("sys", "json.decoder", "os.path"));
}

TEST_F(ImageStoreTest, FindsWhatItBuilt) {
  const auto built = Build("small", {"json"});
  ASSERT_TRUE(built) << built.error().message();
  const auto found = store_.Find("small");
  ASSERT_TRUE(found) << found.error().message();
  EXPECT_EQ(found->rootfs, scratch_.path("store/small/rootfs"));
  EXPECT_EQ(found->source, "tree " + scratch_.path("tree"));
  EXPECT_EQ(found->bash, "/bin/bash");
  EXPECT_THAT(found->preimport, ElementsAre("json"));
  EXPECT_EQ(found->files, 1U);
  EXPECT_EQ(found->created, built->created);
  EXPECT_EQ(scratch_.Read("store/small/rootfs/bin/bash"), "shell");
  EXPECT_EQ(scratch_.Stat("store/small/rootfs/bin/bash").st_mode & 07777, 0755U);
  EXPECT_EQ(scratch_.Stat("store").st_mode & 07777, 0700U);
}

TEST_F(ImageStoreTest, NamesTheImagesThatExistWhenOneDoesNot) {
  EXPECT_EQ(store_.Find("x").error().message(), "no image x: none has been built yet");
  ASSERT_TRUE(Build("b"));
  ASSERT_TRUE(Build("a"));
  const auto found = store_.Find("x");
  EXPECT_EQ(found.error().kind(), Kind::kNotFound);
  EXPECT_EQ(found.error().message(), "no image x: there is a, b");
}

TEST_F(ImageStoreTest, ReplacesAnImageByABuildOfTheSameName) {
  ASSERT_TRUE(Build("small"));
  scratch_.Write("tree/bin/bash", "newer shell", 0755);
  ASSERT_TRUE(Build("small"));
  EXPECT_EQ(scratch_.Read("store/small/rootfs/bin/bash"), "newer shell");
  EXPECT_THAT(Files(), ElementsAre(".lock", "small"));
}

TEST_F(ImageStoreTest, KeepsTheOldImageWhenABuildFails) {
  ASSERT_TRUE(Build("small"));
  std::filesystem::remove(scratch_.path("tree/bin/bash"));
  EXPECT_FALSE(Build("small"));
  EXPECT_EQ(scratch_.Read("store/small/rootfs/bin/bash"), "shell");
  EXPECT_THAT(Files(), ElementsAre(".lock", "small"));
}

TEST_F(ImageStoreTest, RemovesWhatAnEndedBuildLeft) {
  scratch_.Write("store/.half.99999999/rootfs/bin/x", "");
  EXPECT_THAT(Names(), IsEmpty());
  EXPECT_FALSE(store_.Find("half"));
  ASSERT_TRUE(Build("small"));
  EXPECT_THAT(Files(), ElementsAre(".lock", "small"));
}

TEST_F(ImageStoreTest, RemovesAnImageWhole) {
  ASSERT_TRUE(Build("small"));
  ASSERT_TRUE(store_.Remove("small"));
  EXPECT_THAT(Files(), ElementsAre(".lock"));
  EXPECT_EQ(store_.Remove("small").error().kind(), Kind::kNotFound);
}

TEST_F(ImageStoreTest, PassesOverADamagedImageAndLetsItBeRemoved) {
  ASSERT_TRUE(Build("good"));
  scratch_.Write("store/bad/image.json", "{\"format\":1}");
  EXPECT_THAT(Names(), ElementsAre("good"));
  EXPECT_THAT(store_.Find("bad").error().message(), HasSubstr("image bad is damaged"));
  EXPECT_TRUE(store_.Remove("bad"));
}

TEST_F(ImageStoreTest, TakesWhatAnotherHasBuiltWhileItWaited) {
  Fd lock = *LockStore(scratch_.path("store"));
  Result<Image> second = Error(Kind::kInternal, "not run");
  std::jthread waiting([&] {
    second = store_.BuildFromTree("small", scratch_.path("tree"), {}, [](const Progress&) {
      ADD_FAILURE() << "it was built a second time";
    });
  });
  Image draft;
  draft.name = "small";
  draft.source = "tree " + scratch_.path("tree");
  // Built whole while the lock is held, as a build does.
  scratch_.Write("first/image.json", WriteManifest(draft));
  // The waiter tries once before it waits; /proc/locks shows when it waits.
  while (!SomebodyWaitsFor(scratch_.Stat("store/.lock").st_ino)) std::this_thread::yield();
  std::filesystem::rename(scratch_.path("first"), scratch_.path("store/small"));
  lock.Close();
  waiting.join();
  ASSERT_TRUE(second) << second.error().message();
  EXPECT_EQ(second->source, draft.source);
}

TEST_F(ImageStoreTest, TakesTheDefaultImageAsItIsWhileItsOriginIsToday) {
  Image image;
  image.source = "host";
  image.origin = HostOrigin();
  image.created = "long ago";
  scratch_.Write("store/default/image.json", WriteManifest(image));
  const auto fresh = store_.FreshDefault(
      [](const Progress&) { ADD_FAILURE() << "it was built though nothing has changed"; });
  ASSERT_TRUE(fresh) << fresh.error().message();
  EXPECT_EQ(fresh->created, "long ago");
}

TEST_F(ImageStoreTest, LeavesADefaultImageOfTheCallersOwnAlone) {
  ASSERT_TRUE(Build("default"));
  const auto fresh = store_.FreshDefault(
      [](const Progress&) { ADD_FAILURE() << "the host's files took its place"; });
  ASSERT_TRUE(fresh) << fresh.error().message();
  EXPECT_EQ(fresh->source, "tree " + scratch_.path("tree"));
}

TEST_F(ImageStoreTest, RefusesADirectoryThatOthersCanWrite) {
  scratch_.MakeDir("shared");
  ASSERT_EQ(::chmod(scratch_.path("shared").c_str(), 0777), 0);
  const auto store = ImageStore::Open(scratch_.path("shared"));
  ASSERT_FALSE(store);
  EXPECT_EQ(store.error().kind(), Kind::kDenied);
}

TEST_F(ImageStoreTest, MakesAStateDirectoryThatNobodyElseCanRead) {
  ASSERT_TRUE(ImageStore::Open(scratch_.path("home/state/images")));
  for (const char* const own : {"home/state", "home/state/images"}) {
    struct stat info {};
    ASSERT_EQ(::stat(scratch_.path(own).c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0700u) << own;
  }
}

TEST_F(ImageStoreTest, RefusesNamesThatLeadElsewhere) {
  for (const char* name : {"", ".", "..", "../x", "a/b", ".hidden", "a b", "\n"}) {
    EXPECT_FALSE(ValidateImageName(name)) << name;
    EXPECT_EQ(Build(name).error().kind(), Kind::kInvalid) << name;
    EXPECT_EQ(store_.Remove(name).error().kind(), Kind::kInvalid) << name;
  }
  EXPECT_TRUE(ValidateImageName("py3.12_ml-1"));
  EXPECT_TRUE(ValidateImageName(std::string(64, 'x')));
  EXPECT_FALSE(ValidateImageName(std::string(65, 'x')));
}

TEST(ValidateModuleName, TakesIdentifiersJoinedByDots) {
  for (const char* name : {"json", "os.path", "_x1.y_2"}) {
    EXPECT_TRUE(ValidateModuleName(name)) << name;
  }
  for (const char* name :
       {"", ".", "a.", ".a", "a..b", "1a", "a.1", "a-b", "a b", "a;b", "a\n", "a;b.c", "\xff"}) {
    EXPECT_FALSE(ValidateModuleName(name)) << name;
  }
}

TEST(Manifest, ComesBackAsItWasWritten) {
  Image image;
  image.source = "venv /a \"b\"";
  image.origin = "0123456789abcdef";
  image.python_paths = {"/x", "/y"};
  image.bytes = 1ULL << 40;
  const auto read = ParseManifest(WriteManifest(image));
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->source, image.source);
  EXPECT_EQ(read->origin, image.origin);
  EXPECT_EQ(read->python_paths, image.python_paths);
  EXPECT_EQ(read->bytes, image.bytes);
}

TEST(Manifest, OfAnOlderImageHasNoOrigin) {
  Image image;
  image.source = "host";
  std::string text = WriteManifest(image);
  const std::string field = "\"origin\":\"\",";
  ASSERT_NE(text.find(field), std::string::npos) << text;
  text.erase(text.find(field), field.size());
  const auto read = ParseManifest(text);
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->source, "host");
  EXPECT_EQ(read->origin, "");
}

TEST(Manifest, NamesTheFieldThatIsMissing) {
  const auto read = ParseManifest("{\"format\":1,\"source\":\"host\",\"python\":3}");
  EXPECT_EQ(read.error().message(), "image.json has no proper \"python\"");
}

}  // namespace
}  // namespace belljar::cell::image
