// Hashes of the log: SHA-256, and the leaf and node hashes of RFC 6962.
//
// A leaf is hashed with a 0x00 prefix and a node with a 0x01 prefix (domain separation), so that no
// entry can be made to look like a pair of hashes.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "foundation/base/sha256.h"

namespace belljar::record {

using Hash = Digest;

Hash LeafHash(std::string_view entry);
Hash NodeHash(const Hash& left, const Hash& right);

// `bytes` must be 32 bytes long.
Hash FromBytes(std::string_view bytes);

// A hash in base64, as in checkpoints and proofs. FromBase64 returns nullopt unless `text` is
// exactly one hash in canonical base64.
std::string ToBase64(const Hash& hash);
std::optional<Hash> FromBase64(std::string_view text);

}  // namespace belljar::record
