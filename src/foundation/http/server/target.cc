#include "foundation/http/server/target.h"

#include <algorithm>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>

#include "foundation/base/text.h"

namespace belljar::http::server {
namespace {

namespace urls = boost::urls;

bool HoldsControl(std::string_view text) {
  return std::any_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; });
}

Result<> CheckText(std::string_view text, std::string_view what) {
  if (!IsValidUtf8(text)) return Error(Kind::kInvalid, std::string(what) + " is not UTF-8");
  if (HoldsControl(text)) {
    return Error(Kind::kInvalid, std::string(what) + " holds a control character");
  }
  return {};
}

Result<> CheckSegment(std::string_view segment) {
  BJ_TRY(CheckText(segment, "the path"));
  if (segment.empty()) return Error(Kind::kInvalid, "the path holds an empty segment");
  if (segment == "." || segment == "..") {
    return Error(Kind::kInvalid, "the path holds \"" + std::string(segment) + "\"");
  }
  if (segment.find('/') != std::string_view::npos) {
    return Error(Kind::kInvalid, "the path holds an encoded \"/\"");
  }
  return {};
}

Result<> ReadPath(const urls::url_view& url, Target& target) {
  for (const auto& encoded : url.encoded_segments()) {
    target.segments.push_back(encoded.decode());
    if (target.segments.size() > kMostSegments) {
      return Error(Kind::kInvalid, "the path has too many segments");
    }
  }
  if (!target.segments.empty() && target.segments.back().empty()) target.segments.pop_back();
  for (const std::string& segment : target.segments) {
    BJ_TRY(CheckSegment(segment));
    target.path += "/" + segment;
  }
  if (target.path.empty()) target.path = "/";
  return {};
}

Result<> ReadQuery(const urls::url_view& url, Target& target) {
  if (!url.has_query() || url.encoded_query().empty()) return {};
  urls::encoding_opts as_forms;
  as_forms.space_as_plus = true;
  for (const auto& parameter : url.encoded_params()) {
    std::string key = parameter.key.decode(as_forms);
    std::string value = parameter.value.decode(as_forms);
    BJ_TRY(CheckText(key, "the query"));
    // Values may have several lines, but no NUL.
    if (!IsValidUtf8(value) || value.find('\0') != std::string::npos) {
      return Error(Kind::kInvalid, "the query's \"" + key + "\" is not text");
    }
    target.query.emplace(std::move(key), std::move(value));
    if (target.query.size() > kMostQueryParameters) {
      return Error(Kind::kInvalid, "the query has too many parameters");
    }
  }
  return {};
}

}  // namespace

Result<Target> ParseTarget(std::string_view text) {
  if (!text.starts_with('/'))
    return Error(Kind::kInvalid, "the request's target must begin with /");
  const auto url = urls::parse_origin_form({text.data(), text.size()});
  if (!url) {
    return Error(Kind::kInvalid,
                 "the request's target is not a URL path: " + url.error().message());
  }
  Target target;
  BJ_TRY(ReadPath(*url, target));
  BJ_TRY(ReadQuery(*url, target));
  return target;
}

}  // namespace belljar::http::server
