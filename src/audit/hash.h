// The log's hashes: SHA-256, and RFC 6962's two uses of it.
//
// A leaf is hashed behind a 0x00 byte and a node behind a 0x01 byte, so that no entry can be made
// to look like a pair of hashes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/sha256.h"

namespace belljar::audit {

using Hash = Digest;

Hash LeafHash(std::string_view entry);
Hash NodeHash(const Hash& left, const Hash& right);

// `bytes` must be 32 bytes long.
Hash FromBytes(std::string_view bytes);

// A hash in base64, as in checkpoints and proofs. Nothing unless it is exactly one hash in the one
// spelling that encoding it gives.
std::string ToBase64(const Hash& hash);
std::optional<Hash> FromBase64(std::string_view text);

}  // namespace belljar::audit
