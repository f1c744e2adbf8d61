// JSON values as a schema sees them: types, equality, and the names of places.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace belljar::schema {

// "a string", "null".
std::string_view TypeOf(const json::value& value);
// 1 and 1.0 are both whole.
bool IsWhole(const json::value& value);
// Wide enough for every number of 64 bits.
long double NumberOf(const json::value& value);

// Equal values have equal texts: numbers by their value, members in the order of their names.
std::string CanonicalText(const json::value& value);

// A text in one line, without anything that a terminal acts on.
std::string OneLine(std::string_view text);
// A name as it is shown: in quotes, cut to a line's length.
std::string Shown(std::string_view name);
// The same of a value.
std::string ShownValue(const json::value& value);

// Where in a value the check is; lives on the stack of the check.
struct Place {
  const Place* above = nullptr;
  std::string_view member;  // of an object, unless it is an item
  std::size_t item = 0;
  bool is_item = false;
};

// ".items[2].age".
std::string PathTo(const Place& place);

}  // namespace belljar::schema
