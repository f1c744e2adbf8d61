// Numbers: candidates that are made of digits and separators.
//
// Digits are everywhere in ordinary output, and no letters announce a card or a telephone number.
// With an automaton for them Vectorscan's speed fell to a sixth. So they are found by looking at 64
// bytes at a time: a bit for each digit, a bit for each separator between digits, and then only
// where ten such bits stand in a row.
//
// Everything is decided by the bytes from a start on, within kNumberBytes, and the one before it.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "redact/rule.h"

namespace belljar::redact {

// A start is decided when this many bytes are known from it on.
constexpr std::size_t kNumberBytes = 48;

struct NumberShape {
  std::string shape;  // 9: a digit, ?: a digit or a capital; "+*": what follows a plus
  const Rule* rule;
  std::size_t order;  // of the rule in the table
};

// The shapes to look for, by how they begin: nearly all numbers are none of them, and are to cost
// little.
class NumberShapes {
 public:
  void Add(const Rule& rule, std::size_t order);
  bool empty() const { return empty_; }

  // Those that begin with so many digits and no more.
  const std::vector<NumberShape>& OfDigits(std::size_t count) const {
    return by_digits_[count < by_digits_.size() ? count : 0];
  }
  const std::vector<NumberShape>& prefixed() const { return prefixed_; }  // by a plus or "("

 private:
  std::array<std::vector<NumberShape>, 20> by_digits_;
  std::vector<NumberShape> prefixed_;
  bool empty_ = true;
};

struct NumberMatch {
  std::size_t begin, end;
  std::size_t order;
};

// Where a number that may still grow begins, in the bytes up to the end of `text`; its size if
// nowhere. Never more than kNumberBytes before the end.
std::size_t OpenNumberStart(std::string_view text);

// Other things to be seen in 64 bytes at a time.
enum class Clue {
  kCapitals,  // a digit between a capital and a digit
  kSmall,     // a digit between two small letters and a digit
  kDots,      // a dot between digits, with another not far behind it
  kColons,    // two colons side by side, or three that are not far from each other
};
constexpr std::size_t kClueBytes = 11;  // it is seen by so many bytes

// Adds where, in [from, to) of `text`, such a clue begins.
void FindClues(Clue clue, std::string_view text, std::size_t from, std::size_t to,
               std::vector<std::size_t>& found);

// Adds the matches that start in [from, to) of `text`.
void FindNumbers(std::string_view text, std::size_t from, std::size_t to,
                 const NumberShapes& shapes, std::vector<NumberMatch>& matches);

}  // namespace belljar::redact
