// Fingerprint: a short text that tells one content from another. 64 bits of FNV-1a: it notices
// change, and withstands nobody who wants two contents to look alike.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace belljar {

class Fingerprint {
 public:
  // Its length first, so that "ab" "c" is not "a" "bc".
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
