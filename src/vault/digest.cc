#include "vault/digest.h"

#include <openssl/evp.h>

#include <cstdlib>

namespace belljar::vault {
namespace {

// SHA-256 of memory cannot fail but for want of memory, and then nothing else can go on either.
void Insist(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

struct Hasher::State {
  EVP_MD_CTX* context = EVP_MD_CTX_new();
};

Hasher::Hasher() : state_(std::make_unique<State>()) {
  Insist(state_->context != nullptr &&
         EVP_DigestInit_ex2(state_->context, EVP_sha256(), nullptr) == 1);
}

Hasher::~Hasher() { EVP_MD_CTX_free(state_->context); }

void Hasher::Add(std::string_view bytes) {
  Insist(EVP_DigestUpdate(state_->context, bytes.data(), bytes.size()) == 1);
}

Digest Hasher::Finish() {
  Digest digest;
  Insist(EVP_DigestFinal_ex(state_->context, digest.data(), nullptr) == 1);
  return digest;
}

}  // namespace belljar::vault
