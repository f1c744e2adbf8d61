// Pattern: a regular expression of a schema, matched in linear time.
//
// Schemas write them as JavaScript does (ECMA-262, Unicode). They are put into RE2's way of
// writing, which has no backtracking and so no input that takes exponential time or overflows the
// stack. What only backtracking can do (looking around, back references) is refused by name, as is
// every escape that RE2 would take to mean something else.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"

namespace re2 {
class RE2;
}

namespace belljar::schema {

class Pattern {
 public:
  static Result<Pattern> Create(std::string_view ecma);
  Pattern(Pattern&&) noexcept;
  Pattern& operator=(Pattern&&) noexcept;
  ~Pattern();

  // Whether it is found anywhere in `text`, which is UTF-8.
  bool Finds(std::string_view text) const;
  // As it was written.
  const std::string& text() const { return text_; }
  // What looking through that many bytes may cost, in steps of a check.
  std::size_t CostOf(std::size_t bytes) const;

 private:
  Pattern(std::string text, std::unique_ptr<re2::RE2> compiled);
  std::string text_;
  std::unique_ptr<re2::RE2> compiled_;
};

}  // namespace belljar::schema
