#include "foundation/tree/tar.h"

#include <archive.h>
#include <archive_entry.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>

#include "foundation/base/sys.h"
#include "foundation/tree/remove.h"
#include "foundation/tree/replace.h"

namespace belljar::tree {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

struct Item {
  std::string path;
  mode_t type = AE_IFREG;
  std::string content{};
  std::string link{};      // target of a symbolic link
  std::string hardlink{};  // target of a hard link
};

// Makes an archive without any checks, as a hostile caller would.
Fd MakeTar(const std::vector<Item>& items) {
  Fd file(::open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  ::archive* const writer = ::archive_write_new();
  ::archive_write_set_format_pax_restricted(writer);
  ::archive_write_open_fd(writer, file.get());
  for (const Item& item : items) {
    ::archive_entry* const entry = ::archive_entry_new();
    ::archive_entry_set_pathname(entry, item.path.c_str());
    ::archive_entry_set_filetype(entry, item.type);
    ::archive_entry_set_perm(entry, 0755);
    if (!item.link.empty()) ::archive_entry_set_symlink(entry, item.link.c_str());
    if (!item.hardlink.empty()) ::archive_entry_set_hardlink(entry, item.hardlink.c_str());
    ::archive_entry_set_size(entry, static_cast<la_int64_t>(item.content.size()));
    ::archive_write_header(writer, entry);
    ::archive_write_data(writer, item.content.data(), item.content.size());
    ::archive_entry_free(entry);
  }
  ::archive_write_free(writer);
  return file;
}

class Tar : public ::testing::Test {
 protected:
  Tar() {
    std::string pattern = (fs::temp_directory_path() / "belljar-tar-XXXXXX").string();
    root_ = ::mkdtemp(pattern.data());
    fs::create_directory(root_ / "workspace");
    workspace_ = *Open(root_ / "workspace", O_RDONLY | O_DIRECTORY);
  }
  ~Tar() override { fs::remove_all(root_); }

  Result<Unpacked> Unpack(const std::vector<Item>& items, const Bounds& bounds = {}) {
    const Fd tar = MakeTar(items);
    return UnpackTar(tar, workspace_, ::geteuid(), bounds);
  }
  std::string Content(const std::string& path) {
    return *ReadFile(root_ / "workspace" / path, 1 << 20);
  }
  bool WorkspaceIsEmpty() { return fs::is_empty(root_ / "workspace"); }

  fs::path root_;
  Fd workspace_;
};

TEST_F(Tar, PutsFilesAndDirectoriesInPlace) {
  const auto done = Unpack(
      {{"./", AE_IFDIR}, {"./a/b.txt", AE_IFREG, "hello"}, {"c/", AE_IFDIR}, {"d", AE_IFREG}});
  ASSERT_TRUE(done) << done.error().message();
  EXPECT_EQ(done->files, 2U);
  EXPECT_EQ(Content("a/b.txt"), "hello");
  EXPECT_TRUE(fs::is_directory(root_ / "workspace/c"));
}

struct Trick {
  const char* name;
  std::vector<Item> items;
  const char* says;
};

class RefusedTar : public Tar, public ::testing::WithParamInterface<Trick> {};

TEST_P(RefusedTar, IsRefusedWholeAndSaysWhy) {
  std::ofstream(root_ / "outside") << "untouched";
  const auto done = Unpack(GetParam().items);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind(), Kind::kInvalid);
  EXPECT_THAT(done.error().message(), HasSubstr(GetParam().says));
  EXPECT_TRUE(WorkspaceIsEmpty());
  EXPECT_EQ(*ReadFile(root_ / "outside", 100), "untouched");
}

INSTANTIATE_TEST_SUITE_P(
    Tricks, RefusedTar,
    ::testing::Values(
        Trick{"Above", {{"ok"}, {"../outside", AE_IFREG, "x"}}, ".."},
        Trick{"AboveInside", {{"ok"}, {"a/../../outside", AE_IFREG, "x"}}, ".."},
        Trick{"Absolute", {{"ok"}, {"/tmp/outside", AE_IFREG, "x"}}, "relative"},
        Trick{"SymbolicLink", {{"ok"}, {"l", AE_IFLNK, "", "/etc/passwd"}}, "is a link"},
        Trick{
            "LinkThenFile", {{"l", AE_IFLNK, "", ".."}, {"l/outside", AE_IFREG, "x"}}, "is a link"},
        Trick{"HardLink", {{"ok"}, {"h", AE_IFREG, "", "", "/etc/passwd"}}, "is a link"},
        Trick{"Device", {{"ok"}, {"d", AE_IFCHR}}, "not a file"},
        Trick{"Fifo", {{"ok"}, {"p", AE_IFIFO}}, "not a file"},
        Trick{"Twice", {{"a", AE_IFREG, "1"}, {"./a", AE_IFREG, "2"}}, "twice"},
        Trick{"FileAndDirectory", {{"a", AE_IFREG, "1"}, {"a/b", AE_IFREG, "2"}}, "at once"},
        Trick{"DirectoryAbove", {{"ok"}, {"../", AE_IFDIR}}, ".."},
        Trick{"AboveAtTheEnd", {{"ok"}, {"a/..", AE_IFDIR}}, ".."},
        Trick{"EmptyPart", {{"ok"}, {"a//b", AE_IFREG, "x"}}, "empty part"},
        Trick{"HardLinkInside", {{"a"}, {"h", AE_IFREG, "", "", "a"}}, "is a link"},
        Trick{"Deep",
              {{"ok"}, {"a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a/a"}},
              "33 levels deep"},
        Trick{"Reversed", {{"ok"}, {"txt.\u202Eexe"}}, "bidirectional"},
        Trick{"NotUtf8", {{"ok"}, {"a\xff"}}, "not UTF-8"},
        Trick{"ControlCharacter", {{"ok"}, {"a\nb", AE_IFREG, "x"}}, "archive"}),
    [](const auto& trick) { return std::string(trick.param.name); });

TEST_F(Tar, BoundsEntriesAndBytes) {
  EXPECT_EQ(Unpack({{"a"}, {"b"}, {"c"}}, {2, 100}).error().kind(), Kind::kExhausted);
  EXPECT_EQ(Unpack({{"a", AE_IFREG, std::string(101, 'x')}}, {2, 100}).error().kind(),
            Kind::kExhausted);
  EXPECT_TRUE(WorkspaceIsEmpty());
}

TEST_F(Tar, RefusesWhatIsNoArchive) {
  const Fd file(::open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  ASSERT_TRUE(WriteAll(file, std::string(2000, 'x'), "file"));
  EXPECT_EQ(UnpackTar(file, workspace_, ::geteuid(), {}).error().kind(), Kind::kInvalid);
}

TEST_F(Tar, RefusesAnArchiveThatIsCutShort) {
  const Fd tar = MakeTar({{"a", AE_IFREG, "one"}, {"b", AE_IFREG, std::string(100'000, 'x')}});
  ASSERT_EQ(::ftruncate(tar.get(), 50'000), 0);
  EXPECT_EQ(UnpackTar(tar, workspace_, ::geteuid(), {}).error().kind(), Kind::kInvalid);
  EXPECT_TRUE(WorkspaceIsEmpty());
}

// A compressed archive could inflate without end.
TEST_F(Tar, RefusesACompressedArchive) {
  const Fd file(::open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  const unsigned char gzip[] = {0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0};
  ASSERT_TRUE(WriteAll(file, {reinterpret_cast<const char*>(gzip), sizeof(gzip)}, "file"));
  EXPECT_EQ(UnpackTar(file, workspace_, ::geteuid(), {}).error().kind(), Kind::kInvalid);
}

// The program keeps running while its workspace is packed.
TEST_F(Tar, AFileThatShrinksOrGrowsMeanwhileLeavesTheArchiveSound) {
  for (const std::uintmax_t size : {10U, 5'000'000U}) {
    std::ofstream(root_ / "workspace/a") << std::string(1'000'000, 'x');
    std::ofstream(root_ / "workspace/b") << "after";
    const Fd tar(::open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
    const auto packed = PackTar(workspace_, {}, [&](std::string_view bytes) {
      fs::resize_file(root_ / "workspace/a", size);
      return WriteAll(tar, bytes, "tar");
    });
    ASSERT_TRUE(packed) << packed.error().message();
    const std::string name = "other" + std::to_string(size);
    fs::create_directory(root_ / name);
    const Fd other = *Open(root_ / name, O_RDONLY | O_DIRECTORY);
    const auto unpacked = UnpackTar(tar, other, ::geteuid(), {});
    ASSERT_TRUE(unpacked) << unpacked.error().message();
    EXPECT_EQ(fs::file_size(root_ / name / "a"), 1'000'000U);
    EXPECT_EQ(*ReadFile(root_ / name / "b", 100), "after");
  }
}

TEST_F(Tar, WritesThroughNoLinkThatTheProgramHasPlanted) {
  std::ofstream(root_ / "outside") << "untouched";
  fs::create_symlink("../outside", root_ / "workspace/a");
  fs::create_symlink("..", root_ / "workspace/d");
  ASSERT_TRUE(Unpack({{"a", AE_IFREG, "new"}}));
  EXPECT_EQ(Content("a"), "new");
  EXPECT_FALSE(Unpack({{"d/outside", AE_IFREG, "new"}}));
  EXPECT_EQ(*ReadFile(root_ / "outside", 100), "untouched");
}

TEST_F(Tar, GoesOutAndComesBackTheSame) {
  ASSERT_TRUE(Unpack({{"a/b", AE_IFREG, "one"}, {"c", AE_IFREG, std::string(200'000, 'y')}}));
  fs::create_symlink("/etc/passwd", root_ / "workspace/link");
  ::mkfifo((root_ / "workspace/fifo").c_str(), 0600);
  const Fd tar(::open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  const auto packed =
      PackTar(workspace_, {}, [&](std::string_view bytes) { return WriteAll(tar, bytes, "tar"); });
  ASSERT_TRUE(packed) << packed.error().message();
  EXPECT_EQ(packed->files, 2U);
  EXPECT_EQ(packed->left_out, 2U);
  fs::create_directory(root_ / "other");
  const Fd other = *Open(root_ / "other", O_RDONLY | O_DIRECTORY);
  ASSERT_TRUE(UnpackTar(tar, other, ::geteuid(), {}));
  EXPECT_EQ(*ReadFile(root_ / "other/a/b", 100), "one");
  EXPECT_EQ(ReadFile(root_ / "other/c", 1 << 20)->size(), 200'000U);
}

// Independent of the locale: this process runs in "C", as a daemon does.
TEST_F(Tar, CarriesNamesInAnyScript) {
  const std::string name = "d\u00e9j\u00e0/\u65e5\u672c\U0001f600.txt";
  fs::create_directory(root_ / "workspace" / "d\u00e9j\u00e0");
  std::ofstream(root_ / "workspace" / name) << "here";
  const Fd tar(::open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600));
  const auto packed =
      PackTar(workspace_, {}, [&](std::string_view bytes) { return WriteAll(tar, bytes, "tar"); });
  ASSERT_TRUE(packed) << packed.error().message();
  EXPECT_EQ(packed->files, 1U);
  fs::create_directory(root_ / "other");
  const Fd other = *Open(root_ / "other", O_RDONLY | O_DIRECTORY);
  const auto unpacked = UnpackTar(tar, other, ::geteuid(), {});
  ASSERT_TRUE(unpacked) << unpacked.error().message();
  EXPECT_EQ(*ReadFile(root_ / "other" / name, 100), "here");
}

// Each case once left half an archive behind, or a truncated file in place of another.
TEST_F(Tar, RefusedByWhatIsThereLeavesEverythingAsItWas) {
  ASSERT_TRUE(Unpack({{"old", AE_IFREG, "old"}, {"dir/f", AE_IFREG, "f"}}));
  EXPECT_EQ(Unpack({{"old", AE_IFREG, "new"}, {"dir", AE_IFREG, "x"}}).error().kind(),
            Kind::kInvalid);
  EXPECT_FALSE(
      Unpack({{"old", AE_IFREG, "new"}, {"old2", AE_IFREG, ""}, {"dir/f/g", AE_IFREG, ""}}));
  EXPECT_FALSE(Unpack({{"new", AE_IFREG, "new"}, {"old", AE_IFDIR, ""}}));
  EXPECT_EQ(Content("old"), "old");
  std::set<std::string> names;
  for (const auto& entry : fs::directory_iterator(root_ / "workspace")) {
    names.insert(entry.path().filename());
  }
  EXPECT_EQ(names, (std::set<std::string>{"dir", "old"}));
}

TEST_F(Tar, AFileIsReplacedWholeOrNotAtAll) {
  ASSERT_TRUE(WriteFileBeneath(workspace_, {"a", ::geteuid(), 0644}, "first"));
  rlimit most{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &most), 0);
  const rlimit few{4, most.rlim_max};
  const auto ignored = std::signal(SIGXFSZ, SIG_IGN);
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &few), 0);
  const auto written = WriteFileBeneath(workspace_, {"a", ::geteuid(), 0644}, "too much");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &most), 0);
  std::signal(SIGXFSZ, ignored);
  EXPECT_FALSE(written);
  EXPECT_EQ(Content("a"), "first");
  EXPECT_EQ(std::distance(fs::directory_iterator(root_ / "workspace"), {}), 1);
}

TEST_F(Tar, IsMeasuredAsItWouldBePacked) {
  ASSERT_TRUE(Unpack({{"a", AE_IFREG, "xx"}, {"d/b", AE_IFREG, "yy"}}));
  EXPECT_FALSE(MeasureTar(workspace_, {3, 4})->cut);
  EXPECT_TRUE(MeasureTar(workspace_, {2, 4})->cut);
  EXPECT_TRUE(MeasureTar(workspace_, {3, 3})->cut);
}

TEST_F(Tar, SaysWhenNotEverythingFitted) {
  ASSERT_TRUE(
      Unpack({{"a", AE_IFREG, std::string(80, 'x')}, {"b", AE_IFREG, std::string(80, 'x')}}));
  const auto packed = PackTar(workspace_, {10, 100}, [](std::string_view) { return Result<>(); });
  ASSERT_TRUE(packed);
  EXPECT_TRUE(packed->cut);
  EXPECT_EQ(packed->files, 1U);
}

TEST_F(Tar, StopsWithTheErrorOfTheSink) {
  ASSERT_TRUE(Unpack({{"a", AE_IFREG, std::string(80, 'x')}}));
  const auto packed = PackTar(workspace_, {}, [](std::string_view) -> Result<> {
    return Error(Kind::kUnavailable, "the caller has gone");
  });
  ASSERT_FALSE(packed);
  EXPECT_EQ(packed.error().message(), "the caller has gone");
}

TEST_F(Tar, RemovesTreesButNotWhatLinksPointAt) {
  std::ofstream(root_ / "outside") << "untouched";
  ASSERT_TRUE(Unpack({{"a/b/c", AE_IFREG, "x"}}));
  fs::create_symlink("../../outside", root_ / "workspace/a/l");
  ASSERT_TRUE(RemoveBeneath(workspace_, "a"));
  EXPECT_TRUE(WorkspaceIsEmpty());
  EXPECT_EQ(*ReadFile(root_ / "outside", 100), "untouched");
  EXPECT_EQ(RemoveBeneath(workspace_, "a").error().kind(), Kind::kNotFound);
  EXPECT_FALSE(RemoveBeneath(workspace_, ".."));
}

}  // namespace
}  // namespace belljar::tree
