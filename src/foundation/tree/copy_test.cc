#include "foundation/tree/copy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

#include "foundation/tree/scratch.h"

namespace belljar::tree {
namespace {

using ::testing::HasSubstr;

const Rules kAll{.holder = "a test",
                 .kinds = kFile | kDirectory | kLink,
                 .hard_links = Take::kYes,
                 .set_ids = Take::kYes};

struct Copied {
  std::map<std::string, Node> nodes;
  std::string error;
};
Copied CopyAll(const Scratch& scratch, CopyStyle style = {.rules = kAll}, Listener listener = {}) {
  const Fd to = scratch.MakeDir("copy");
  Copied done;
  Budget budget(Bounds{});
  listener.on_node = [&](const std::string& path, Node node) -> Result<> {
    done.nodes.emplace(path, std::move(node));
    return {};
  };
  const auto copied = CopyTree(scratch.root(), to, style, budget, listener);
  if (!copied) done.error = copied.error().message();
  return done;
}

TEST(CopyTree, IsAnEqualTreeWithInodesOfItsOwn) {
  const Scratch scratch;
  scratch.Write("d/e/f", std::string(600'000, 'x'));
  fs::create_directory(scratch / "empty");
  fs::create_symlink("d/e", scratch / "link");
  fs::create_hard_link(scratch / "d/e/f", scratch / "second");
  const Copied done = CopyAll(scratch);
  ASSERT_EQ(done.error, "");
  EXPECT_EQ(done.nodes.size(), 6U);
  EXPECT_EQ(TextOf(scratch.beside("copy/d/e/f")), TextOf(scratch / "d/e/f"));
  EXPECT_EQ(done.nodes.at("d/e/f").content.bytes, 600'000U);
  EXPECT_EQ(done.nodes.at("d/e/f").content.digest, Sha256::Of(std::string(600'000, 'x')));
  EXPECT_EQ(done.nodes.at("link").target, "d/e");
  EXPECT_EQ(fs::read_symlink(scratch.beside("copy/link")), "d/e");
  EXPECT_TRUE(fs::is_directory(scratch.beside("copy/empty")));
  EXPECT_EQ(fs::hard_link_count(scratch.beside("copy/second")), 1U);
}

TEST(CopyTree, KeepsTimesAndModesOrMakesThem) {
  const auto then = fs::file_time_type::clock::now() - std::chrono::hours(1000);
  for (const bool kept : {true, false}) {
    const Scratch scratch;
    scratch.Write("d/f");
    ASSERT_EQ(::chmod((scratch / "d/f").c_str(), 0640), 0);
    ASSERT_EQ(::chmod((scratch / "d").c_str(), 0550), 0);
    for (const char* const name : {"d/f", "d"}) fs::last_write_time(scratch / name, then);
    CopyStyle style{.rules = kAll};
    if (!kept)
      style = {.rules = kAll, .file_mode = 0444, .directory_mode = 0555, .times = Take::kNo};
    ASSERT_EQ(CopyAll(scratch, style).error, "");
    for (const char* const name : {"d/f", "d"}) {
      const fs::path copy = scratch.beside("copy") / name;
      EXPECT_EQ(fs::last_write_time(copy) == fs::last_write_time(scratch / name), kept) << name;
    }
    const auto mode_of = [&](const char* name) {
      return static_cast<unsigned>(fs::status(scratch.beside("copy") / name).permissions());
    };
    EXPECT_EQ(mode_of("d/f"), kept ? 0640U : 0444U);
    EXPECT_EQ(mode_of("d"), kept ? 0550U : 0555U);
  }
}

TEST(CopyTree, MakesNoLinkThatIsRefused) {
  const Scratch scratch;
  fs::create_symlink("/etc/passwd", scratch / "link");
  const Copied done =
      CopyAll(scratch, {.rules = kAll},
              {.check_link = [](const std::string& path, const std::string& target) -> Result<> {
                return Error(Kind::kInvalid, path + " leads to " + target);
              }});
  EXPECT_EQ(done.error, "link leads to /etc/passwd");
  EXPECT_TRUE(fs::is_empty(scratch.beside("copy")));
}

TEST(CopyTree, DoesNotWriteIntoWhatIsThere) {
  const Scratch scratch;
  scratch.Write("f", "new");
  fs::create_directory(scratch.beside("copy"));
  fs::create_symlink(scratch.outside() / "file", scratch.beside("copy/f"));
  EXPECT_NE(CopyAll(scratch).error, "");
  EXPECT_EQ(TextOf(scratch.outside() / "file"), kSecret);
}

// Makes `change` while the file is being read, after its first piece.
std::string CopyWhile(const std::function<void(const fs::path&)>& change, Cloning cloning) {
  const Scratch scratch;
  scratch.Write("f", std::string(1 << 20, 'x'));
  bool changed = false;
  const Copied done = CopyAll(scratch, {.rules = kAll, .cloning = cloning},
                              {.on_bytes = [&](std::uint64_t) -> Result<> {
                                if (!changed) change(scratch / "f");
                                changed = true;
                                return {};
                              }});
  return done.error;
}

TEST(CopyTree, AFileThatChangesWhileItIsReadIsAnErrorThatNamesIt) {
  const std::string expected =
      "\"f\" changed while it was read; stop what writes to it and try again";
  for (const Cloning cloning : {Cloning::kNever, Cloning::kTried}) {
    EXPECT_EQ(CopyWhile([](const fs::path& path) { fs::resize_file(path, 10); }, cloning),
              expected);
    EXPECT_EQ(CopyWhile([](const fs::path& path) { fs::resize_file(path, 5 << 20); }, cloning),
              expected);
    const auto overwrite = [](const fs::path& path) {
      std::fstream(path, std::ios::in | std::ios::out) << "other";
      fs::last_write_time(path, fs::file_time_type::clock::now() + std::chrono::hours(1));
    };
    EXPECT_EQ(CopyWhile(overwrite, cloning), expected);
  }
}

// The kernel reports size 0 for such a file.
TEST(CopyFile, RefusesAFileThatHasMoreThanItSays) {
  const Fd made_up = *Open("/proc/self/status", O_RDONLY);
  const auto read = CopyFile(made_up, nullptr, "status");
  ASSERT_FALSE(read);
  EXPECT_THAT(read.error().message(), HasSubstr("changed while it was read"));
}

TEST(OpenFile, TakesOnlyRegularFilesAndWaitsForNone) {
  const Scratch scratch;
  scratch.Write("plain");
  scratch.Write("d/file");
  ASSERT_EQ(::mkfifo((scratch / "fifo").c_str(), 0600), 0);
  fs::create_symlink("plain", scratch / "link");
  fs::create_symlink("d", scratch / "dlink");
  EXPECT_TRUE(OpenFile(scratch.root(), "plain"));
  for (const char* const name : {"d", "fifo", "link", "dlink/file", "missing"}) {
    EXPECT_FALSE(OpenFile(scratch.root(), name)) << name;
  }
  fs::create_hard_link(scratch / "plain", scratch / "second");
  EXPECT_TRUE(OpenFile(scratch.root(), "plain"));
  EXPECT_FALSE(OpenFile(scratch.root(), "plain", Take::kNo));
}

TEST(CloneOrCopy, KeepsHolesAndContent) {
  const Scratch scratch;
  constexpr off_t kPlace = off_t{64} << 20;
  scratch.Write("from", "begin");
  const Fd from = *Open((scratch / "from").native(), O_RDWR);
  ASSERT_EQ(::pwrite(from.get(), "middle", 6, kPlace), 6);
  ASSERT_EQ(::ftruncate(from.get(), 2 * kPlace), 0);
  const Fd to = *Open((scratch / "to").native(), O_RDWR | O_CREAT | O_EXCL, 0600);
  ASSERT_TRUE(CloneOrCopy(from, to, "from"));
  struct stat source {};
  struct stat copy {};
  ASSERT_EQ(::fstat(from.get(), &source), 0);
  ASSERT_EQ(::fstat(to.get(), &copy), 0);
  EXPECT_EQ(copy.st_size, source.st_size);
  EXPECT_LE(copy.st_blocks, source.st_blocks + 64);
  EXPECT_EQ(CopyFile(to, nullptr, "to")->digest, CopyFile(from, nullptr, "from")->digest);
}

TEST(NextData, FindsEachPieceOnce) {
  const Scratch scratch;
  scratch.Write("f", "begin");
  const Fd file = *Open((scratch / "f").native(), O_RDWR);
  ASSERT_EQ(::ftruncate(file.get(), 1 << 20), 0);
  const auto first = NextData(file, 0, "f");
  ASSERT_TRUE(first && *first);
  EXPECT_EQ((*first)->offset, 0U);
  const auto end = NextData(file, 1 << 20, "f");
  ASSERT_TRUE(end);
  EXPECT_FALSE(*end);
}

}  // namespace
}  // namespace belljar::tree
