#include "foundation/base/json.h"

#include <algorithm>
#include <cmath>

namespace belljar {

namespace {

// Boost.JSON parses a number beyond a double's range as infinity, which JSON cannot express: such a
// value could not be serialised again.
bool IsFinite(const json::value& value) {
  if (const double* const number = value.if_double()) return std::isfinite(*number);
  if (const json::array* const array = value.if_array()) {
    return std::ranges::all_of(*array, IsFinite);
  }
  const json::object* const object = value.if_object();
  return object == nullptr ||
         std::ranges::all_of(*object, [](const auto& member) { return IsFinite(member.value()); });
}

}  // namespace

Result<json::value> ParseJson(std::string_view text, std::size_t max_depth, Numbers numbers) {
  json::parse_options options;
  options.max_depth = max_depth;
  json::stream_parser parser({}, options);
  boost::system::error_code ec;
  const std::size_t used = parser.write_some(text.data(), text.size(), ec);
  const bool blank_rest = text.find_first_not_of(" \t\r\n", used) == std::string_view::npos;
  if (!ec && blank_rest) parser.finish(ec);
  if (ec || !blank_rest) {
    return Error(Kind::kInvalid, "malformed JSON at byte " + std::to_string(used) + ": " +
                                     (ec ? ec.message() : "text after the value"));
  }
  json::value value = parser.release();
  if (numbers == Numbers::kFinite && !IsFinite(value)) {
    return Error(Kind::kInvalid, "a number in it is too large for JSON readers");
  }
  return value;
}

}  // namespace belljar
