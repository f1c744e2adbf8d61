#include "judgement/redaction/number.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

namespace belljar::judgement::redaction {
namespace {

constexpr std::size_t kBlockBytes = 64;
// The bits of a block whose neighbouring bytes, as far as needed, are in the block too.
constexpr std::size_t kUsedBits = 52;
constexpr std::uint64_t kUsedMask = ((std::uint64_t{1} << (kUsedBits + 1)) - 1) & ~std::uint64_t{1};

bool IsNumeral(char c) { return c >= '0' && c <= '9'; }
bool IsAlphanumeric(char c) {
  return IsNumeral(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

#ifdef __SSE2__
// A bitmask of the block's bytes in [first, last].
std::uint64_t MarkRange(const char* block, char first, char last) {
  std::uint64_t bits = 0;
  for (int place = 0; place < 64; place += 16) {
    const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(block + place));
    const __m128i above = _mm_cmpgt_epi8(bytes, _mm_set1_epi8(static_cast<char>(first - 1)));
    const __m128i below = _mm_cmplt_epi8(bytes, _mm_set1_epi8(static_cast<char>(last + 1)));
    const int mask = _mm_movemask_epi8(_mm_and_si128(above, below));
    bits |= static_cast<std::uint64_t>(static_cast<unsigned>(mask)) << place;
  }
  return bits;
}
#else
std::uint64_t MarkRange(const char* block, char first, char last) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < kBlockBytes; ++i) {
    if (block[i] >= first && block[i] <= last) bits |= std::uint64_t{1} << i;
  }
  return bits;
}
#endif

std::uint64_t Mark(const char* block, char c) { return MarkRange(block, c, c); }

// A bitmask of the bytes that have a mark at most `most` bytes after them.
std::uint64_t Before(std::uint64_t marks, int most) {
  std::uint64_t bits = 0;
  for (int distance = 1; distance <= most; ++distance) bits |= marks >> distance;
  return bits;
}

std::uint64_t CluesOf(Clue clue, const char* block) {
  if (clue == Clue::kColons) {
    const std::uint64_t colons = Mark(block, ':');
    return colons & ((colons >> 1) | Before(colons & Before(colons, 5), 5));
  }
  const std::uint64_t digits = MarkRange(block, '0', '9');
  if (clue == Clue::kCapitals) return digits & (MarkRange(block, 'A', 'Z') << 1) & (digits >> 1);
  if (clue == Clue::kSmall) {
    const std::uint64_t small = MarkRange(block, 'a', 'z');
    // The second byte before the first used bit is not in the block, so it is assumed to match; the
    // pattern is checked later.
    constexpr std::uint64_t kFirst = 2;
    return digits & (small << 1) & ((small << 2) | kFirst) & (digits >> 1);
  }
  const std::uint64_t dots = Mark(block, '.') & (digits << 1) & (digits >> 1);
  return dots & Before(dots, 4);
}

// Returns the block whose bit i is byte `at` - 1 + i of the text (bit 0 serves only as context).
// Points into the text if it has all those bytes; otherwise the block is copied to `copy` and
// padded with zeros.
const char* BlockAt(std::string_view text, std::size_t at, char* copy) {
  if (at > 0 && at - 1 + kBlockBytes <= text.size()) return text.data() + at - 1;
  const std::size_t skipped = at == 0 ? 1 : 0;
  const std::size_t first = at - 1 + skipped;
  std::memset(copy, 0, kBlockBytes);
  std::memcpy(copy + skipped, text.data() + first,
              std::min(kBlockBytes - skipped, text.size() - first));
  return copy;
}

// A bitmask of the bytes where a run of at least ten digits and separators begins; the byte before
// must not be part of the same run, except for a blank.
std::uint64_t Starts(const char* block) {
  const std::uint64_t d = MarkRange(block, '0', '9');
  const std::uint64_t blanks = Mark(block, ' '), closes = Mark(block, ')');
  const std::uint64_t joints = MarkRange(block, '-', '.');
  const std::uint64_t after = d << 1, before = d >> 1, twice_before = d >> 2;
  const std::uint64_t single = (blanks | joints | closes) & after & before;
  const std::uint64_t close_blank = closes & after & (blanks >> 1) & twice_before;
  const std::uint64_t blank_open = blanks & after & (Mark(block, '(') >> 1) & twice_before;
  const std::uint64_t pairs = close_blank | blank_open;
  const std::uint64_t run = d | single | pairs | (pairs << 1);
  std::uint64_t ten = run & (run >> 1);
  ten &= ten >> 2;
  ten &= ten >> 4;
  ten &= run >> 8;
  ten &= run >> 9;
  const std::uint64_t inside = (d | (single & joints)) << 1;
  return ten & d & ~inside & kUsedMask;
}

// How many bytes at the beginning of `text` match the shape, or 0.
std::size_t MatchShape(std::string_view text, std::string_view shape) {
  if (text.size() < shape.size()) return 0;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const char c = text[i];
    const bool fits = shape[i] == '9'   ? IsNumeral(c)
                      : shape[i] == '?' ? IsNumeral(c) || (c >= 'A' && c <= 'Z')
                                        : c == shape[i];
    if (!fits) return 0;
  }
  return shape.size();
}

