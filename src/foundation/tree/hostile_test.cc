// Hostile trees against everything that reads trees: the walker, the copy, the digests, tar.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>

#include <functional>

#include "foundation/tree/copy.h"
#include "foundation/tree/path.h"
#include "foundation/tree/scratch.h"
#include "foundation/tree/tar.h"
#include "foundation/tree/walk.h"

namespace belljar::tree {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Rules kStrict{.holder = "a test"};
Rules Lenient() { return TakingEverything("a test"); }
Rules WithLinks() { return {.holder = "a test", .kinds = kFile | kDirectory | kLink}; }

// Records the visited names in order, and the refusals.
class Recorder : public Visitor {
 public:
  Result<Next> See(const Entry& entry) override {
    seen.push_back(entry.path);
    return on_see ? on_see(entry) : Next::kGoOn;
  }
  Result<> Approach(const std::string& path) override {
    if (on_approach) on_approach(path);
    return {};
  }
  Result<> Leave(const std::string& path) override {
    seen.push_back(path + "/");
    return {};
  }
  Result<Next> Refuse(Refusal refusal) override {
    refused.push_back(refusal.error.message());
    steps.push_back(refusal.step);
    return Next::kGoOn;
  }

  std::function<Next(const Entry&)> on_see;
  std::function<void(const std::string&)> on_approach;
  std::vector<std::string> seen;
  std::vector<std::string> refused;
  std::vector<Step> steps;
};

Result<> WalkAll(const Fd& root, const Rules& rules, Visitor& visitor,
                 const Bounds& bounds = {100, 0}) {
  Budget budget(bounds);
  return Walk(root, rules, budget, visitor);
}

std::string WhyNotWalked(const Fd& root, const Rules& rules, const Bounds& bounds = {100, 0}) {
  Budget budget(bounds);
  const auto walked = Walk(root, rules, budget, [](const Entry&) { return Result<>(); });
  return walked ? "" : walked.error().message();
}

const Listener kNoListener{.on_node = [](const std::string&, Node) -> Result<> { return {}; }};

std::string WhyNotCopied(const Scratch& scratch, const Rules& rules, const Listener& listener) {
  const Fd to = scratch.MakeDir("copy");
  Budget budget(Bounds{});
  const auto copied = CopyTree(scratch.root(), to, {.rules = rules}, budget, listener);
  return copied ? "" : copied.error().message();
}

struct Packing {
  Packed packed;
  std::string bytes;
};
Packing PackedTree(const Fd& root, const Bounds& bounds = {}) {
  Packing done;
  const auto packed = PackTar(root, bounds, [&](std::string_view bytes) {
    done.bytes += bytes;
    return Result<>();
  });
  EXPECT_TRUE(packed) << packed.error().message();
  if (packed) done.packed = *packed;
  const auto measured = MeasureTar(root, bounds);
  EXPECT_TRUE(measured);
  EXPECT_EQ(measured->files, done.packed.files);
  EXPECT_EQ(measured->left_out, done.packed.left_out);
  EXPECT_EQ(measured->cut, done.packed.cut);
  return done;
}

// A name that strict rules refuse, in a tree that is otherwise valid.
struct HostileCase {
  const char* name;
  void (*make)(const Scratch&);
  const char* says;
};

void MakeSocket(const fs::path& path) {
  const Fd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.native().copy(address.sun_path, sizeof(address.sun_path) - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof(address)), 0);
}

class HostileName : public testing::TestWithParam<HostileCase> {
 protected:
  HostileName() {
    scratch_.Write("d/good", "good");
    GetParam().make(scratch_);
  }
  Scratch scratch_;
};

TEST_P(HostileName, IsRefusedByTheWalkTheCopyAndTheDigest) {
  EXPECT_THAT(WhyNotWalked(scratch_.root(), kStrict), HasSubstr(GetParam().says));
  EXPECT_THAT(WhyNotCopied(scratch_, kStrict, kNoListener), HasSubstr(GetParam().says));
  Budget budget(Bounds{});
  const auto read = ReadTree(scratch_.root(), kStrict, budget, kNoListener);
  ASSERT_FALSE(read);
  EXPECT_EQ(read.error().kind(), Kind::kInvalid);
  EXPECT_THAT(read.error().message(), HasSubstr(GetParam().says));
}

TEST_P(HostileName, IsLeftOutOfAnArchiveAndCounted) {
  const Packing done = PackedTree(scratch_.root());
  EXPECT_EQ(done.packed.files, 1U);
  EXPECT_GE(done.packed.left_out, 1U);
  EXPECT_EQ(done.bytes.find(kSecret), std::string::npos);
}

