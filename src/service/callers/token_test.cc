#include "service/callers/token.h"

#include <gtest/gtest.h>

#include "foundation/base/text.h"

namespace belljar::service::callers {
namespace {

TEST(Token, IsAPrefixAndThirtyTwoBytes) {
  const std::string token = *MakeToken();
  EXPECT_EQ(token.size(), 46U);
  EXPECT_TRUE(token.starts_with("bj_"));
  EXPECT_TRUE(LooksLikeToken(token));
  std::string letters = token.substr(3) + "=";
  for (char& c : letters) c = c == '-' ? '+' : c == '_' ? '/' : c;
  std::string bytes;
  ASSERT_TRUE(Base64Decode(letters, bytes));
  EXPECT_EQ(bytes.size(), 32U);
}

TEST(Token, IsNeverTheSameTwice) { EXPECT_NE(*MakeToken(), *MakeToken()); }

TEST(Token, IsKnownByItsForm) {
  const std::string good = "bj_" + std::string(43, 'A');
  EXPECT_TRUE(LooksLikeToken(good));
  for (const std::string& bad :
       {std::string(), std::string("bj_"), good + "A", good.substr(0, 45),
        "BJ_" + std::string(43, 'A'), "bj_" + std::string(42, 'A') + "+",
        "bj_" + std::string(42, 'A') + "=", "bj_" + std::string(42, 'A') + std::string(1, '\0')}) {
    EXPECT_FALSE(LooksLikeToken(bad)) << bad;
  }
}

// FIPS 180-2, appendix B.1.
TEST(Digest, IsSha256) {
  const Digest digest = Sha256::Of("abc");
  EXPECT_EQ(Base64Encode({reinterpret_cast<const char*>(digest.data()), digest.size()}),
            "ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=");
}

TEST(Digest, DiffersInAnyByte) {
  const Digest digest = Sha256::Of("abc");
  EXPECT_TRUE(SameDigest(digest, Sha256::Of("abc")));
  for (std::size_t i = 0; i < digest.size(); ++i) {
    Digest other = digest;
    other[i] ^= 1U;
    EXPECT_FALSE(SameDigest(digest, other)) << i;
  }
}

}  // namespace
}  // namespace belljar::service::callers
