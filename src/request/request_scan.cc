#include "request/request_scan.h"

#include <algorithm>
#include <boost/json/basic_parser_impl.hpp>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "foundation/base/quote.h"
#include "request/request.h"

namespace belljar::request {
namespace {

using boost::json::string_view;
using boost::system::error_code;

// The event handler for Boost.JSON's parser, which requires the lower-case names.
class Events {
 public:
  static constexpr std::size_t max_array_size = SIZE_MAX;
  static constexpr std::size_t max_object_size = SIZE_MAX;
  static constexpr std::size_t max_string_size = SIZE_MAX;
  static constexpr std::size_t max_key_size = SIZE_MAX;

  bool on_document_begin(error_code&) { return true; }
  bool on_document_end(error_code&) { return true; }
  bool on_object_begin(error_code&) { return Enter(); }
  bool on_object_end(std::size_t, error_code&) { return Leave(); }
  bool on_array_begin(error_code&) { return Enter(); }
  bool on_array_end(std::size_t, error_code&) { return Leave(); }
  bool on_key_part(string_view part, std::size_t, error_code&) {
    key_.append(part.data(), part.size());
    return true;
  }
  bool on_key(string_view rest, std::size_t, error_code& ec) {
    key_.append(rest.data(), rest.size());
    return KeyDone(std::exchange(key_, {}), ec);
  }
  bool on_string_part(string_view part, std::size_t, error_code&) {
    if (InId()) AppendToId(part);
    return true;
  }
  bool on_string(string_view rest, std::size_t, error_code&) {
    if (!InId()) return true;
    AppendToId(rest);
    id_complete_ = true;
    return true;
  }
  bool on_number_part(string_view, error_code&) { return true; }
  bool on_int64(std::int64_t number, string_view, error_code&) { return Number(number); }
  bool on_uint64(std::uint64_t number, string_view, error_code&) { return Number(number); }
  bool on_double(double, string_view, error_code&) { return true; }
  bool on_bool(bool, error_code&) { return true; }
  bool on_null(error_code&) { return true; }
  bool on_comment_part(string_view, error_code&) { return true; }
  bool on_comment(string_view, error_code&) { return true; }

  RequestScan Finish() const {
    RequestScan scan = scan_;
    const bool usable = id_complete_ && id_keys_ == 1 && id_.size() <= kMaxIdBytes &&
                        FindControl(id_) == std::string_view::npos;
    if (usable) scan.id = id_;
    scan.numeric_id = usable && numeric_id_;
    return scan;
  }

 private:
  bool Enter() {
    levels_.emplace_back();
    return true;
  }
  bool Leave() {
    levels_.pop_back();
    return true;
  }
  bool KeyDone(std::string key, error_code& ec) {
    if (levels_.size() == 1) {
      at_id_ = key == "id";
      if (at_id_) ++id_keys_;
    }
    const auto [place, is_new] = levels_.back().insert(std::move(key));
    if (!is_new && !scan_.duplicate_key) scan_.duplicate_key = *place;
    scan_.too_many_keys = levels_.back().size() > kMaxObjectKeys;
    if (scan_.too_many_keys) ec = boost::json::error::object_too_large;
    return !scan_.too_many_keys;
  }
  template <class T>
  bool Number(T number) {
    if (!InId()) return true;
    id_ = std::to_string(number);
    id_complete_ = numeric_id_ = true;
    return true;
  }
  bool InId() const { return at_id_ && levels_.size() == 1; }
  // One byte more than allowed is kept, which shows that the id is too long.
  void AppendToId(string_view part) {
    if (id_.size() > kMaxIdBytes) return;
    id_.append(part.data(), std::min(part.size(), kMaxIdBytes + 1));
  }

  RequestScan scan_;
  std::vector<std::set<std::string>> levels_;  // the keys of each open object; empty for arrays
  std::string key_;
  std::string id_;
  int id_keys_ = 0;
  bool at_id_ = false;
  bool id_complete_ = false;
  bool numeric_id_ = false;
};

}  // namespace

RequestScan ScanRequest(std::string_view json_text) {
  boost::json::parse_options options;
  options.max_depth = 64;  // the same as in ParseJson
  boost::json::basic_parser<Events> parser(options);
  error_code ignored;  // ParseJson reports errors of the text
  constexpr bool kNoMoreToCome = false;
  const std::string_view text = json_text.substr(0, kMaxLineBytes);
  parser.write_some(kNoMoreToCome, text.data(), text.size(), ignored);
  return parser.handler().Finish();
}

}  // namespace belljar::request
