#include "service/callers/token.h"

#include <openssl/crypto.h>
#include <sys/random.h>

#include <algorithm>

#include "foundation/base/sys.h"
#include "foundation/base/text.h"

namespace belljar::service::callers {
namespace {

constexpr std::string_view kTokenPrefix = "bj_";
constexpr std::size_t kRandomBytes = 32;
constexpr std::size_t kTokenLetters = 43;  // 32 bytes in base64 without padding

bool IsBase64Url(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

}  // namespace

Result<std::string> MakeToken() {
  std::string random(kRandomBytes, '\0');
  // getrandom() never returns less than asked for up to 256 bytes.
  BJ_TRY(Check("getrandom", "for a token",
               [&] { return ::getrandom(random.data(), random.size(), 0); }));
  std::string letters = Base64Encode(random).substr(0, kTokenLetters);
  OPENSSL_cleanse(random.data(), random.size());
  std::replace(letters.begin(), letters.end(), '+', '-');
  std::replace(letters.begin(), letters.end(), '/', '_');
  return std::string(kTokenPrefix) + letters;
}

bool LooksLikeToken(std::string_view presented) {
  if (!presented.starts_with(kTokenPrefix)) return false;
  const std::string_view letters = presented.substr(kTokenPrefix.size());
  return letters.size() == kTokenLetters &&
         std::all_of(letters.begin(), letters.end(), IsBase64Url);
}

bool SameDigest(const Digest& a, const Digest& b) {
  return CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace belljar::service::callers
