#include "record/hash.h"

#include <cstdlib>
#include <cstring>

namespace belljar::record {

Hash LeafHash(std::string_view entry) { return Sha256::Of({std::string_view("\0", 1), entry}); }

Hash NodeHash(const Hash& left, const Hash& right) {
  return Sha256::Of({"\x01", Bytes(left), Bytes(right)});
}

Hash FromBytes(std::string_view bytes) {
  Hash hash;
  if (bytes.size() != hash.size()) std::abort();
  std::memcpy(hash.data(), bytes.data(), hash.size());
  return hash;
}

std::string ToBase64(const Hash& hash) { return Base64Encode(Bytes(hash)); }

std::optional<Hash> FromBase64(std::string_view text) {
  std::string bytes;
  if (text.size() != 44 || !Base64Decode(text, bytes) || bytes.size() != sizeof(Hash)) return {};
  if (Base64Encode(bytes) != text) return {};
  return FromBytes(bytes);
}

}  // namespace belljar::record
