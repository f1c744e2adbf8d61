#include "foundation/base/sha256.h"

#include <openssl/evp.h>

#include <cstdlib>

namespace belljar {
namespace {

void Require(bool holds) {
  if (!holds) std::abort();
}

// To find the algorithm by its name takes longer than to hash a short text.
const EVP_MD* Algorithm() {
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  return algorithm;
}

void Begin(EVP_MD_CTX* context) {
  Require(context != nullptr && Algorithm() != nullptr);
  Require(EVP_DigestInit_ex2(context, Algorithm(), nullptr) == 1);
}

}  // namespace

void Sha256::Free::operator()(evp_md_ctx_st* context) const { EVP_MD_CTX_free(context); }

Sha256::Sha256() : context_(EVP_MD_CTX_new()) { Begin(context_.get()); }

void Sha256::Add(std::string_view bytes) {
  Require(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size()) == 1);
}

Digest Sha256::Finish() {
  Digest digest;
  Require(EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr) == 1);
  Begin(context_.get());
  return digest;
}

Digest Sha256::Of(std::initializer_list<std::string_view> parts) {
  thread_local Sha256 hasher;
  for (const std::string_view part : parts) hasher.Add(part);
  return hasher.Finish();
}

}  // namespace belljar
