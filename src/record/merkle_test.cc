#include "record/merkle.h"

#include <gtest/gtest.h>

#include "record/tile.h"

namespace belljar::record {
namespace {

using namespace std::string_literals;

// The eight test inputs and roots of the first RFC 6962 implementations.
const std::vector<std::string> kInputs = {"",
                                          "\x00"s,
                                          "\x10"s,
                                          "\x20\x21"s,
                                          "\x30\x31"s,
                                          "\x40\x41\x42\x43"s,
                                          "\x50\x51\x52\x53\x54\x55\x56\x57"s,
                                          "\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c"
                                          "\x6d\x6e\x6f"s};
const std::vector<std::string> kRoots = {
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328"};

std::vector<Hash> Leaves(std::size_t count) {
  std::vector<Hash> leaves;
  for (std::size_t i = 0; i < count; ++i) leaves.push_back(LeafHash(std::to_string(i)));
  return leaves;
}

NodeReader From(const std::vector<Hash>& leaves) {
  return [&leaves](unsigned height, std::uint64_t number) -> Result<Hash> {
    return RootOf(std::span(leaves).subspan(number << height, std::size_t{1} << height));
  };
}

TEST(Merkle, HasTheRootsOfRfc6962) {
  EXPECT_EQ(Hex(Bytes(RootOf({}))),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  std::vector<Hash> leaves;
  Edge edge;
  for (std::size_t i = 0; i < kInputs.size(); ++i) {
    leaves.push_back(LeafHash(kInputs[i]));
    edge.Append(leaves.back());
    EXPECT_EQ(Hex(Bytes(RootOf(leaves))), kRoots[i]);
    EXPECT_EQ(Hex(Bytes(edge.Root())), kRoots[i]);
  }
}

TEST(Edge, HasTheRootOfAllLeavesAtEverySize) {
  const std::vector<Hash> leaves = Leaves(1100);
  Edge edge;
  for (std::size_t size = 1; size <= leaves.size(); ++size) {
    edge.Append(leaves[size - 1]);
    if (size > 600 && size % 7 != 0) continue;
    ASSERT_EQ(edge.Root(), RootOf(std::span(leaves).first(size))) << size;
  }
}

TEST(Edge, FillsTilesWhenTheirLastHashComes) {
  const std::vector<Hash> leaves = Leaves(65'536);
  Edge edge;
  for (std::size_t i = 0; i + 1 < leaves.size(); ++i) {
    ASSERT_EQ(edge.Append(leaves[i]).size(), (i + 1) % 256 == 0 ? 1U : 0U);
  }
  const auto full = edge.Append(leaves.back());
  ASSERT_EQ(full.size(), 2U);
  EXPECT_EQ(full[0].number, 255U);
  EXPECT_EQ(full[1].level, 1U);
  EXPECT_EQ(full[1].number, 0U);
  EXPECT_EQ(edge.Root(), RootOf(leaves));
}

TEST(Inclusion, IsProvenForEveryLeafOfEverySmallTree) {
  const std::vector<Hash> leaves = Leaves(70);
  for (std::uint64_t size = 1; size <= leaves.size(); ++size) {
    const Hash root = RootOf(std::span(leaves).first(size));
    for (std::uint64_t index = 0; index < size; ++index) {
      const auto path = InclusionPath(index, size, From(leaves));
      ASSERT_TRUE(path);
      EXPECT_TRUE(CheckInclusion(leaves[index], index, size, root, *path));
      EXPECT_FALSE(CheckInclusion(leaves[index], index + 1, size, root, *path));
      EXPECT_FALSE(CheckInclusion(LeafHash("other"), index, size, root, *path));
    }
  }
}

TEST(Inclusion, IsNotProvenByAnyOtherPath) {
  const std::vector<Hash> leaves = Leaves(13);
  const Hash root = RootOf(leaves);
  const auto path = InclusionPath(5, 13, From(leaves));
  for (std::size_t i = 0; i < path->size(); ++i) {
    std::vector<Hash> bent = *path;
    bent[i][0] ^= 1U;
    EXPECT_FALSE(CheckInclusion(leaves[5], 5, 13, root, bent));
  }
  std::vector<Hash> longer = *path;
  longer.push_back(root);
  EXPECT_FALSE(CheckInclusion(leaves[5], 5, 13, root, longer));
  EXPECT_FALSE(CheckInclusion(leaves[5], 5, 13, root, std::span(*path).first(2)));
}

TEST(Consistency, IsProvenBetweenAllSmallTrees) {
  const std::vector<Hash> leaves = Leaves(40);
  for (std::uint64_t size = 1; size <= leaves.size(); ++size) {
    const Hash root = RootOf(std::span(leaves).first(size));
    for (std::uint64_t old = 1; old <= size; ++old) {
      const Hash old_root = RootOf(std::span(leaves).first(old));
      const auto path = ConsistencyPath(old, size, From(leaves));
      ASSERT_TRUE(path);
      EXPECT_TRUE(CheckConsistency(old, old_root, size, root, *path)) << old << " " << size;
      EXPECT_FALSE(CheckConsistency(old, LeafHash("x"), size, root, *path));
      EXPECT_FALSE(CheckConsistency(old, old_root, size, LeafHash("x"), *path));
    }
  }
}

TEST(Tile, PathsAreThoseOfTheSpecification) {
  EXPECT_EQ(TilePath({0, 1234067}), "tile/0/x001/x234/067");
  EXPECT_EQ(TilePath({1, 0, 17}), "tile/1/000.p/17");
  EXPECT_EQ(TilePath({TileName::kEntries, 1000, 5}), "tile/entries/x001/000.p/5");
  for (const TileName name : {TileName{0, 1234067}, TileName{7, 999, 255}, TileName{-1, 1000, 1}}) {
    EXPECT_EQ(ParseTilePath(TilePath(name)), name);
  }
}

TEST(Tile, StrangePathsAreNoTiles) {
  for (const char* const path :
       {"", "tile", "tile/0", "tile/0/", "tile/8/000", "tile/0/00", "tile/0/0000",
        "tile/0/x000/001", "tile/0/000.p/0", "tile/0/000.p/256", "tile/0/000.p/05", "tile/0/000.p/",
        "tile/-1/000", "tile/0/x01/000", "tile/0/x001", "tile/0/x001/", "tile/entries/000.new",
        "checkpoint", "tile/0/x999/x999/x999/x999/x999/x999/x999/x999/999"}) {
    EXPECT_FALSE(ParseTilePath(path)) << path;
  }
}

TEST(Tile, AreAsManyAsTheSpecificationSaysFor70000Entries) {
  // Level -> number of full tiles, width of the partial one.
  std::map<int, std::pair<std::size_t, std::size_t>> rows;
  for (const TileName& name : TilesOf(70'000)) {
    if (name.width == kTileWidth) {
      ++rows[name.level].first;
    } else {
      rows[name.level].second = name.width;
    }
  }
  EXPECT_EQ(rows[TileName::kEntries], std::pair(273UL, 112UL));
  EXPECT_EQ(rows[0], std::pair(273UL, 112UL));
  EXPECT_EQ(rows[1], std::pair(1UL, 17UL));
  EXPECT_EQ(rows[2], std::pair(0UL, 1UL));
  EXPECT_EQ(rows.size(), 4U);
}

TEST(Tile, EntriesComeBackAndNothingElseIsTaken) {
  std::string bundle;
  const std::vector<std::string> entries = {"a", "", std::string(kMaxEntryBytes, 'x')};
  for (const std::string& entry : entries) AppendEntry(bundle, entry);
  const Bundle decoded = DecodeEntries(bundle, 3);
  EXPECT_EQ(decoded.problem, "");
  EXPECT_TRUE(
      std::equal(entries.begin(), entries.end(), decoded.entries.begin(), decoded.entries.end()));
  EXPECT_EQ(DecodeEntries(bundle, 4).problem, "it ends in entry 3 of 4");
  EXPECT_EQ(DecodeEntries(bundle + "x", 3).problem, "1 bytes after its end");
  EXPECT_EQ(DecodeEntries(bundle.substr(0, 4), 3).entries.size(), 1U);
}

}  // namespace
}  // namespace belljar::record
