// Gate: makes every decision that depends on a request's head alone.
//
// The checks, in order: the request names this listener, the route exists, the caller is
// authenticated and authorised, and its body would be accepted. No byte of a body is read before
// all checks have passed, so an unauthenticated client can make the server hold no more than a
// head.
#pragma once

#include <functional>
#include <variant>

#include "foundation/http/server/own_names.h"
#include "foundation/http/server/request_reader.h"
#include "foundation/http/server/router.h"

namespace belljar::http::server {

// Authenticates a caller by the request's headers and its peer. It runs on an event loop and must
// not block. kDenied becomes 401, other kinds the status of StatusFor().
using Authenticate = std::function<Result<Principal>(const Request&)>;

struct Admission {
  Match match;
  Principal principal;
};

// The response to a refused request, and what was known by then: its route and its principal.
struct Refusal {
  Response response;
  std::string pattern = {}, principal = {};
};

class Gate {
 public:
  Gate(Router router, Authenticate authenticate);

  // On success, also sets the limit of the body in `reader`.
  std::variant<Admission, Refusal> Admit(RequestReader& reader, const OwnNames& names) const;

 private:
  std::variant<Principal, Refusal> Identify(const Request& request, const Match& match) const;

  Router router_;
  Authenticate authenticate_;
};

}  // namespace belljar::http::server
