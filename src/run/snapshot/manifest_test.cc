#include "run/snapshot/manifest.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace belljar::run::snapshot {
namespace {

Entry At(Type type, std::string path, std::string target = "") {
  Entry entry;
  entry.type = type;
  entry.path = std::move(path);
  entry.target = std::move(target);
  return entry;
}

std::vector<Entry> SomeTree() {
  std::vector<Entry> tree = {At(Type::kDirectory, ""), At(Type::kDirectory, "d"),
                             At(Type::kFile, "f"), At(Type::kSymlink, "s", "../../etc"),
                             At(Type::kLink, "d/\xff\n", "f")};
  tree[1].mode = 01777;
  tree[1].modified = {-1, 999'999'999};
  tree[2].size = std::uint64_t{1} << 40;
  tree[2].extents = {{4096, 10}, {std::uint64_t{1} << 39, 4096}};
  tree[2].digest.fill(0xab);
  tree[2].attributes = {{"user.a", std::string("\0b", 2)}};
  return tree;
}

bool Decodes(const std::vector<Entry>& entries) {
  return static_cast<bool>(Decode(Encode(entries), {}));
}

// Whether SomeTree() with this additional entry can be decoded.
bool DecodesWith(Entry entry) {
  std::vector<Entry> tree = SomeTree();
  tree.push_back(std::move(entry));
  return Decodes(tree);
}

TEST(SnapshotManifest, ComesBackAsItWas) {
  const auto decoded = Decode(Encode(SomeTree()), {});
  ASSERT_TRUE(decoded);
  EXPECT_EQ(*decoded, SomeTree());
}

TEST(SnapshotManifest, NoPathLeadsOutside) {
  EXPECT_TRUE(DecodesWith(At(Type::kFile, "d/...")));
  for (const char* path : {"..", "../x", "d/..", "d/../x", "/x", "d//x", "d/", ".", "./x", "s/x",
                           "f/x", "unknown/x", "", "d", "f"}) {
    EXPECT_FALSE(DecodesWith(At(Type::kFile, path))) << path;
  }
  EXPECT_FALSE(DecodesWith(At(Type::kFile, std::string("a\0b", 3))));
  EXPECT_FALSE(DecodesWith(At(Type::kFile, std::string(256, 'n'))));
}

TEST(SnapshotManifest, NoEntrySaysWhatItMayNot) {
  EXPECT_FALSE(DecodesWith(At(Type::kLink, "x", "d"))) << "directories have one name";
  EXPECT_FALSE(DecodesWith(At(Type::kLink, "x", "later")));
  EXPECT_FALSE(DecodesWith(At(Type::kSymlink, "x")));
  EXPECT_FALSE(DecodesWith(At(Type::kOther, "x")));
  EXPECT_FALSE(DecodesWith(At(static_cast<Type>(7), "x")));
  Entry setuid = At(Type::kFile, "x");
  setuid.mode = 04755;
  EXPECT_FALSE(DecodesWith(setuid));
  Entry trusted = At(Type::kFile, "x");
  trusted.attributes = {{"security.capability", "x"}};
  EXPECT_FALSE(DecodesWith(trusted));
  Entry late = At(Type::kFile, "x");
  late.modified.nanoseconds = 1'000'000'000;
  EXPECT_FALSE(DecodesWith(late));
}

TEST(SnapshotManifest, ExtentsLieInOrderInsideTheFile) {
  using Extents = std::vector<Extent>;
  for (const Extents& extents :
       {Extents{{0, 101}}, Extents{{101, 1}}, Extents{{0, 0}}, Extents{{10, 10}, {15, 10}},
        Extents{{20, 5}, {0, 5}}, Extents{{1, ~std::uint64_t{0}}}}) {
    Entry file = At(Type::kFile, "x");
    file.size = 100;
    file.extents = extents;
    EXPECT_FALSE(DecodesWith(file));
  }
}

TEST(SnapshotManifest, EveryCutAndEveryLieAboutALengthIsNoticed) {
  const std::string whole = Encode(SomeTree());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(Decode(whole.substr(0, size), {})) << size;
  }
  EXPECT_FALSE(Decode(whole + '\0', {}));
  // Changed bytes may form another valid manifest, but must not cause a crash or an escape.
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string bent = whole;
    bent[at] = static_cast<char>(bent[at] ^ 0xff);
    const auto decoded = Decode(bent, {});
    if (!decoded) continue;
    for (const Entry& entry : *decoded) EXPECT_EQ(entry.path.find(".."), std::string::npos);
  }
}

TEST(SnapshotManifest, NamesAreShownWithoutTheirTricks) {
  EXPECT_EQ(Named(""), "workspace");
  EXPECT_EQ(Named("a/\x1b[2J\\\xff"), "workspace/a/\\x1b[2J\\x5c\\xff");
  EXPECT_EQ(Named(std::string(5000, 'a')).size(), 213U);
}

}  // namespace
}  // namespace belljar::run::snapshot
