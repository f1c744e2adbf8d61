// The values of "format" that are checked; others are refused where the schema is read.
#pragma once

#include <span>
#include <string_view>

namespace belljar::schema {

struct Format {
  std::string_view name;    // "date-time"
  std::string_view phrase;  // "a date and time such as ..."
  bool (*fits)(std::string_view text);
};

std::span<const Format> Formats();
// Null: there is none of that name.
const Format* FindFormat(std::string_view name);

}  // namespace belljar::schema
