// The values of the keyword "format" that are checked; a schema with another format is refused when
// it is parsed.
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
// The format of that name; null if there is none.
const Format* FindFormat(std::string_view name);

}  // namespace belljar::schema