// How many digits there are from `at` on, counted up to `most`.
std::size_t DigitsFrom(std::string_view text, std::size_t at, std::size_t most) {
  std::size_t count = 0;
  while (at + count < text.size() && count < most && IsNumeral(text[at + count])) ++count;
  return count;
}

std::size_t DigitsBefore(std::string_view text, std::size_t at) {
  std::size_t count = 0;
  while (count < at && count < kNumberBytes && IsNumeral(text[at - count - 1])) ++count;
  return count;
}

// Whether the number continues beyond `end`, as a longer word or as another column of a table.
bool GoesOn(std::string_view text, std::size_t begin, std::size_t end) {
  if (end < text.size() && (IsAlphanumeric(text[end]) || text[end] == '_')) return true;
  const bool joined = end + 1 < text.size() && (text[end] == '-' || text[end] == '.');
  if (joined && IsNumeral(text[end + 1])) return true;
  if (text.substr(begin, end - begin).find(' ') == std::string_view::npos) return false;
  const std::size_t last = DigitsBefore(text, end);
  if (end < text.size() && text[end] == ' ' && DigitsFrom(text, end + 1, last + 1) == last) {
    return true;
  }
  const std::size_t first = DigitsFrom(text, begin, end - begin);
  return first > 0 && begin > 0 && text[begin - 1] == ' ' && DigitsBefore(text, begin - 1) == first;
}

bool FollowsWord(std::string_view text, std::size_t begin) {
  if (begin == 0) return false;
  const char c = text[begin - 1];
  if (c == '_' || IsAlphanumeric(c)) return true;
  return (c == '.' || c == '-') && begin > 1 && IsAlphanumeric(text[begin - 2]);
}

// The end of the run of digits and separators, bounded by kNumberBytes.
std::size_t RunEnd(std::string_view text, std::size_t begin) {
  const std::size_t most = std::min(text.size(), begin + kNumberBytes - 4);
  std::size_t end = begin;
  while (end < most && (IsNumeral(text[end]) || std::strchr(" .-()", text[end]) != nullptr)) {
    if (text[end] == '\0') break;
    ++end;
  }
  while (end > begin && !IsNumeral(text[end - 1])) --end;
  return end;
}

// Matches `shape` at `begin` and applies the rule's check.
void TryShape(std::string_view text, std::size_t begin, const NumberShape& shape,
              std::vector<NumberMatch>& matches) {
  const bool plus = shape.shape == "+*";
  std::size_t size = plus ? RunEnd(text, begin + 1) - begin
                          : MatchShape(text.substr(begin, kNumberBytes), shape.shape);
  if (size == 0 || FollowsWord(text, begin)) return;
  const std::size_t end = begin + size;
  if (!plus && GoesOn(text, begin, end)) return;
  const int next = end < text.size() ? static_cast<unsigned char>(text[end]) : -1;
  size = shape.rule->check({text.substr(begin, size), {}, next});
  if (size > 0) matches.push_back({begin, begin + size, shape.order});
}

