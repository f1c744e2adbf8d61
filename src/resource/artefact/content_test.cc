#include "resource/artefact/content.h"

#include <sys/socket.h>
#include <sys/un.h>

#include "foundation/base/sys.h"
#include "resource/artefact/scratch.h"

namespace belljar::resource::artefact {
namespace {

Result<Content> Copy(const Scratch& scratch, const std::string& from) {
  fs::create_directory(scratch / "to");
  const Fd source = *Open(from, O_PATH);
  const Fd dir = *Open(scratch / "to", O_RDONLY | O_DIRECTORY);
  return CopyContent(source, "from", dir, {});
}

mode_t ModeOf(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::lstat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}

std::string WhyNot(const Scratch& scratch) {
  const auto copied = Copy(scratch, scratch / "from");
  EXPECT_FALSE(copied);
  return copied ? "" : copied.error().message();
}

// The output of sha256sum for "hello
//
// ".
constexpr const char* kHello =
    "sha256:5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03";

TEST(Content, OfAFileIsNamedAsSha256sumNamesIt) {
  const Scratch scratch;
  const auto copied = Copy(scratch, scratch.Write("from", "hello\n"));
  ASSERT_TRUE(copied) << copied.error().message();
  EXPECT_EQ(copied->digest, kHello);
  EXPECT_EQ(copied->shape, Shape::kFile);
  EXPECT_EQ(copied->bytes, 6U);
  EXPECT_EQ(TextOf(scratch / "to/content"), "hello\n");
  EXPECT_EQ(ModeOf(scratch / "to/content"), 0444U);
}

TEST(Content, OfAFileHasAnInodeOfItsOwn) {
  const Scratch scratch;
  const std::string from = scratch.Write("from", "hello\n");
  ASSERT_TRUE(Copy(scratch, from));
  scratch.Write("from", "other");
  EXPECT_EQ(TextOf(scratch / "to/content"), "hello\n");
}

TEST(Content, OfATreeIsNamedByItsListing) {
  const Scratch scratch;
  scratch.Write("from/b/hello", "hello\n");
  scratch.Write("from/a", "");
  fs::create_symlink("../a", scratch / "from/b/link");
  fs::create_directory(scratch / "from/empty");
  const auto copied = Copy(scratch, scratch / "from");
  ASSERT_TRUE(copied) << copied.error().message();
  // printf 'belljar artefact tree 1\na\tfile\t0\te3b0…\nb\tdir\n…' | sha256sum
  EXPECT_EQ(copied->digest,
            "sha256:2e1b420d93f2a8275b8e0d91b0203da57cfeba5ddb605a644c55e1fd351e1b56");
  EXPECT_EQ(copied->files, 2U);
  EXPECT_EQ(TextOf(scratch / "to/content/b/link"), "");
  EXPECT_EQ(fs::read_symlink(scratch / "to/content/b/link"), "../a");
  EXPECT_EQ(ModeOf(scratch / "to/content/b"), 0555U);
  EXPECT_EQ(ModeOf(scratch / "to/content"), 0555U);
  EXPECT_EQ(ModeOf(scratch / "to/content/b/hello"), 0444U);
  const Fd dir = *Open(scratch / "to", O_RDONLY | O_DIRECTORY);
  EXPECT_EQ(ReadContent(dir, {})->digest, copied->digest);
}

TEST(Content, OfATreeHasAnotherNameForAnyDifference) {
  const auto digest_of = [](const std::function<void(const Scratch&)>& make) {
    const Scratch scratch;
    scratch.Write("from/a", "1");
    make(scratch);
    const auto copied = Copy(scratch, scratch / "from");
    return copied ? copied->digest : copied.error().message();
  };
  std::set<std::string> all;
  all.insert(digest_of([](const Scratch&) {}));
  all.insert(digest_of([](const Scratch& s) { s.Write("from/a", "2"); }));
  all.insert(digest_of([](const Scratch& s) { s.Write("from/b", "1"); }));
  all.insert(digest_of([](const Scratch& s) { fs::create_directory(s / "from/b"); }));
  all.insert(digest_of([](const Scratch& s) { fs::create_symlink("a", s / "from/b"); }));
  all.insert(digest_of([](const Scratch& s) { fs::create_symlink("./a", s / "from/b"); }));
  EXPECT_EQ(all.size(), 6U);
  // Modes, owners and times are not part of the digest.
  EXPECT_EQ(all.count(digest_of([](const Scratch& s) { ::chmod((s / "from/a").c_str(), 0777); })),
            1U);
}

TEST(Content, RefusesLinksThatLeave) {
  for (const char* const target : {"/etc/passwd", "..", "../x", "sub/../../x", "sub/.."}) {
    const Scratch scratch;
    scratch.Write("from/sub/file", "");
    fs::create_symlink(target, scratch / "from/link");
    EXPECT_NE(WhyNot(scratch).find("the link \"link\""), std::string::npos) << target;
  }
  // This target stays within only if "name" is a directory, which is not known.
  const Scratch deep;
  deep.Write("from/a/b/file", "");
  fs::create_symlink("name/../file", deep / "from/a/b/link");
  EXPECT_NE(WhyNot(deep).find("leaves the artefact"), std::string::npos);
  const Scratch scratch;
  scratch.Write("from/file", "");
  fs::create_directory(scratch / "from/sub");
  fs::create_symlink("../file", scratch / "from/sub/link");
  EXPECT_TRUE(Copy(scratch, scratch / "from"));
}

TEST(Content, RefusesWhatIsNoFile) {
  const Scratch fifo;
  fs::create_directory(fifo / "from");
  ASSERT_EQ(::mkfifo((fifo / "from/pipe").c_str(), 0600), 0);
  EXPECT_EQ(WhyNot(fifo),
            "\"pipe\" is a socket, a FIFO or a device; an artefact holds files, directories and "
            "links");
  const Scratch alone;
  ASSERT_EQ(::mkfifo((alone / "from").c_str(), 0600), 0);
  EXPECT_EQ(WhyNot(alone).find("\"from\" is a socket, a FIFO or a device"), 0U);
  const Scratch device;
  EXPECT_FALSE(Copy(device, "/dev/null"));
}

TEST(Content, RefusesWhatIsSetuid) {
  for (const mode_t mode : {04755U, 02755U}) {
    const Scratch scratch;
    scratch.Write("from/tool", "");
    ASSERT_EQ(::chmod((scratch / "from/tool").c_str(), mode), 0);
    EXPECT_EQ(WhyNot(scratch),
              "\"tool\" is setuid or setgid: take the bit away first (chmod ug-s)");
  }
}

TEST(Content, RefusesNamesThatAListingCannotHold) {
  for (const char* const name : {"a\nb", "a\tb", "a\xff"}) {
    const Scratch scratch;
    scratch.Write(std::string("from/") + name, "");
    EXPECT_FALSE(Copy(scratch, scratch / "from")) << name;
  }
}

TEST(Content, IsWrittenFromPieces) {
  const Scratch scratch;
  const Fd dir = *Open(scratch / ".", O_RDONLY | O_DIRECTORY);
  std::string left = "hello\n";
  const auto read = [&](std::span<char> piece) -> Result<std::size_t> {
    if (left.empty()) return std::size_t{0};
    piece[0] = left[0];
    left.erase(0, 1);
    return std::size_t{1};
  };
  const auto written = WriteContent(read, dir, {});
  ASSERT_TRUE(written);
  EXPECT_EQ(written->digest, kHello);
  EXPECT_EQ(TextOf(scratch / "content"), "hello\n");
}

}  // namespace
}  // namespace belljar::resource::artefact
