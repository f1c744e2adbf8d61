#include "audit/hash.h"

#include <openssl/evp.h>

#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>

#include "base/text.h"

namespace belljar::audit {
namespace {

struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};

// Aborts if OpenSSL fails: hashing in memory fails only when memory runs out.
void Require(bool holds) {
  if (!holds) std::abort();
}

Hash HashParts(std::initializer_list<std::string_view> parts) {
  // One context per thread, because creating one costs more than hashing an entry.
  thread_local const std::unique_ptr<EVP_MD_CTX, FreeContext> context(EVP_MD_CTX_new());
  thread_local const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  Require(context != nullptr && algorithm != nullptr);
  Require(EVP_DigestInit_ex2(context.get(), algorithm, nullptr) == 1);
  for (const std::string_view part : parts) {
    Require(EVP_DigestUpdate(context.get(), part.data(), part.size()) == 1);
  }
  Hash hash;
  Require(EVP_DigestFinal_ex(context.get(), hash.data(), nullptr) == 1);
  return hash;
}

}  // namespace

Hash Sha256(std::string_view bytes) { return HashParts({bytes}); }

Hash LeafHash(std::string_view entry) { return HashParts({std::string_view("\0", 1), entry}); }

Hash NodeHash(const Hash& left, const Hash& right) {
  return HashParts({"\x01", Bytes(left), Bytes(right)});
}

Hash FromBytes(std::string_view bytes) {
  Hash hash;
  Require(bytes.size() == hash.size());
  std::memcpy(hash.data(), bytes.data(), hash.size());
  return hash;
}

std::string Hex(std::string_view bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(bytes.size() * 2);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    text += kDigits[byte >> 4U];
    text += kDigits[byte & 15U];
  }
  return text;
}

std::string ToBase64(const Hash& hash) { return Base64Encode(Bytes(hash)); }

std::optional<Hash> FromBase64(std::string_view text) {
  std::string bytes;
  if (text.size() != 44 || !Base64Decode(text, bytes) || bytes.size() != sizeof(Hash)) return {};
  if (Base64Encode(bytes) != text) return {};
  return FromBytes(bytes);
}

}  // namespace belljar::audit