void TryShapes(std::string_view text, std::size_t start, const NumberShapes& shapes,
               std::vector<NumberMatch>& matches) {
  const char previous = start > 0 ? text[start - 1] : '\0';
  if (previous == '+' || previous == '(') {
    for (const NumberShape& shape : shapes.prefixed()) {
      if (shape.shape[0] == previous) TryShape(text, start - 1, shape, matches);
    }
  }
  for (const NumberShape& shape : shapes.OfDigits(DigitsFrom(text, start, kNumberBytes - 2))) {
    TryShape(text, start, shape, matches);
  }
}

}  // namespace

void NumberShapes::Add(const Rule& rule, std::size_t order) {
  empty_ = false;
  std::string_view rest = rule.pattern;
  while (!rest.empty()) {
    const std::string_view text = rest.substr(0, rest.find('|'));
    const NumberShape shape = {std::string(text), &rule, order};
    rest.remove_prefix(std::min(text.size() + 1, rest.size()));
    const std::size_t digits = std::min(text.find_first_not_of('9'), text.size());
    if (digits == 0) {
      prefixed_.push_back(shape);
      continue;
    }
    by_digits_[digits].push_back(shape);
    // A '?' in the shape may be a digit, too, so the shape is also indexed with one digit more.
    if (digits < text.size() && text[digits] == '?') by_digits_[digits + 1].push_back(shape);
  }
}

std::size_t OpenNumberStart(std::string_view text) {
  const std::size_t least = text.size() - std::min(text.size(), kNumberBytes);
  std::size_t start = text.size();
  std::size_t at = text.size();
  // A number may end in a letter, unless a dot or hyphen and a digit follow.
  const bool joint = at > least && (text[at - 1] == '.' || text[at - 1] == '-');
  const std::size_t letter = at - (joint ? 1 : 0);
  if (letter > least && text[letter - 1] >= 'A' && text[letter - 1] <= 'Z') at = letter - 1;
  while (at > least) {
    const char c = text[at - 1];
    const bool begins = IsNumeral(c) || c == '+' || c == '(';
    if (!begins && c != ' ' && c != '.' && c != '-' && c != ')') break;
    --at;
    if (begins) start = at;
  }
  // If the scan stopped at a digit, a plus sign or parenthesis before it belongs to the number.
  const bool prefixed = start > 0 && start < text.size() && IsNumeral(text[start]) &&
                        (text[start - 1] == '+' || text[start - 1] == '(');
  return prefixed ? start - 1 : start;
}

void FindClues(Clue clue, std::string_view text, std::size_t from, std::size_t to,
               std::vector<std::size_t>& found) {
  for (std::size_t at = from; at < to; at += kUsedBits) {
    char copy[kBlockBytes];
    std::uint64_t clues = CluesOf(clue, BlockAt(text, at, copy)) & kUsedMask;
    for (; clues != 0; clues &= clues - 1) {
      const std::size_t place = at - 1 + static_cast<std::size_t>(std::countr_zero(clues));
      if (place < to) found.push_back(place);
    }
  }
}

void FindNumbers(std::string_view text, std::size_t from, std::size_t to,
                 const NumberShapes& shapes, std::vector<NumberMatch>& matches) {
  for (std::size_t at = from; at < to; at += kUsedBits) {
    char copy[kBlockBytes];
    const char* const block = BlockAt(text, at, copy);
    for (std::uint64_t starts = Starts(block); starts != 0; starts &= starts - 1) {
      const std::size_t start = at - 1 + static_cast<std::size_t>(std::countr_zero(starts));
      if (start < to) TryShapes(text, start, shapes, matches);
    }
  }
}

}  // namespace belljar::judgement::redaction
