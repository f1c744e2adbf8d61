#include "run/snapshot/store.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "run/snapshot/scratch.h"

namespace belljar::run::snapshot {
namespace {

// Runs `work` in that many threads; returns the first error, or "".
template <class Work>
std::string RunSideBySide(int threads, Work work) {
  std::mutex mutex;
  std::string first_error;
  std::vector<std::jthread> running;
  for (int number = 0; number < threads; ++number) {
    running.emplace_back([&, number] {
      const Result<> done = work(number);
      const std::lock_guard lock(mutex);
      if (!done && first_error.empty()) first_error = done.error().message();
    });
  }
  running.clear();
  return first_error;
}

// A workspace with every kind of entry that a snapshot carries.
class SnapshotExactTest : public SnapshotStoreTest {
 protected:
  SnapshotExactTest() {
    std::filesystem::create_directories(path("deep/er/empty"));
    Write("plain", "content");
    Write("deep/er/file", std::string(300'000, 'x'));
    Write("nothing", "");
    Write("closed", "secret");
    ::chmod(path("closed").c_str(), 0400);
    ::chmod(path("deep/er").c_str(), 01775);
    std::filesystem::create_symlink("/etc/passwd", path("outside"));
    std::filesystem::create_symlink("deep", path("inside"));
    std::filesystem::create_hard_link(path("plain"), path("deep/second name"));
    Write(kHostileName, "named");
    ::setxattr(path("plain").c_str(), "user.note", "a\0b", 3, 0);
    ::setxattr(path("deep").c_str(), "user.dir", "d", 1, 0);
    MakeSparse();
    for (const char* name : {"outside", "plain", "deep/er/empty", "deep/er", "deep"}) {
      SetTime(name, 1'000'000'000, 123'456'789);
    }
    SetTime("nothing", -5, 999'999'999);
    SetTime("", 1'500'000'000, 1);
  }

  void MakeSparse() {
    Write("sparse", "");
    ASSERT_EQ(::truncate(path("sparse").c_str(), off_t{1} << 40), 0);
    const auto file = Open(path("sparse"), O_WRONLY);
    ASSERT_TRUE(file);
    ASSERT_EQ(::pwrite(file->get(), "data", 4, 8192), 4);
    ASSERT_EQ(::pwrite(file->get(), "more", 4, off_t{1} << 39), 4);
  }

  // Changes or removes every entry.
  void Wreck() {
    std::filesystem::remove_all(path("deep"));
    std::filesystem::remove(path("outside"));
    std::filesystem::create_directories(path("outside/now/a/tree"));
    Write("plain", "CONTENT");
    Write("deep", "now a file");
    ::chmod(path("closed").c_str(), 04777);
    std::filesystem::resize_file(path("sparse"), 5);
    ::mkfifo(path("pipe").c_str(), 0600);
    std::filesystem::create_hard_link(path("plain"), path("third name"));
    std::filesystem::remove(path("nothing"));
    std::filesystem::create_hard_link(path("plain"), path("nothing"));
    ::setxattr(path("plain").c_str(), "user.other", "x", 1, 0);
    ::chmod(path().c_str(), 0700);
  }

  static constexpr const char* kHostileName = "\xff\xfe\n\x1b[2J ..\\'\"%s";
};

TEST_F(SnapshotExactTest, ATreeThatWasWreckedComesBackBitForBit) {
  const auto before = Describe(path());
  const std::string id = TakeId();
  EXPECT_EQ(Describe(path()), before) << "taking a snapshot leaves no trace";
  Wreck();
  ASSERT_NE(Describe(path()), before);
  const auto restored = Restore(id);
  ASSERT_TRUE(restored) << restored.error().message();
  EXPECT_EQ(Describe(path()), before);
  EXPECT_EQ(TakeId(), id);
}

TEST_F(SnapshotExactTest, AnEmptyWorkspaceBecomesEqual) {
  const auto before = Describe(path());
  const std::string id = TakeId();
  std::filesystem::create_directory(dir_ + "/other");
  const Fd other = OpenWorkspace(dir_ + "/other");
  Memory memory;
  const auto restored = store_->Restore(id, other, memory, Owner{::geteuid(), ::getegid()});
  ASSERT_TRUE(restored) << restored.error().message();
  EXPECT_EQ(Describe(dir_ + "/other"), before);
}

TEST_F(SnapshotExactTest, ATreeOutlivesItsStoreByExport) {
  const auto before = Describe(path());
  const std::string id = TakeId();
  const std::string place = dir_ + "/export";
  std::filesystem::create_directory(place);
  const Fd dir = *Open(place, O_RDONLY | O_DIRECTORY);
  ASSERT_TRUE(store_->Export(id, dir));
  store_.reset();
  OpenStore({});
  std::filesystem::remove_all(path());
  std::filesystem::create_directory(path());
  workspace_ = OpenWorkspace(path());
  memory_ = Memory();
  const auto imported = store_->Import(dir);
  ASSERT_TRUE(imported) << imported.error().message();
  EXPECT_EQ(*imported, id);
  ASSERT_TRUE(Restore(id));
  EXPECT_EQ(Describe(path()), before);
}

TEST_F(SnapshotStoreTest, AnExportThatWasChangedIsRefused) {
  Write("mine", "mine");
  const std::string id = TakeId();
  const std::string place = dir_ + "/export";
  std::filesystem::create_directory(place);
  const Fd dir = *Open(place, O_RDONLY | O_DIRECTORY);
  ASSERT_TRUE(store_->Export(id, dir));
  for (const auto& file : std::filesystem::directory_iterator(place)) {
    if (file.path().filename() == "manifest") continue;
    std::ofstream(file.path(), std::ios::trunc) << "else";
  }
  const auto imported = store_->Import(dir);
  ASSERT_FALSE(imported);
  EXPECT_THAT(imported.error().message(), testing::HasSubstr("changed"));
}

TEST_F(SnapshotExactTest, FilesThatAreStillThereKeepTheirInodes) {
  const auto open = Open(path("plain"), O_RDONLY);
  ASSERT_TRUE(open);
  const std::string id = TakeId();
  Write("plain", "something longer than before");
  ASSERT_TRUE(Restore(id));
  char seen[64];
  EXPECT_EQ(::pread(open->get(), seen, sizeof(seen), 0), 7) << "an open file is still the file";
  EXPECT_EQ(std::string(seen, 7), "content");
}

TEST_F(SnapshotExactTest, ARestoredTreeIsOwnedByItsOwner) {
  const std::string id = TakeId();
  Wreck();
  const auto restored = store_->Restore(id, workspace_, memory_, Owner{54321, 54322});
  if (::geteuid() != 0) {
    EXPECT_FALSE(restored) << "an ordinary user cannot give files away";
    EXPECT_TRUE(restored.error().message().starts_with("workspace only partly restored: chown"));
    return;
  }
  ASSERT_TRUE(restored) << restored.error().message();
  for (const std::string& line : Describe(path())) {
    EXPECT_NE(line.find(" owner 54321:54322 "), std::string::npos) << line;
  }
}

TEST_F(SnapshotExactTest, SetuidBitsAreNotCarried) {
  ::chmod(path("plain").c_str(), 06755);
  const std::string id = TakeId();
  std::filesystem::remove(path("plain"));
  ASSERT_TRUE(Restore(id));
  struct stat about {};
  ASSERT_EQ(::stat(path("plain").c_str(), &about), 0);
  EXPECT_EQ(about.st_mode & 07777, 0755U);
}

TEST_F(SnapshotExactTest, WhatNobodyCanReachCanStillBeRemoved) {
  const std::string id = TakeId();
  const auto before = Describe(path());
  std::string deep = path("new");
  std::filesystem::create_directory(deep);
  Fd at = OpenWorkspace(deep);
  for (int i = 0; i < 1500; ++i) {  // far beyond PATH_MAX
    ASSERT_EQ(::mkdirat(at.get(), "down_here", 0700), 0);
    auto next = OpenBeneath(at, "down_here", O_PATH | O_DIRECTORY);
    ASSERT_TRUE(next);
    if (i % 100 == 0) {
      ASSERT_EQ(::mkfifoat(next->get(), "pipe", 0600), 0);
    }
    at = *std::move(next);
  }
  ::chmod(path("new/down_here/down_here").c_str(), 0);
  ::chmod(path("new").c_str(), 0);
  ::chmod(path("deep/er").c_str(), 0);
  const auto restored = Restore(id);
  ASSERT_TRUE(restored) << restored.error().message();
  EXPECT_EQ(Describe(path()), before);
}

TEST_F(SnapshotStoreTest, EqualContentIsKeptOnceAndGoesWithItsLastHolder) {
  Write("a", "shared");
  Write("b", "shared");
  const std::string first = TakeId();
  EXPECT_EQ(store_->blobs(), 2U) << "a content and a manifest";
  Write("c", "only in the second");
  const std::string second = TakeId();
  EXPECT_EQ(store_->blobs(), 4U);
  EXPECT_EQ(Segments().size(), 2U);
  ASSERT_TRUE(store_->Drop(second));
  EXPECT_EQ(store_->blobs(), 2U);
  EXPECT_EQ(Segments().size(), 1U);
  ASSERT_TRUE(store_->Drop(first));
  EXPECT_TRUE(Segments().empty());
  EXPECT_EQ(store_->blobs(), 0U);
  EXPECT_EQ(store_->bytes(), 0U);
  EXPECT_EQ(store_->Drop(first).error().kind(), Kind::kNotFound);
}

TEST_F(SnapshotStoreTest, ATreeTakenTwiceIsKeptUntilBothAreDropped) {
  Write("a", "same");
  const std::string id = TakeId();
  EXPECT_EQ(TakeId(), id);
  ASSERT_TRUE(store_->Drop(id));
  EXPECT_TRUE(Restore(id));
  ASSERT_TRUE(store_->Drop(id));
  EXPECT_EQ(Restore(id).error().message(), "workspace untouched: there is no snapshot " + id);
}

TEST_F(SnapshotStoreTest, AStartRemovesWhatTheLastDaemonLeft) {
  Write("a", "left behind");
  const std::string id = TakeId();
  OpenStore({});
  EXPECT_TRUE(Segments().empty());
  EXPECT_EQ(store_->blobs(), 0U);
  EXPECT_EQ(Restore(id).error().kind(), Kind::kNotFound);
  EXPECT_EQ(TakeId(), id) << "what the memory knows is read again when its blob is gone";
  EXPECT_EQ(store_->blobs(), 2U);
}

TEST_F(SnapshotStoreTest, ADamagedBlobIsNoticedBeforeTheWorkspaceIsTouched) {
  Write("a", "good bytes");
  const std::string id = TakeId();
  Write("a", "changed by the guest");
  Write("new", "new");
  const auto before = Describe(path());
  Damage("good bytes", "evil bytes");
  const auto restored = Restore(id);
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().message(), "workspace untouched: blob " +
                                            Hex(Sha256::Of("good bytes")) +
                                            " of the checkpoint store is damaged");
  EXPECT_EQ(Describe(path()), before);
}

TEST_F(SnapshotStoreTest, ADamagedManifestIsNotUsed) {
  Write("a", "a");
  const std::string id = TakeId();
  Damage("belljar snapshot 1", "belljar snapshot 2");
  EXPECT_EQ(Restore(id).error().message(),
            "workspace untouched: manifest " + id + " of the checkpoint store is damaged");
}

TEST_F(SnapshotStoreTest, WorkspacesAreTakenAndDroppedSideBySide) {
  const std::string first_error = RunSideBySide(4, [this](int number) -> Result<> {
    const std::string root = dir_ + "/work" + std::to_string(number);
    std::filesystem::create_directory(root);
    const Fd workspace = OpenWorkspace(root);
    Memory memory;
    for (int i = 0; i < 50; ++i) {
      // All threads take and drop snapshots with the same blobs.
      std::ofstream(root + "/shared") << "shared " << i % 3;
      const Snapshot taken = BJ_TRY(store_->Take(workspace, memory));
      std::filesystem::remove(root + "/shared");
      BJ_TRY(store_->Restore(taken.id, workspace, memory, Owner{::geteuid(), ::getegid()}));
      BJ_TRY(store_->Drop(taken.id));
    }
    return {};
  });
  EXPECT_EQ(first_error, "");
  EXPECT_TRUE(Segments().empty());
  EXPECT_EQ(store_->blobs(), 0U);
}

}  // namespace
}  // namespace belljar::run::snapshot
