// Tokens: the bearer tokens that authenticate callers.
//
// A token is "bj_" and 32 random bytes in base64url, 46 characters in all. It is shown once, when
// it is made. Only its SHA-256 digest is stored, so a stolen database contains no usable token. A
// plain digest is sufficient: slow, salted hashes protect secrets that can be guessed, which 256
// random bits cannot be, and a slow hash would add its time to every request.
#pragma once

#include <string>
#include <string_view>

#include "foundation/base/result.h"
#include "foundation/base/sha256.h"

namespace belljar::service::callers {

Result<std::string> MakeToken();

// A check of the form only, which saves computing digests of other texts.
bool LooksLikeToken(std::string_view presented);

// Compares in constant time.
bool SameDigest(const Digest& a, const Digest& b);

}  // namespace belljar::service::callers
