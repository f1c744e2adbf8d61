#include "base/json.h"

namespace belljar {

Result<json::value> ParseJson(std::string_view text, std::size_t max_depth) {
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
  return parser.release();
}

}  // namespace belljar
