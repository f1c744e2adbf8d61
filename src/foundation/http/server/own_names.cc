#include "foundation/http/server/own_names.h"

#include <algorithm>

namespace belljar::http::server {
namespace {

constexpr std::string_view kScheme = "http://";

Response Foreign(const std::string& message) {
  return ErrorResponse(403, Error(Kind::kDenied, message));
}

}  // namespace

OwnNames::OwnNames(const std::string& host, std::uint16_t port,
                   const std::vector<std::string>& others)
    : is_tcp_(true) {
  std::vector<std::string> names = {"localhost", "127.0.0.1", "[::1]", host};
  names.insert(names.end(), others.begin(), others.end());
  for (const std::string& name : names) {
    hosts_.push_back(ToLower(name) + ":" + std::to_string(port));
    if (port == 80) hosts_.push_back(ToLower(name));
  }
}

bool OwnNames::Holds(std::string_view host) const {
  return std::find(hosts_.begin(), hosts_.end(), ToLower(host)) != hosts_.end();
}

std::optional<Response> OwnNames::Refuse(const Headers& headers) const {
  const auto host = headers.Find("Host");
  const auto origin = headers.Find("Origin");
  if (is_tcp_ && !host) {
    return ErrorResponse(400, Error(Kind::kInvalid, "the request has no Host"));
  }
  if (is_tcp_ && !Holds(*host)) return Foreign("Host is not a name of this server");
  if (!origin) return std::nullopt;
  if (!is_tcp_ || !origin->starts_with(kScheme) || !Holds(origin->substr(kScheme.size()))) {
    return Foreign("Origin is not this server");
  }
  return std::nullopt;
}

}  // namespace belljar::http::server
