#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "foundation/tree/tar.h"

namespace belljar::tree {
namespace {

namespace fs = std::filesystem;

class PackTreeTest : public testing::Test {
 protected:
  PackTreeTest() {
    std::string name = testing::TempDir() + "belljar-tree-XXXXXX";
    root_ = ::mkdtemp(name.data());
  }
  ~PackTreeTest() override { fs::remove_all(root_); }

  // NAME|TYPE|LINK of each 512-byte header. Every content must be shorter than a block.
  std::vector<std::string> HeadersOf(const std::string& tar) const {
    std::vector<std::string> headers;
    for (std::size_t at = 0; at + 512 <= tar.size() && tar[at] != '\0'; at += 512) {
      const std::string name(tar.c_str() + at);
      const std::string link(tar.c_str() + at + 157);
      headers.push_back(name + "|" + tar[at + 156] + "|" + link);
      if (std::stoul(tar.substr(at + 124, 11), nullptr, 8) > 0) at += 512;
    }
    return headers;
  }

  std::string root_;
};

TEST_F(PackTreeTest, CarriesFilesLinksDirectoriesAndWhatIsAdded) {
  fs::create_directory(root_ + "/d");
  fs::create_symlink("d", root_ + "/link");
  std::ofstream(root_ + "/d/f") << "text";
  std::string tar;
  const auto packed = PackTree(root_, {{"d/more", "added", 0755}}, [&](std::string_view bytes) {
    tar += bytes;
    return Result<>();
  });
  ASSERT_TRUE(packed) << packed.error().message();
  EXPECT_THAT(HeadersOf(tar),
              testing::UnorderedElementsAre("d/|5|", "link|2|d", "d/f|0|", "d/more|0|"));
  EXPECT_NE(tar.find("text"), std::string::npos);
  EXPECT_NE(tar.find("added"), std::string::npos);
}

TEST_F(PackTreeTest, RefusesWhatNoImageHas) {
  ASSERT_EQ(::mkfifo((root_ + "/fifo").c_str(), 0600), 0);
  const auto packed = PackTree(root_, {}, [](std::string_view) { return Result<>(); });
  ASSERT_FALSE(packed);
  EXPECT_THAT(packed.error().message(), testing::HasSubstr("neither a file nor"));
}

TEST_F(PackTreeTest, StopsWithTheErrorOfItsSink) {
  std::ofstream(root_ + "/f") << "text";
  const auto packed = PackTree(
      root_, {}, [](std::string_view) { return Result<>(Error(Kind::kUnavailable, "full")); });
  ASSERT_FALSE(packed);
  EXPECT_EQ(packed.error().message(), "full");
}

}  // namespace
}  // namespace belljar::tree
