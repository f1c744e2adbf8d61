// Guests that interfere with snapshots and restores.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <string>

#include "run/snapshot/beneath.h"
#include "run/snapshot/restore.h"
#include "run/snapshot/scan.h"
#include "run/snapshot/scratch.h"

namespace belljar::run::snapshot {
namespace {

class SnapshotHostileTest : public SnapshotStoreTest {
 protected:
  void ExpectRefused(const std::string& message) {
    const auto taken = Take();
    ASSERT_FALSE(taken) << "expected: " << message;
    EXPECT_EQ(taken.error().message(), message);
    EXPECT_TRUE(Segments().empty());
    EXPECT_EQ(store_->blobs(), 0U);
  }
  void ExpectBeyond(const Bounds& bounds, std::string_view what) {
    OpenStore(bounds);
    const auto taken = Take();
    ASSERT_FALSE(taken) << "expected: " << what;
    EXPECT_EQ(taken.error().kind(), Kind::kExhausted);
    EXPECT_NE(taken.error().message().find(what), std::string::npos) << taken.error().message();
    EXPECT_TRUE(Segments().empty());
    EXPECT_EQ(store_->blobs(), 0U);
  }
};

TEST_F(SnapshotHostileTest, APipeIsRefusedByNameBeforeAnythingIsStored) {
  Write("a", "stored first, were it not for z");
  ::mkfifo(path("z\n").c_str(), 0600);
  ExpectRefused("workspace/z\\x0a is a named pipe, which a checkpoint cannot carry");
}

TEST_F(SnapshotHostileTest, ASocketIsRefusedByName) {
  const Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path("s").copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  ExpectRefused("workspace/s is a socket, which a checkpoint cannot carry");
}

TEST_F(SnapshotHostileTest, ATreeBeyondABoundIsRefusedAndLeavesNothing) {
  std::filesystem::create_directories(path("d/e"));
  Write("d/e/f", std::string(10'000, 'f'));
  Write("g", std::string(10'000, 'g'));
  ::setxattr(path("g").c_str(), "user.big", std::string(500, 'v').data(), 500, 0);
  ExpectBeyond({.entries = 3}, "more names");
  ExpectBeyond({.depth = 2}, "directories nested deeper");
  ExpectBeyond({.bytes = 15'000}, "more data");
  ExpectBeyond({.extents = 1}, "more pieces between holes");
  ExpectBeyond({.path_bytes = 8}, "longer names");
  ExpectBeyond({.xattr_bytes = 400}, "attributes");
  ExpectBeyond({.store_bytes = 15'000}, "store is full");
  OpenStore({.entries = 5, .depth = 3, .bytes = 20'000, .extents = 2, .store_bytes = 22'000});
  EXPECT_TRUE(Take());
}

TEST_F(SnapshotHostileTest, AFullDiskLeavesNoHalfSnapshot) {
  Write("small", "small");
  Write("large", std::string(1 << 20, 'L'));
  const sighandler_t old = ::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit tight = before;
  tight.rlim_cur = 600 << 10;  // the write that crosses the limit is truncated, the next one fails
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  const auto taken = Take();
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, old);
  ASSERT_FALSE(taken);
  EXPECT_EQ(taken.error().sys(), EFBIG);
  EXPECT_TRUE(Segments().empty());
  EXPECT_EQ(store_->blobs(), 0U);
  EXPECT_EQ(store_->bytes(), 0U);
  EXPECT_TRUE(Take()) << "and the next one succeeds without a restart";
}

// The guest makes a change between the store's check and its use of a file.
class SnapshotRaceTest : public SnapshotHostileTest {
 protected:
  SnapshotRaceTest() : blobs_(OpenWorkspace(StorePath()), 1 << 20), hold_(blobs_) {
    std::filesystem::create_directory(dir_ + "/outside");
    std::ofstream(dir_ + "/outside/file") << "the host's";
    std::filesystem::create_directory(path("d"));
    Write("d/file", "the guest's");
  }
  std::vector<Entry> Wanted() {
    auto found = ScanToTake(workspace_, {});
    EXPECT_TRUE(found);
    std::vector<Entry> entries;
    Allowance allowance{Bounds{}};
    BlobWriter writer(blobs_, hold_);
    for (Found& each : *found) {
      if (each.entry.type == Type::kFile) {
        auto content = ReadContent(workspace_, each, allowance, memory_, writer);
        EXPECT_TRUE(content);
        each.entry.digest = content->digest;
        each.entry.extents = content->extents;
      }
      entries.push_back(each.entry);
    }
    return entries;
  }
  void SwapForLink(const std::string& name, const std::string& target) {
    std::filesystem::rename(path(name), path("moved"));
    std::filesystem::create_symlink(target, path(name));
  }
  template <class Change>
  Result<> RestoreWhile(const std::vector<Entry>& wanted, Change change) {
    Restorer restorer(workspace_, wanted, blobs_, Owner{::geteuid(), ::getegid()});
    BJ_TRY(restorer.Prepare({}, memory_));
    change();
    return restorer.Apply();
  }

  Blobs blobs_;
  Hold hold_;
};

TEST_F(SnapshotRaceTest, ADirectorySwappedForALinkIsNotFollowed) {
  const auto wanted = Wanted();
  const auto outside = Describe(dir_ + "/outside");
  for (const bool removed : {true, false}) {
    // Either the file has to be created anew, or its content has to be written again.
    if (removed) {
      std::filesystem::remove(path("d/file"));
    } else {
      Write("d/file", "other");
    }
    EXPECT_FALSE(RestoreWhile(wanted, [&] { SwapForLink("d", dir_ + "/outside"); }));
    EXPECT_EQ(Describe(dir_ + "/outside"), outside);
    std::filesystem::remove(path("d"));
    std::filesystem::rename(path("moved"), path("d"));
  }
}

TEST_F(SnapshotRaceTest, AFileSwappedForALinkIsNotWrittenThrough) {
  const auto wanted = Wanted();
  const auto outside = Describe(dir_ + "/outside");
  Write("d/file", "other");
  EXPECT_FALSE(RestoreWhile(wanted, [&] { SwapForLink("d/file", dir_ + "/outside/file"); }));
  EXPECT_EQ(Describe(dir_ + "/outside"), outside);
}

TEST_F(SnapshotRaceTest, AFileThatAppearsInThePlaceOfANewOneEndsTheRestore) {
  const auto wanted = Wanted();
  const auto outside = Describe(dir_ + "/outside");
  std::filesystem::remove(path("d/file"));
  const auto restored = RestoreWhile(
      wanted, [&] { std::filesystem::create_symlink(dir_ + "/outside/file", path("d/file")); });
  ASSERT_FALSE(restored);
  EXPECT_EQ(restored.error().sys(), EEXIST);
  EXPECT_EQ(Describe(dir_ + "/outside"), outside);
}

TEST_F(SnapshotRaceTest, AFileThatChangesAfterItWasFoundIsAnErrorThatNamesIt) {
  const auto found = ScanToTake(workspace_, {});
  ASSERT_TRUE(found);
  Write("d/file", "longer than before");
  Allowance allowance{Bounds{}};
  HashSink sink;
  const auto content = ReadContent(workspace_, found->back(), allowance, memory_, sink);
  ASSERT_FALSE(content);
  EXPECT_EQ(content.error().message(),
            "workspace/d/file changed while it was read; stop what writes to it and try again");
}

TEST_F(SnapshotRaceTest, ANameThatComesAfterTheScanIsNoticed) {
  const auto found = ScanToTake(workspace_, {});
  ASSERT_TRUE(found);
  EXPECT_TRUE(CheckUnmoved(workspace_, *found));
  Write("d/late", "");
  EXPECT_FALSE(CheckUnmoved(workspace_, *found));
}

}  // namespace
}  // namespace belljar::run::snapshot
