// Pattern: the shape of a secret, as a sequence of character classes with counts.
//
// A pattern is written like a small regular expression, but it is matched from its start in one
// pass, without going back: each item takes as many bytes as it can. That needs one counter per
// candidate, so a candidate can wait for the next bytes of its stream and go on, which is what
// makes the outcome independent of how the bytes arrive. A general automaton could do more, and
// would need a set of states per candidate for formats that are all of this simple kind.
//
//   abc  \.  [A-Z0-9_]  [^\s"]     bytes and classes; \n \r \t \s (blank or tab) \d \w \0 \e
//   {n} {n,m} {n,} ? * +           counts of the item before
//   (?:a|b)  (?:a|b)?              alternatives: each becomes a sequence of its own
//   (...)                          what is redacted, when it is not the whole match
//   %x %X %d %w %U %u %6           hex, hex of both cases, digits, alphanumeric, that in capitals,
//                                  base64url, base64
//   %i                             a UUID
//   %=                             from a name to its value: the rest of the name, quotes, `:` or
//   `=` %q                             the same, with at least one quote before the value
//   %~                             the same, but a blank is enough
//   %!                             the same, but the name is complete
//
// Vectorscan looks for the anchor: the longest useful beginning of known length. An item of unknown
// length at the very beginning is the lead: it is walked back over from the anchor.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace belljar::redact {

class ByteSet {
 public:
  constexpr void Add(unsigned char byte) { words_[byte >> 6] |= std::uint64_t{1} << (byte & 63); }
  constexpr bool Has(unsigned char byte) const {
    return ((words_[byte >> 6] >> (byte & 63)) & 1) != 0;
  }
  constexpr void Invert() {
    for (std::uint64_t& word : words_) word = ~word;
  }
  ByteSet WithBothCases() const;
  bool Within(const ByteSet& other) const;
  int Count() const;
  void Add(const ByteSet& other);
  auto operator<=>(const ByteSet&) const = default;

 private:
  std::array<std::uint64_t, 4> words_{};
};

constexpr std::uint32_t kOpen = std::numeric_limits<std::uint32_t>::max();

struct Item {
  ByteSet set;
  std::uint32_t least = 1;
  std::uint32_t most = 1;  // kOpen: no limit written
  auto operator<=>(const Item&) const = default;
};

struct Sequence {
  std::vector<Item> items;
  std::size_t secret_first = 0;  // items [secret_first, secret_last) are redacted
  std::size_t secret_last = 0;

  // Derived: whether items[0] is a lead, the anchor after it, and how many bytes that has.
  bool has_lead = false;
  std::vector<Item> anchor;
  std::uint32_t anchor_bytes = 0;
};

// An anchor as a regular expression for Vectorscan.
std::string AnchorText(const std::vector<Item>& anchor);

// Where the first item of unknown length stands between others, it can be this long.
constexpr std::uint32_t kMaxInnerBytes = 16 << 10;
// An open last item is judged after this many bytes; the rest is redacted as it comes.
constexpr std::uint32_t kJudgedBytes = 4096;
// A candidate that is not yet known by its anchor began at most this long ago.
constexpr std::size_t kMaxUnanchoredBytes = 80;

enum class Case { kExact, kAny };

// Every sequence a pattern stands for, with its anchor.
Result<std::vector<Sequence>> ParsePattern(std::string_view pattern, Case letter_case);

// Whether a secret can begin with it, when it is redacted from its pattern's beginning on.
constexpr bool IsFirstByte(unsigned char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '~';
}

// The bytes of which a secret's first kMaxUnanchoredBytes can consist, before its anchor is seen.
const ByteSet& TokenBytes();

}  // namespace belljar::redact
