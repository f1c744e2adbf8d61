#include "foundation/storage/seal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <thread>

#include "foundation/base/sys.h"
#include "foundation/storage/scratch.h"

namespace belljar::storage {
namespace {

class SealKeyTest : public testing::Test {
 protected:
  ScratchDir dir_;
  const std::string path_ = dir_.path("approvals.key");
};

TEST_F(SealKeyTest, IsMadeOnceForThisUserAlone) {
  const mode_t before = ::umask(0);
  const auto made = SealKey::Load(path_, "approval");
  ::umask(before);
  ASSERT_TRUE(made) << made.error().message();
  struct stat info {};
  ASSERT_EQ(::stat(path_.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 07777U, 0600U);
  EXPECT_EQ(info.st_size, 32);
  const std::vector<Value> values = {std::string("x")};
  const auto again = SealKey::Load(path_, "approval");
  EXPECT_TRUE(again->IsSealed(values, made->Seal(values)));
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir_.path("")), {}), 1);
}

TEST_F(SealKeyTest, IsTheSameForAllWhoMakeItAtOnce) {
  std::vector<Blob> seals(8);
  {
    std::vector<std::jthread> threads;
    for (Blob& seal : seals) {
      threads.emplace_back([&] {
        const auto key = SealKey::Load(path_, "approval");
        EXPECT_TRUE(key) << key.error().message();
        if (key) seal = key->Seal({});
      });
    }
  }
  EXPECT_THAT(seals, testing::Each(seals.front()));
  EXPECT_EQ(seals.front().bytes.size(), 32U);
}

TEST_F(SealKeyTest, RefusesAFileThatOthersCanReadOrThatIsNoKey) {
  ASSERT_TRUE(SealKey::Load(path_, "approval"));
  ::chmod(path_.c_str(), 0640);
  EXPECT_EQ(SealKey::Load(path_, "approval").error().kind(), Kind::kDenied);
  ::chmod(path_.c_str(), 0600);
  std::ofstream(path_, std::ios::app) << "x";
  EXPECT_EQ(SealKey::Load(path_, "approval").error().kind(), Kind::kInvalid);
  std::ofstream(path_) << "short";
  EXPECT_EQ(SealKey::Load(path_, "approval").error().kind(), Kind::kInvalid);
  std::filesystem::create_symlink(path_, dir_.path("link"));
  EXPECT_FALSE(SealKey::Load(dir_.path("link"), "approval"));
  EXPECT_FALSE(SealKey::Load("approvals.key", "approval"));
  EXPECT_FALSE(SealKey::Load(dir_.path("nowhere/approvals.key"), "approval"));
}

TEST_F(SealKeyTest, TellsTypesLengthsAndOrdersApart) {
  const auto key = SealKey::Load(path_, "approval");
  const std::vector<std::vector<Value>> all = {
      {},
      {std::string()},
      {Blob{}},
      {std::monostate()},
      {std::int64_t{0}},
      {0.0},
      {std::string("ab"), std::string("c")},
      {std::string("a"), std::string("bc")},
      {std::string("c"), std::string("ab")},
      {std::string("abc")},
      {Blob{"abc"}},
  };
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < all.size(); ++j) {
      EXPECT_EQ(key->IsSealed(all[i], key->Seal(all[j])), i == j) << i << " " << j;
    }
    EXPECT_FALSE(key->IsSealed(all[i], std::monostate()));
    EXPECT_FALSE(key->IsSealed(all[i], Blob{}));
    EXPECT_FALSE(key->IsSealed(all[i], key->Seal(all[i]).bytes.substr(1)));
  }
}

TEST_F(SealKeyTest, IsGoodForItsPurposeOnly) {
  const auto one = SealKey::Load(path_, "approval");
  const auto other = SealKey::Load(path_, "skill");
  const std::vector<Value> values = {std::string("x")};
  EXPECT_FALSE(other->IsSealed(values, one->Seal(values)));
  EXPECT_TRUE(other->IsSealed(values, other->Seal(values)));
}

// Compares with openssl(1), an independent implementation of HMAC (RFC 4231).
TEST_F(SealKeyTest, IsHmacSha256) {
  std::ofstream(path_) << std::string(32, 'k');
  ::chmod(path_.c_str(), 0600);
  const auto key = SealKey::Load(path_, "approval");
  std::string hex;
  for (const char c : key->Seal({}).bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    hex += kDigits[static_cast<unsigned char>(c) >> 4U];
    hex += kDigits[static_cast<unsigned char>(c) & 15U];
  }
  EXPECT_EQ(hex, "50fcdfb46ac20b9162087acbbbf8db35d9ab363d300dd42405ea497f96ef711e");
}

}  // namespace
}  // namespace belljar::storage
