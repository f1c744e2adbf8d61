// Pattern: a regular expression of a schema, matched in linear time.
//
// Schemas use JavaScript's syntax (ECMA-262, Unicode). It is translated to RE2's syntax; RE2 does
// not backtrack, so no input takes exponential time or overflows the stack. Features that need
// backtracking (lookaround, back references) are refused by name, as is every escape that RE2 would
// interpret differently.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

#include "foundation/base/result.h"

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

  // Whether the pattern matches anywhere in `text`, which is UTF-8.
  bool Finds(std::string_view text) const;
  // The pattern as the schema spells it.
  const std::string& text() const { return text_; }
  // The cost of searching `bytes` bytes, in steps of a check (checker.h).
  std::size_t CostOf(std::size_t bytes) const;

 private:
  Pattern(std::string text, std::unique_ptr<re2::RE2> compiled);
  std::string text_;
  std::unique_ptr<re2::RE2> compiled_;
};

}  // namespace belljar::schema
