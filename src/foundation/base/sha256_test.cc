#include "foundation/base/sha256.h"

#include <gtest/gtest.h>

namespace belljar {
namespace {

// FIPS 180-2, appendix B.
constexpr const char* kAbc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
constexpr const char* kMillionAs =
    "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0";

TEST(Sha256, IsThatOfTheStandard) {
  EXPECT_EQ(Hex(Sha256::Of("abc")), kAbc);
  EXPECT_EQ(Hex(Sha256::Of("")),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Sha256, IsTheSameInOnePieceAndInMany) {
  EXPECT_EQ(Hex(Sha256::Of({"a", "", "bc"})), kAbc);
  Sha256 hasher;
  for (int i = 0; i < 1000; ++i) hasher.Add(std::string(1000, 'a'));
  EXPECT_EQ(Hex(hasher.Finish()), kMillionAs);
}

TEST(Sha256, BeginsAnotherDigestAfterEachFinish) {
  Sha256 hasher;
  hasher.Add("other");
  hasher.Finish();
  hasher.Add("abc");
  EXPECT_EQ(Hex(hasher.Finish()), kAbc);
}

}  // namespace
}  // namespace belljar
