// Fingerprint: a 64-bit FNV-1a hash, as text, that tells one content from another. It detects
// accidental change; it is not a cryptographic hash and does not resist deliberate collisions.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace belljar {

class Fingerprint {
 public:
  // Hashes the length before the bytes, so that "ab","c" differs from "a","bc".
  void Add(std::string_view text) {
    Add(text.size());
    for (const char c : text) AddByte(static_cast<unsigned char>(c));
  }
  void Add(std::uint64_t number) {
    for (int shift = 0; shift < 64; shift += 8) {
      AddByte(static_cast<unsigned char>(number >> shift));
    }
  }
  std::string Text() const { return fmt::format("{:016x}", hash_); }

 private:
  void AddByte(unsigned char byte) { hash_ = (hash_ ^ byte) * 0x100000001b3U; }

  std::uint64_t hash_ = 0xcbf29ce484222325U;
};

}  // namespace belljar
