// Tokens: what a caller shows to be known.
//
// A token is "bj_" and 32 random bytes in base64url, 46 characters in all. It is shown once, when
// it is made; only its SHA-256 digest is kept, so that a stolen database opens nothing. A plain
// digest is enough: slow, salted hashes protect secrets that can be guessed, and nobody guesses 256
// random bits, while a slow one would cost every request its time.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "base/sha256.h"

namespace belljar::callers {

Result<std::string> MakeToken();

// By its form alone; what is not shaped like a token is not worth a digest.
bool LooksLikeToken(std::string_view presented);

// Takes the same time wherever they differ.
bool SameDigest(const Digest& a, const Digest& b);

}  // namespace belljar::callers
