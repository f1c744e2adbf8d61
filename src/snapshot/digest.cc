#include "snapshot/digest.h"

#include <openssl/evp.h>

#include <cstdlib>

namespace belljar::snapshot {
namespace {

// SHA-256 of memory cannot fail but for want of memory, and then nothing else can go on either.
void Require(bool holds) {
  if (!holds) std::abort();
}

void Begin(EVP_MD_CTX* context) {
  // Looking the algorithm up costs more than hashing a small file.
  thread_local const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  Require(context != nullptr && algorithm != nullptr);
  Require(EVP_DigestInit_ex2(context, algorithm, nullptr) == 1);
}

}  // namespace

void Hasher::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Hasher::Hasher() : context_(EVP_MD_CTX_new()) { Begin(context_.get()); }

void Hasher::Add(std::string_view bytes) {
  Require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

Digest Hasher::Finish() {
  Digest digest;
  Require(EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr) == 1);
  Begin(context_.get());
  return digest;
}

Digest DigestOf(std::string_view bytes) {
  thread_local Hasher hasher;
  hasher.Add(bytes);
  return hasher.Finish();
}

std::string Hex(const Digest& digest) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(digest.size() * 2);
  for (const std::uint8_t byte : digest) {
    text.push_back(kDigits[byte >> 4]);
    text.push_back(kDigits[byte & 15]);
  }
  return text;
}

}  // namespace belljar::snapshot
