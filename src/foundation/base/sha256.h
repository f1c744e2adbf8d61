// SHA-256: the only digest by which Belljar names content.
//
// A Sha256 hashes what passes by, piece after piece; Of() hashes what is in memory, with a context
// that each thread keeps, since making one costs more than hashing a short text. Running out of
// memory is the only way for either to fail, and ends the process.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>

#include "foundation/base/text.h"

struct evp_md_ctx_st;

namespace belljar {

using Digest = std::array<std::uint8_t, 32>;

class Sha256 {
 public:
  Sha256();
  void Add(std::string_view bytes);
  // Ends this digest; the next Add() begins another.
  Digest Finish();

  static Digest Of(std::string_view bytes) { return Of({bytes}); }
  // The parts, one after another.
  static Digest Of(std::initializer_list<std::string_view> parts);

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

inline std::string_view Bytes(const Digest& digest) {
  return {reinterpret_cast<const char*>(digest.data()), digest.size()};
}

// In lower-case digits, as sha256sum prints it.
inline std::string Hex(const Digest& digest) { return Hex(Bytes(digest)); }

// For hash tables: a digest is evenly spread already.
struct DigestHash {
  std::size_t operator()(const Digest& digest) const {
    std::size_t start = 0;
    std::memcpy(&start, digest.data(), sizeof(start));
    return start;
  }
};

}  // namespace belljar
