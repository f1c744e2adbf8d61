// JSON values as the validator sees them: types, equality, and paths.
#pragma once

#include <string>
#include <string_view>

#include "foundation/base/json.h"

namespace belljar::schema {

// The type with its article: "a string", "null".
std::string_view TypeOf(const json::value& value);
// Whether the number is an integer; 1 and 1.0 both are.
bool IsWhole(const json::value& value);
// A long double represents every 64-bit integer exactly.
long double NumberOf(const json::value& value);

// A text that is equal for equal values: numbers are normalised, members are sorted by name.
std::string CanonicalText(const json::value& value);

// The text as one line, with characters that a terminal would act on escaped.
std::string OneLine(std::string_view text);
// A name for a message: in quotes, cut to a line's length.
std::string Shown(std::string_view name);
// A value for a message: as one line, cut to a line's length.
std::string ShownValue(const json::value& value);

// The current position of a check inside the value, as a linked list on the stack.
struct Place {
  const Place* above = nullptr;
  std::string_view member;  // the member's name, if is_item is false
  std::size_t item = 0;
  bool is_item = false;
};

// The path as text, such as ".items[2].age".
std::string PathTo(const Place& place);

}  // namespace belljar::schema
