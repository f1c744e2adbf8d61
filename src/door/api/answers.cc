#include "door/api/answers.h"

#include <fmt/format.h>

#include <cerrno>

#include "foundation/base/quote.h"
#include "request/request_scan.h"

namespace belljar::door::api {

http::server::Response JsonAnswer(const json::value& value, unsigned status) {
  http::server::Response response;
  response.status = status;
  response.body = json::serialize(value) + "\n";
  return response;
}

Error ForCaller(const Error& error) {
  switch (error.sys()) {
    case EMFILE:
    case ENFILE:
    case EAGAIN:
    case ENOMEM:
    case EROFS:
    case EPERM:
    case EIO:
      return Error(Kind::kUnavailable, error.message(), error.sys());
    default:
      return error;
  }
}

Result<json::object> ParseBody(std::string_view body) {
  json::value value = BJ_TRY(ParseJson(body.empty() ? "{}" : body));
  if (!value.is_object()) return Error(Kind::kInvalid, "the body must be a JSON object");
  return std::move(value.get_object());
}

Result<json::object> ParseStrictBody(std::string_view body) {
  const auto twice = request::ScanRequest(body).duplicate_key;
  if (twice) {
    return Error(Kind::kInvalid, fmt::format("the key {} is given twice", Quote(*twice)));
  }
  return ParseBody(body);
}

}  // namespace belljar::door::api
