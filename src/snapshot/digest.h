// SHA-256, piece by piece: what names a blob and a manifest.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>

struct evp_md_ctx_st;

namespace belljar::snapshot {

using Digest = std::array<std::uint8_t, 32>;

// A digest is evenly spread already.
struct DigestHash {
  std::size_t operator()(const Digest& digest) const {
    std::size_t start = 0;
    std::memcpy(&start, digest.data(), sizeof(start));
    return start;
  }
};

class Hasher {
 public:
  Hasher();
  void Add(std::string_view bytes);
  // Ends this digest; the next Add() begins another.
  Digest Finish();

 private:
  struct Free {
    void operator()(evp_md_ctx_st* context) const;
  };
  std::unique_ptr<evp_md_ctx_st, Free> context_;
};

Digest DigestOf(std::string_view bytes);
std::string Hex(const Digest& digest);

}  // namespace belljar::snapshot