TEST_P(HostileName, IsWalkedOverByWhoGoesOn) {
  Recorder recorder;
  ASSERT_TRUE(WalkAll(scratch_.root(), kStrict, recorder));
  EXPECT_THAT(recorder.seen, testing::Contains("d/good"));
  ASSERT_FALSE(recorder.refused.empty());
  EXPECT_THAT(recorder.refused.front(), HasSubstr(GetParam().says));
}

TEST_P(HostileName, IsRemovedWithItsTree) {
  ASSERT_TRUE(RemoveWhole(scratch_.root(), "d", "d"));
  EXPECT_FALSE(fs::exists(scratch_ / "d"));
  EXPECT_EQ(TextOf(scratch_.outside() / "file"), kSecret);
}

INSTANTIATE_TEST_SUITE_P(
    Tricks, HostileName,
    testing::Values(
        HostileCase{"Fifo",
                    [](const Scratch& s) { ASSERT_EQ(::mkfifo((s / "d/x").c_str(), 0600), 0); },
                    "\"d/x\" is a socket, a FIFO or a device; a test holds files and directories"},
        HostileCase{"Socket", [](const Scratch& s) { MakeSocket(s / "d/x"); },
                    "\"d/x\" is a socket, a FIFO or a device"},
        HostileCase{"LinkOut",
                    [](const Scratch& s) { fs::create_symlink(s.outside() / "file", s / "d/x"); },
                    "\"d/x\" is a link; a test holds files and directories"},
        HostileCase{"LinkToDirectoryOut",
                    [](const Scratch& s) { fs::create_symlink("../../outside", s / "d/x"); },
                    "\"d/x\" is a link"},
        HostileCase{"HardLinkOut",
                    [](const Scratch& s) { fs::create_hard_link(s.outside() / "file", s / "d/x"); },
                    "\"d/x\" has 2 names; a test holds files of one name"},
        HostileCase{"NewLine", [](const Scratch& s) { s.Write("d/a\nb"); },
                    "has a control character"},
        HostileCase{"Tab", [](const Scratch& s) { s.Write("d/a\tb"); }, "has a control character"},
        HostileCase{"Reversed", [](const Scratch& s) { s.Write("d/txt.\u202Eexe"); },
                    "has a bidirectional character"},
        HostileCase{"NotUtf8", [](const Scratch& s) { s.Write("d/a\xff"); }, "is not UTF-8"},
        HostileCase{"Deep",
                    [](const Scratch& s) {
                      std::string path = "d";
                      for (int i = 0; i < 32; ++i) path += "/d";
                      fs::create_directories(s / path);
                    },
                    "33 levels deep; at most 32 are allowed"},
        HostileCase{"LongPath",
                    [](const Scratch& s) {
                      std::string path = "d";
                      for (int i = 0; i < 5; ++i) path += "/" + std::string(250, 'n');
                      fs::create_directories(s / path);
                    },
                    "at most 1024 are allowed"}),
    [](const auto& trick) { return std::string(trick.param.name); });

