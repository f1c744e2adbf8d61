#include "cell/image/copy.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <vector>

#include "cell/image/scratch.h"
#include "foundation/base/fd.h"

namespace belljar::cell::image {
namespace {

using testing::HasSubstr;

class CopyPlanTest : public testing::Test {
 protected:
  CopyPlanTest() {
    from_ = scratch_.MakeDir("from");
    to_ = scratch_.MakeDir("to");
  }

  // Copies all of from/ to to/.
  Result<Copied> CopyAll() {
    FilePlan plan;
    BJ_TRY(plan.AddTree(Root(from_), "/", "/", {}));
    return CopyPlan(plan, to_, nullptr);
  }
  mode_t Mode(const std::string& relative) const { return scratch_.Stat(relative).st_mode & 07777; }

  Scratch scratch_;
  std::string from_;
  std::string to_;
};

TEST_F(CopyPlanTest, GivesEveryFileAnInodeOfItsOwn) {
  scratch_.Write("from/a", "text");
  ASSERT_EQ(::link(scratch_.path("from/a").c_str(), scratch_.path("from/b").c_str()), 0);
  const auto copied = CopyAll();
  ASSERT_TRUE(copied) << copied.error().message();
  EXPECT_EQ(copied->files, 2U);
  EXPECT_EQ(copied->bytes, 8U);
  EXPECT_EQ(scratch_.Read("to/a"), "text");
  EXPECT_EQ(scratch_.Stat("to/a").st_nlink, 1U);
  EXPECT_NE(scratch_.Stat("to/a").st_ino, scratch_.Stat("from/a").st_ino);
  EXPECT_NE(scratch_.Stat("to/a").st_ino, scratch_.Stat("to/b").st_ino);
  EXPECT_TRUE(CheckImage(to_, copied->sources));
}

TEST_F(CopyPlanTest, CopiesFilesLargerThanItsBuffer) {
  std::string text(300001, 'x');
  text[70000] = 'y';
  scratch_.Write("from/large", text);
  ASSERT_TRUE(CopyAll());
  EXPECT_EQ(scratch_.Read("to/large"), text);
}

// A copy that fills the holes of this file takes a minute and its full size on disk.
TEST_F(CopyPlanTest, KeepsHoles) {
  constexpr off_t kSize = off_t{3} << 30;
  constexpr off_t kPlace = off_t{2} << 30;
  scratch_.Write("from/sparse", "begin");
  const Fd file(::open(scratch_.path("from/sparse").c_str(), O_WRONLY | O_CLOEXEC));
  ASSERT_EQ(::pwrite(file.get(), "middle", 6, kPlace), 6);
  ASSERT_EQ(::ftruncate(file.get(), kSize), 0);
  constexpr blkcnt_t kFewBlocks = 2048;
  if (scratch_.Stat("from/sparse").st_blocks > kFewBlocks) GTEST_SKIP() << "sparse files";
  scratch_.Write("from/hole", "");
  ASSERT_EQ(::truncate(scratch_.path("from/hole").c_str(), 1 << 20), 0);
  ASSERT_TRUE(CopyAll());
  EXPECT_EQ(scratch_.Stat("to/hole").st_size, 1 << 20);
  EXPECT_EQ(scratch_.Stat("to/sparse").st_size, kSize);
  EXPECT_LE(scratch_.Stat("to/sparse").st_blocks, kFewBlocks);
  const Fd copy(::open(scratch_.path("to/sparse").c_str(), O_RDONLY | O_CLOEXEC));
  std::string read(8, 'x');
  ASSERT_EQ(::pread(copy.get(), read.data(), 8, 0), 8);
  EXPECT_EQ(read, std::string("begin\0\0\0", 8));
  ASSERT_EQ(::pread(copy.get(), read.data(), 8, kPlace - 1), 8);
  EXPECT_EQ(read, std::string("\0middle\0", 8));
}

TEST_F(CopyPlanTest, MakesModesInsteadOfCopyingThem) {
  scratch_.Write("from/sudo", "", 06711);
  scratch_.Write("from/secret", "", 0400);
  scratch_.Write("from/shared/file", "", 0666);
  ASSERT_EQ(::chmod(scratch_.path("from/shared").c_str(), 07777), 0);
  const mode_t old = ::umask(0077);
  const auto copied = CopyAll();
  ::umask(old);
  ASSERT_TRUE(copied) << copied.error().message();
  EXPECT_EQ(Mode("to/sudo"), 0755U);
  EXPECT_EQ(Mode("to/secret"), 0644U);
  EXPECT_EQ(Mode("to/shared"), 0755U);
  EXPECT_EQ(Mode("to/shared/file"), 0644U);
}

// Python uses a compiled module only if the source has the modification time stored in it.
TEST_F(CopyPlanTest, KeepsTheTimeOfTheLastChange) {
  scratch_.Write("from/a", "text");
  const timespec times[] = {{1'000'000'000, 0}, {1'234'567'890, 123'000'000}};
  ASSERT_EQ(::utimensat(AT_FDCWD, scratch_.path("from/a").c_str(), times, 0), 0);
  ASSERT_TRUE(CopyAll());
  EXPECT_EQ(scratch_.Stat("to/a").st_mtim.tv_sec, 1'234'567'890);
  EXPECT_EQ(scratch_.Stat("to/a").st_mtim.tv_nsec, 123'000'000);
}

TEST_F(CopyPlanTest, LeavesFifosAndSocketsOut) {
  ASSERT_EQ(::mkfifo(scratch_.path("from/fifo").c_str(), 0666), 0);
  const Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  scratch_.path("from/socket").copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
  const auto copied = CopyAll();
  ASSERT_TRUE(copied) << copied.error().message();
  EXPECT_TRUE(std::filesystem::is_empty(to_));
}

TEST_F(CopyPlanTest, KeepsALinkAsItIsAndDoesNotReadWhatItNames) {
  scratch_.MakeLink("from/passwd", "/etc/passwd");
  scratch_.MakeLink("from/dir", "/etc");
  const auto copied = CopyAll();
  ASSERT_TRUE(copied) << copied.error().message();
  EXPECT_EQ(copied->files, 0U);
  EXPECT_EQ(std::filesystem::read_symlink(scratch_.path("to/passwd")), "/etc/passwd");
}

TEST_F(CopyPlanTest, RefusesASourceThatHasBecomeALink) {
  scratch_.Write("secret/file", "the host's");
  scratch_.Write("from/dir/file", "the tree's");
  FilePlan plan;
  ASSERT_TRUE(plan.AddTree(Root(from_), "/", "/", {}));
  std::filesystem::remove_all(scratch_.path("from/dir"));
  scratch_.MakeLink("from/dir", "../secret");
  const auto copied = CopyPlan(plan, to_, nullptr);
  ASSERT_FALSE(copied);
  EXPECT_EQ(copied.error().sys(), ELOOP);
}

TEST_F(CopyPlanTest, RefusesToWriteThroughALinkOfThePlan) {
  FilePlan plan;
  plan.AddLink("/out", scratch_.MakeDir("elsewhere"));
  plan.AddText("/out/file", "text");
  EXPECT_FALSE(CopyPlan(plan, to_, nullptr));
  EXPECT_TRUE(std::filesystem::is_empty(scratch_.path("elsewhere")));
}

TEST_F(CopyPlanTest, DropsExtendedAttributes) {
  scratch_.Write("from/a", "text");
  if (::setxattr(scratch_.path("from/a").c_str(), "user.note", "x", 1, 0) != 0) {
    GTEST_SKIP() << "user xattrs";
  }
  ASSERT_TRUE(CopyAll());
  EXPECT_LT(::getxattr(scratch_.path("to/a").c_str(), "user.note", nullptr, 0), 0);
}

TEST_F(CopyPlanTest, TellsTheTotalFromTheStartAndAllFilesAtTheEnd) {
  for (int i = 0; i < 100; ++i) scratch_.Write("from/" + std::to_string(i), "x");
  FilePlan plan;
  ASSERT_TRUE(plan.AddTree(Root(from_), "/", "/", {}));
  std::vector<std::uint64_t> files;
  ASSERT_TRUE(CopyPlan(plan, to_, [&](const Progress& progress) {
    EXPECT_EQ(progress.stage, "copying");
    EXPECT_EQ(progress.total_files, 100U);
    files.push_back(progress.files);
  }));
  EXPECT_THAT(files, testing::ElementsAre(0, 64, 100));
}

TEST(FilePlan, TakesOnlyWhatEverybodyMayReadWhenAskedTo) {
  const Scratch scratch;
  scratch.Write("open", "");
  scratch.Write("secret", "", 0600);
  FilePlan plan;
  ASSERT_TRUE(
      plan.AddTree(Root(scratch.path()), "/", "/at", {.take = TreeRules::Take::kReadableByAll}));
  EXPECT_TRUE(plan.Has("/at/open"));
  EXPECT_FALSE(plan.Has("/at/secret"));
}

TEST(FilePlan, LeavesOutAllBelowASkippedDirectory) {
  const Scratch scratch;
  scratch.Write("test/deep/x", "");
  scratch.Write("tests/x", "");
  FilePlan plan;
  ASSERT_TRUE(plan.AddTree(Root(scratch.path()), "/", "/",
                           {.skip = [](std::string_view path) { return path == "test"; }}));
  EXPECT_FALSE(plan.Has("/test"));
  EXPECT_FALSE(plan.Has("/test/deep/x"));
  EXPECT_TRUE(plan.Has("/tests/x"));
}

TEST(FilePlan, KeepsEveryPathInsideTheImage) {
  FilePlan plan;
  plan.AddText("/../../etc/x", "");
  plan.AddText("a/../..", "");
  ASSERT_EQ(plan.entries().size(), 2U);
  EXPECT_TRUE(plan.Has("/etc"));
  EXPECT_TRUE(plan.Has("/etc/x"));
}

// Each test makes a valid image invalid; the message must name the broken rule.
class CheckImageTest : public testing::Test {
 protected:
  CheckImageTest() {
    EXPECT_EQ(::chmod(scratch_.path().c_str(), 0755), 0);
    scratch_.Write("bin/tool", "text", 0755);
    scratch_.MakeLink("tool", "bin/tool");
    EXPECT_EQ(::chmod(scratch_.path("bin").c_str(), 0755), 0);
  }
  std::string Fault() const {
    const auto checked = CheckImage(scratch_.path(), sources_);
    return checked ? "" : checked.error().message();
  }

  Scratch scratch_;
  std::set<std::pair<dev_t, ino_t>> sources_;
};

TEST_F(CheckImageTest, AcceptsFilesDirectoriesAndLinks) { EXPECT_EQ(Fault(), ""); }

TEST_F(CheckImageTest, RefusesASetuidFile) {
  ASSERT_EQ(::chmod(scratch_.path("bin/tool").c_str(), 04755), 0);
  EXPECT_THAT(Fault(), HasSubstr("bin/tool is setuid, setgid or sticky"));
}

TEST_F(CheckImageTest, RefusesAFileWithASecondName) {
  ASSERT_EQ(::link(scratch_.path("bin/tool").c_str(), scratch_.path("bin/other").c_str()), 0);
  EXPECT_THAT(Fault(), HasSubstr("has a second name"));
}

TEST_F(CheckImageTest, RefusesAFileThatOthersCanWrite) {
  ASSERT_EQ(::chmod(scratch_.path("bin/tool").c_str(), 0775), 0);
  EXPECT_THAT(Fault(), HasSubstr("can be written by others"));
}

TEST_F(CheckImageTest, RefusesAFifo) {
  ASSERT_EQ(::mkfifo(scratch_.path("bin/fifo").c_str(), 0644), 0);
  EXPECT_THAT(Fault(), HasSubstr("is neither a file nor a directory"));
}

TEST_F(CheckImageTest, RefusesAnInodeOfTheHost) {
  const struct stat info = scratch_.Stat("bin/tool");
  sources_.emplace(info.st_dev, info.st_ino);
  EXPECT_THAT(Fault(), HasSubstr("shares its inode with the host"));
}

}  // namespace
}  // namespace belljar::cell::image
