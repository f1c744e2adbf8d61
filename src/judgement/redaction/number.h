// Numbers: finds candidates that consist of digits and separators.
//
// Digits are frequent in ordinary output, and no letters precede a card or telephone number. With
// patterns for them Vectorscan's speed fell to a sixth. So they are found with SIMD comparisons of
// 64 bytes at a time: one bitmask of digits, one of separators between digits, and a closer look
// only where ten set bits stand in a row.
//
// A match depends only on the kNumberBytes from its start on and the one byte before.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "judgement/redaction/rule.h"

namespace belljar::judgement::redaction {

// Whether a number starts at an offset can be decided when this many bytes from it on are known.
constexpr std::size_t kNumberBytes = 48;

struct NumberShape {
  // 9: a digit, ?: a digit or an upper-case letter; "+*": a number after a plus sign
  std::string shape;
  const Rule* rule;
  std::size_t order;  // the rule's index in the table
};

// The shapes to look for, indexed by how they begin, because nearly all numbers match none of them
// and must be rejected quickly.
class NumberShapes {
 public:
  void Add(const Rule& rule, std::size_t order);
  bool empty() const { return empty_; }

  // The shapes that begin with exactly `count` digits.
  const std::vector<NumberShape>& OfDigits(std::size_t count) const {
    return by_digits_[count < by_digits_.size() ? count : 0];
  }
  // Shapes that begin with a plus sign or "(".
  const std::vector<NumberShape>& prefixed() const { return prefixed_; }

 private:
  std::array<std::vector<NumberShape>, 20> by_digits_;
  std::vector<NumberShape> prefixed_;
  bool empty_ = true;
};

struct NumberMatch {
  std::size_t begin, end;
  std::size_t order;
};

// The start of a number at the end of `text` that may still continue in the next bytes; text.size()
// if there is none. Never more than kNumberBytes before the end.
std::size_t OpenNumberStart(std::string_view text);

// Other kinds of anchors that are found 64 bytes at a time.
enum class Clue {
  kCapitals,  // a digit between an upper-case letter and a digit
  kSmall,     // a digit between two lower-case letters and a digit
  kDots,      // a dot between digits, with another dot soon after it
  kColons,    // two adjacent colons, or three colons close to each other
};
constexpr std::size_t kClueBytes = 11;  // the largest number of bytes that a clue depends on

// Appends the positions of the clues that begin in [from, to) of `text`.
void FindClues(Clue clue, std::string_view text, std::size_t from, std::size_t to,
               std::vector<std::size_t>& found);

// Appends the matches that start in [from, to) of `text`.
void FindNumbers(std::string_view text, std::size_t from, std::size_t to,
                 const NumberShapes& shapes, std::vector<NumberMatch>& matches);

}  // namespace belljar::judgement::redaction
