#include "request/vault.h"

#include <gtest/gtest.h>

#include "request/request.h"

namespace belljar::request {
namespace {

Result<Request> WithVaults(const std::string& list) {
  return ParseRequest(R"({"code":"","vaults":)" + list + "}");
}

std::string Refusal(const std::string& list) {
  const auto request = WithVaults(list);
  return request ? "accepted" : request.error().message();
}

TEST(Vault, IsReadOnlyUnlessAskedForOtherwise) {
  const auto request = WithVaults(R"([{"host":"/a/b"},{"host":"/c","mode":"rw"}])");
  ASSERT_TRUE(request) << request.error().message();
  const std::vector<Vault> wanted = {{"/a/b", VaultMode::kReadOnly}, {"/c", VaultMode::kReadWrite}};
  EXPECT_EQ(request->vaults, wanted);
  EXPECT_EQ(VaultName(request->vaults[0]), "b");
}

TEST(Vault, PathsThatCouldMeanAnotherPlaceAreRefused) {
  for (const char* host : {"a", "", "/", "/a/../b", "/a/./b", "/a//b", "/a/", "/a/\\u0001"}) {
    EXPECT_NE(Refusal(std::string(R"([{"host":")") + host + "\"}]"), "accepted") << host;
  }
}

TEST(Vault, TwoOfOneNameAreRefusedByName) {
  EXPECT_EQ(Refusal(R"([{"host":"/a/x"},{"host":"/b/x"}])"),
            "two vaults would both be /vault/x; rename one of the directories");
}

TEST(Vault, MoreThanEightAreRefused) {
  std::string list;
  for (int i = 0; i < 9; ++i)
    list += (i ? "," : "") + ("{\"host\":\"/v" + std::to_string(i)) + "\"}";
  EXPECT_EQ(Refusal("[" + list + "]"), "\"vaults\" has 9 entries; at most 8 are allowed");
}

TEST(Vault, UnknownKeysModesAndTypesAreNamed) {
  EXPECT_EQ(Refusal(R"([{"host":"/a","mod":"rw"}])"),
            "\"vaults\": unknown key \"mod\"; a vault has \"host\" and \"mode\"");
  EXPECT_EQ(Refusal(R"([{"host":"/a","mode":"w"}])"),
            "\"vaults\": the mode \"w\" is not known; use \"ro\" or \"rw\"");
  EXPECT_EQ(Refusal(R"("/a")"), "\"vaults\" must be a list");
  EXPECT_EQ(Refusal(R"(["/a"])"),
            "\"vaults\" must be a list of objects with \"host\" and \"mode\"");
  EXPECT_EQ(Refusal(R"([{"host":1}])"), "\"vaults\": \"host\" must be a string");
  EXPECT_EQ(Refusal(R"([{"mode":"ro"}])"), "\"vaults\": a vault needs a \"host\" directory");
}

TEST(Vault, FlagIsADirectoryAndAMode) {
  const auto flag = [](std::string_view text) { return ParseVaultFlag(text, "/home/u"); };
  EXPECT_EQ(*flag("/a/b:rw"), (Vault{"/a/b", VaultMode::kReadWrite}));
  EXPECT_EQ(*flag("/a/b:ro"), (Vault{"/a/b", VaultMode::kReadOnly}));
  EXPECT_EQ(*flag("sub/"), (Vault{"/home/u/sub", VaultMode::kReadOnly}));
  EXPECT_EQ(*flag("../x:rw"), (Vault{"/home/x", VaultMode::kReadWrite}));
  EXPECT_EQ(*flag("."), (Vault{"/home/u", VaultMode::kReadOnly}));
  EXPECT_FALSE(flag(":rw"));
}

}  // namespace
}  // namespace belljar::request
