// Pattern: the shape of a secret, as a sequence of character classes with counts.
//
// A pattern is written like a small regular expression, but is matched greedily in one pass without
// backtracking. That needs only one counter per candidate, so a candidate can pause at the end of
// the available bytes and resume later, which makes the result independent of how the bytes arrive.
// A general automaton could express more, but would need a set of states per candidate for formats
// that are all of this simple kind.
//
//   abc  \.  [A-Z0-9_]  [^\s"]     bytes and classes; \n \r \t \s (blank or tab) \d \w \0 \e
//   {n} {n,m} {n,} ? * +           counts of the item before
//   (?:a|b)  (?:a|b)?              alternatives: each is expanded to a sequence of its own
//   (...)                          the part to redact, when it is not the whole match
//   %x %X                          hexadecimal in lower case, in both cases
//   %d %w %U                       digits, letters and digits, upper-case letters and digits
//   %u %6                          base64url, base64
//   %i                             a UUID
//   %=                             from a name to its value: rest of the name, quotes, `:` or `=`
//   %q                             the same, with at least one quote before the value
//   %~                             the same, but a blank is enough
//   %!                             the same, but the name is complete
//
// Vectorscan looks for the anchor: the longest useful prefix of fixed length. An item of variable
// length at the very beginning is the lead: it is matched backwards from the anchor.
#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/result.h"

namespace belljar::judgement::redaction {

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
  std::uint32_t most = 1;  // kOpen: no upper limit
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

// The longest match of an item of variable length that is not the first or last item.
constexpr std::uint32_t kMaxInnerBytes = 16 << 10;
// A last item without an upper limit is checked after this many bytes; the rest is redacted as it
// arrives.
constexpr std::uint32_t kJudgedBytes = 4096;
// How many bytes back a candidate can begin whose anchor is not complete yet.
constexpr std::size_t kMaxUnanchoredBytes = 80;

enum class Case { kExact, kAny };

// Parses a pattern into the sequences it expands to, with their anchors.
Result<std::vector<Sequence>> ParsePattern(std::string_view pattern, Case letter_case);

// Whether a secret can begin with this byte, for patterns that are redacted from their beginning
// on.
constexpr bool IsFirstByte(unsigned char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         c == '~';
}

// The bytes that can occur in the first kMaxUnanchoredBytes of a secret, before its anchor is
// complete.
const ByteSet& TokenBytes();

}  // namespace belljar::judgement::redaction
