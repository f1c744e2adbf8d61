#include "foundation/http/server/gate.h"

#include <algorithm>

namespace belljar::http::server {
namespace {

bool HoldsOneOf(const Principal& principal, std::string_view scopes) {
  while (!scopes.empty()) {
    const std::size_t bar = scopes.find('|');
    if (principal.scopes.contains(std::string(scopes.substr(0, bar)))) return true;
    scopes = bar == std::string_view::npos ? "" : scopes.substr(bar + 1);
  }
  return false;
}

// Returns "application/json" for "Application/JSON; charset=utf-8".
std::string MediaType(std::string_view value) {
  value = value.substr(0, value.find(';'));
  while (!value.empty() && (value.back() == ' ' || value.back() == '\t')) value.remove_suffix(1);
  return ToLower(value);
}

std::optional<Response> RefuseMediaType(const RequestReader& reader, const Headers& headers,
                                        const std::vector<std::string>& wanted) {
  if (!reader.has_body() || wanted.empty()) return std::nullopt;
  const std::string given = MediaType(headers.Find("Content-Type").value_or(""));
  if (std::find(wanted.begin(), wanted.end(), given) != wanted.end()) return std::nullopt;
  std::string list;
  for (const std::string& type : wanted) list += (list.empty() ? "" : " or ") + type;
  return ErrorResponse(415, Error(Kind::kInvalid, "Content-Type must be " + list));
}

}  // namespace

Gate::Gate(Router router, Authenticate authenticate)
    : router_(std::move(router)), authenticate_(std::move(authenticate)) {}

std::variant<Principal, Refusal> Gate::Identify(const Request& request, const Match& match) const {
  const Route& route = *match.route;
  if (route.scope == kPublic) return Principal{};
  Result<Principal> principal = authenticate_
                                    ? authenticate_(request)
                                    : Error(Kind::kDenied, "nobody is let in by this server");
  if (!principal && principal.error().kind() == Kind::kDenied) {
    Response refusal = ErrorResponse(401, principal.error());
    refusal.headers.Add("WWW-Authenticate", "Bearer");
    return Refusal{std::move(refusal), match.pattern};
  }
  if (!principal) return Refusal{ErrorResponse(principal.error()), match.pattern};
  if (!HoldsOneOf(*principal, route.scope)) {
    const Error denied(Kind::kDenied, "the scope \"" + route.scope + "\" is needed here");
    return Refusal{ErrorResponse(denied), match.pattern, principal->name};
  }
  return *std::move(principal);
}

std::variant<Admission, Refusal> Gate::Admit(RequestReader& reader, const OwnNames& names) const {
  Request& request = reader.request();
  if (auto refusal = names.Refuse(request.headers)) return Refusal{*std::move(refusal)};
  auto found = router_.Find(request.method, request.segments);
  if (auto* refusal = std::get_if<Response>(&found)) return Refusal{std::move(*refusal)};
  Match& match = std::get<Match>(found);
  request.params = std::move(match.params);
  auto identity = Identify(request, match);
  if (auto* refusal = std::get_if<Refusal>(&identity)) return std::move(*refusal);
  Principal& principal = std::get<Principal>(identity);
  auto refusal = reader.LimitBody(match.route->body_limit);
  if (!refusal) refusal = RefuseMediaType(reader, request.headers, match.route->media_types);
  if (refusal) return Refusal{*std::move(refusal), match.pattern, principal.name};
  return Admission{std::move(match), std::move(principal)};
}

}  // namespace belljar::http::server