// Setuid files are refused or not, depending on the user of the walk: an archive and a vault drop
// the bits.
TEST(HostileTree, ASetuidFileIsRefusedOrLosesItsBits) {
  const Scratch scratch;
  scratch.Write("tool");
  for (const mode_t mode : {04755U, 02755U}) {
    ASSERT_EQ(::chmod((scratch / "tool").c_str(), mode), 0);
    EXPECT_THAT(WhyNotWalked(scratch.root(), kStrict), HasSubstr("\"tool\" is setuid or setgid"));
  }
  ASSERT_EQ(WhyNotCopied(scratch, Lenient(), kNoListener), "");
  struct stat status {};
  ASSERT_EQ(::stat(scratch.beside("copy/tool").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0755U);
}

TEST(HostileTree, DevicesAreRefused) {
  const Fd devices = *Open("/dev", O_RDONLY | O_DIRECTORY);
  Budget budget({100'000, 0});
  const auto walked = Walk(devices, WithLinks(), budget, [](const Entry&) { return Result<>(); });
  ASSERT_FALSE(walked);
  EXPECT_THAT(walked.error().message(), HasSubstr("is a socket, a FIFO or a device"));
}

// /proc is a mount point on every Linux.
TEST(HostileTree, AMountPointIsNotEntered) {
  const Fd top = *Open("/", O_RDONLY | O_DIRECTORY);
  Recorder recorder;
  recorder.on_see = [](const Entry& entry) {
    return entry.path == "proc" ? Next::kGoOn : Next::kPass;
  };
  ASSERT_TRUE(WalkAll(top, Lenient(), recorder));
  EXPECT_THAT(recorder.refused,
              ElementsAre("\"proc\" is a mount point; a test does not reach into another file "
                          "system"));
  EXPECT_THAT(recorder.steps, ElementsAre(Step::kOpen));
}

TEST(HostileTree, ManyNamesEndTheWalkAtTheBound) {
  const Scratch scratch;
  for (const char* const name : {"a", "b", "sub/c", "sub/d"}) scratch.Write(name);
  EXPECT_EQ(WhyNotWalked(scratch.root(), kStrict, {5, 0}), "");
  EXPECT_EQ(WhyNotWalked(scratch.root(), kStrict, {4, 0}),
            "there are more than 4 files and directories");
  EXPECT_NE(WhyNotWalked(scratch.root(), kStrict, {2, 0}), "") << "in one directory";
  // Two walks may share a budget.
  Budget budget({8, 0});
  const Visit nothing = [](const Entry&) { return Result<>(); };
  EXPECT_TRUE(Walk(scratch.root(), kStrict, budget, nothing));
  EXPECT_FALSE(Walk(scratch.root(), kStrict, budget, nothing));
}

TEST(HostileTree, WhoGoesOnSeesAsManyNamesAsTheBoundAllows) {
  const Scratch scratch;
  for (int i = 0; i < 3000; ++i) fs::create_directory(scratch / std::to_string(i));
  Recorder recorder;
  ASSERT_TRUE(WalkAll(scratch.root(), kStrict, recorder, {1000, 0}));
  EXPECT_THAT(recorder.steps, ElementsAre(Step::kCount));
  EXPECT_EQ(recorder.seen.size(), 1000U);
  EXPECT_TRUE(PackedTree(scratch.root(), {1000, 0}).packed.cut);
}

TEST(HostileTree, PathsAreBoundedTogether) {
  const Scratch scratch;
  for (const char* const name : {"aaaa", "bbbb", "cccc"}) scratch.Write(name);
  Rules rules = kStrict;
  rules.path_bytes = 12;
  EXPECT_EQ(WhyNotWalked(scratch.root(), rules), "");
  rules.path_bytes = 11;
  EXPECT_EQ(WhyNotWalked(scratch.root(), rules),
            "the names are longer than 11 bytes together, the last is \"cccc\"");
}

TEST(HostileTree, DepthIsBoundedForNamesOfAnyKind) {
  const Scratch scratch;
  scratch.Write("\xff/\n/c");
  Rules rules = Lenient();
  rules.depth = 3;
  EXPECT_EQ(WhyNotWalked(scratch.root(), rules), "");
  rules.depth = 2;
  EXPECT_THAT(WhyNotWalked(scratch.root(), rules), HasSubstr("lies deeper than 2 levels"));
}

// Deeper than PATH_MAX: the walk ends with an error and does not crash, and the tree can be
// removed.
TEST(HostileTree, AnAbyssIsAnErrorAndIsRemoved) {
  const Scratch scratch;
  Fd at = *OpenBeneath(scratch.root(), ".", O_RDONLY | O_DIRECTORY);
  const std::string name(200, 'd');
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(::mkdirat(at.get(), name.c_str(), 0700), 0);
    at = *OpenBeneath(at, name, O_RDONLY | O_DIRECTORY);
  }
  EXPECT_THAT(WhyNotWalked(scratch.root(), Lenient()), HasSubstr("File name too long"));
  EXPECT_EQ(PackedTree(scratch.root()).packed.left_out, 1U);
  ASSERT_TRUE(RemoveWhole(scratch.root(), name, "abyss"));
}

TEST(HostileTree, AClosedDirectoryIsAnErrorForAnOrdinaryUserAndIsRemoved) {
  const Scratch scratch;
  scratch.Write("closed/inner/file");
  ASSERT_EQ(::chmod((scratch / "closed/inner").c_str(), 0), 0);
  ASSERT_EQ(::chmod((scratch / "closed").c_str(), 0), 0);
  Recorder recorder;
  ASSERT_TRUE(WalkAll(scratch.root(), kStrict, recorder));
  if (::geteuid() == 0) {
    EXPECT_THAT(recorder.seen, testing::Contains("closed/inner/file"));
  } else {
    EXPECT_THAT(recorder.refused, ElementsAre("open \"closed\": Permission denied"));
    EXPECT_THAT(WhyNotWalked(scratch.root(), kStrict), HasSubstr("Permission denied"));
  }
  ASSERT_TRUE(RemoveWhole(scratch.root(), "closed", "closed"));
  EXPECT_FALSE(fs::exists(scratch / "closed"));
}

TEST(HostileTree, ASparseGiantIsRefusedUnread) {
  const Scratch scratch;
  scratch.Write("giant", "");
  fs::resize_file(scratch / "giant", 1ULL << 40);
  EXPECT_EQ(WhyNotCopied(scratch, kStrict, kNoListener), "there are more than 256 MiB");
  const Packing done = PackedTree(scratch.root());
  EXPECT_TRUE(done.packed.cut);
  EXPECT_EQ(done.packed.files, 0U);
}

// The directory is replaced after it was visited and before it is opened.
TEST(HostileTree, ADirectorySwappedForALinkIsNotFollowed) {
  const auto swap = [](const Scratch& scratch) {
    fs::rename(scratch / "d", scratch / "moved");
    fs::create_directory_symlink(scratch.outside(), scratch / "d");
  };
  const Scratch walked;
  walked.Write("d/file");
  Recorder recorder;
  recorder.on_approach = [&](const std::string& path) {
    if (path == "d") swap(walked);
  };
  ASSERT_TRUE(WalkAll(walked.root(), Lenient(), recorder));
  EXPECT_THAT(recorder.seen, ElementsAre("d", "/"));
  EXPECT_THAT(recorder.refused, ElementsAre(HasSubstr("open \"d\": ")));
  const Scratch copied;
  copied.Write("d/file");
  const Listener listener{.on_node = [&](const std::string& path, Node) -> Result<> {
    if (path == "d") swap(copied);
    return {};
  }};
  EXPECT_THAT(WhyNotCopied(copied, Lenient(), listener), HasSubstr("open \"d\": "));
  EXPECT_EQ(AllTextsOf(copied.beside("copy")).find(kSecret), std::string::npos);
}

TEST(HostileTree, ADirectorySwappedForAFifoOrAFileHoldsNobody) {
  const Scratch scratch;
  for (const bool fifo : {true, false}) {
    scratch.Write("d/file");
    Recorder recorder;
    recorder.on_approach = [&](const std::string& path) {
      if (path.empty()) return;
      fs::remove_all(scratch / "d");
      if (fifo) {
        ASSERT_EQ(::mkfifo((scratch / "d").c_str(), 0600), 0);
      } else {
        scratch.Write("d");
      }
    };
    ASSERT_TRUE(WalkAll(scratch.root(), Lenient(), recorder));
    EXPECT_THAT(recorder.refused, ElementsAre("open \"d\": Not a directory"));
    fs::remove(scratch / "d");
  }
}

// Another process swaps names for links to the outside as fast as it can.
class Swapper {
 public:
  explicit Swapper(const Scratch& scratch) {
    scratch.Write("d/file", "inside");
    scratch.Write("f", "inside");
    fs::create_directory_symlink(scratch.outside(), scratch.beside("tree/dlink"));
    fs::create_symlink(scratch.outside() / "file", scratch.beside("tree/flink"));
    const int root = scratch.root().get();
    child_ = ::fork();
    if (child_ != 0) return;
    for (;;) {
      ::renameat2(root, "d", root, "dlink", RENAME_EXCHANGE);
      ::renameat2(root, "f", root, "flink", RENAME_EXCHANGE);
    }
  }
  Swapper(const Swapper&) = delete;
  Swapper& operator=(const Swapper&) = delete;
  ~Swapper() {
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }

 private:
  pid_t child_;
};

TEST(HostileTree, NamesSwappedForLinksAllTheTimeNeverShowTheOutside) {
  constexpr int kRounds = 300;
  const Scratch scratch;
  const Swapper swapper(scratch);
  for (int i = 0; i < kRounds; ++i) {
    Recorder recorder;
    ASSERT_TRUE(WalkAll(scratch.root(), Lenient(), recorder));
    for (const std::string& path : recorder.seen) EXPECT_NE(path, "dlink/other");
    const Fd to = scratch.MakeDir("copy");
    Budget budget(Bounds{});
    const Listener listener{.on_node = [](const std::string&, Node node) -> Result<> {
      EXPECT_NE(node.content.digest, Sha256::Of(kSecret));
      return {};
    }};
    // The copy may fail, and mostly does.
    static_cast<void>(
        static_cast<bool>(CopyTree(scratch.root(), to, {.rules = Lenient()}, budget, listener)));
    ASSERT_EQ(AllTextsOf(scratch.beside("copy")).find(kSecret), std::string::npos);
    fs::remove_all(scratch.beside("copy"));
    std::string bytes;
    const auto packed = PackTar(scratch.root(), {}, [&](std::string_view piece) {
      bytes += piece;
      return Result<>();
    });
    ASSERT_TRUE(packed) << packed.error().message();
    ASSERT_EQ(bytes.find(kSecret), std::string::npos);
  }
}

TEST(HostileTree, RemovingWhatIsSwappedForLinksLeavesTheOutsideAlone) {
  for (int i = 0; i < 50; ++i) {
    const Scratch scratch;
    {
      const Swapper swapper(scratch);
      static_cast<void>(static_cast<bool>(RemoveWhole(scratch.root(), "d", "d")));
      static_cast<void>(static_cast<bool>(RemoveBeneath(scratch.root(), "d/file")));
    }
    ASSERT_EQ(TextOf(scratch.outside() / "file"), kSecret);
  }
}

TEST(HostileTree, APathOutIsNotTaken) {
  const Scratch scratch;
  for (const char* const path : {"..", "../outside", "/etc", "a/../../outside", "."}) {
    EXPECT_FALSE(RemoveBeneath(scratch.root(), path)) << path;
    EXPECT_FALSE(OpenFile(scratch.root(), path)) << path;
  }
  EXPECT_EQ(TextOf(scratch.outside() / "file"), kSecret);
}

TEST(Walk, TellsEntriesBeforeAndAfterWhatIsInThem) {
  const Scratch scratch;
  for (const char* const name : {"a/x", "b/c/y", "z"}) scratch.Write(name);
  Recorder last;
  ASSERT_TRUE(WalkAll(scratch.root(), kStrict, last));
  EXPECT_THAT(last.seen,
              ElementsAre("a", "b", "z", "b/c", "b/c/y", "b/c/", "b/", "a/x", "a/", "/"));
  Rules rules = kStrict;
  rules.order = Order::kFirstFirst;
  Recorder first;
  ASSERT_TRUE(WalkAll(scratch.root(), rules, first));
  EXPECT_THAT(first.seen, ElementsAre("a", "b", "z", "a/x", "b/c", "b/c/y"));
}

TEST(Walk, PassesADirectoryAndEndsWhenItIsTold) {
  const Scratch scratch;
  for (const char* const name : {"a/x", "b/y", "c/z"}) scratch.Write(name);
  Recorder recorder;
  recorder.on_see = [](const Entry& entry) {
    if (entry.path == "c") return Next::kPass;
    return entry.path == "b/y" ? Next::kEnd : Next::kGoOn;
  };
  ASSERT_TRUE(WalkAll(scratch.root(), kStrict, recorder));
  EXPECT_THAT(recorder.seen, ElementsAre("a", "b", "c", "b/y"));
}

TEST(Walk, HoldsOneDirectoryOpenHoweverManyThereAre) {
  const Scratch scratch;
  for (int i = 0; i < 50; ++i) scratch.Write("d/" + std::to_string(i) + "/file");
  Recorder recorder;
  std::set<int> numbers;
  recorder.on_see = [&](const Entry& entry) {
    numbers.insert(entry.dir.get());
    return Next::kGoOn;
  };
  ASSERT_TRUE(WalkAll(scratch.root(), kStrict, recorder, {1000, 0}));
  EXPECT_EQ(numbers.size(), 1U);
}

TEST(LinkFault, IsAnythingThatCouldLeadOut) {
  EXPECT_EQ(FaultOfLink("a", "/etc"), LinkFault::kAbsolute);
  EXPECT_EQ(FaultOfLink("a", ".."), LinkFault::kLeaves);
  EXPECT_EQ(FaultOfLink("a/b", "../../c"), LinkFault::kLeaves);
  EXPECT_EQ(FaultOfLink("a/b", "c/../d"), LinkFault::kBehindAName);
  for (const char* const target : {"../c", "c", "./c", "c/d", "", "..", "c//d/"}) {
    EXPECT_EQ(FaultOfLink("a/b", target), LinkFault::kNone) << target;
  }
}

}  // namespace
}  // namespace belljar::tree
