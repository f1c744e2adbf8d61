// The log's hashes: SHA-256, and RFC 6962's two uses of it.
//
// A leaf is hashed behind a 0x00 byte and a node behind a 0x01 byte, so that no entry can be made
// to look like a pair of hashes.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace belljar::audit {

using Hash = std::array<std::uint8_t, 32>;

Hash Sha256(std::string_view bytes);
Hash LeafHash(std::string_view entry);
Hash NodeHash(const Hash& left, const Hash& right);

// The bytes of a hash, as they lie in a tile.
inline std::string_view Bytes(const Hash& hash) {
  return {reinterpret_cast<const char*>(hash.data()), hash.size()};
}
// `bytes` must be 32 bytes long.
Hash FromBytes(std::string_view bytes);

std::string Hex(std::string_view bytes);

// A hash in base64, as in checkpoints and proofs. Nothing unless it is exactly one hash in the one
// spelling that encoding it gives.
std::string ToBase64(const Hash& hash);
std::optional<Hash> FromBase64(std::string_view text);

}  // namespace belljar::audit
