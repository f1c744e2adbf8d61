// Gate: everything that is decided from a request's head alone.
//
// In this order: is it meant for this listener, is there such a route, who asks, may they, would
// its body be taken. No byte of a body is read before all of it has been answered with yes, so a
// stranger cannot make the server hold anything but a head.
#pragma once

#include <functional>
#include <variant>

#include "foundation/http/server/own_names.h"
#include "foundation/http/server/request_reader.h"
#include "foundation/http/server/router.h"

namespace belljar::http::server {

// Says who asks, from the request's headers and its peer. It runs on an I/O thread: it must not
// block. kDenied becomes 401, other kinds what StatusFor says.
using Authenticate = std::function<Result<Principal>(const Request&)>;

struct Admission {
  Match match;
  Principal principal;
};

// What is answered instead, and as far as it had been found out: at which route, and to whom.
struct Refusal {
  Response response;
  std::string pattern = {}, principal = {};
};

class Gate {
 public:
  Gate(Router router, Authenticate authenticate);

  // Also sets the limit of the body in `reader`.
  std::variant<Admission, Refusal> Admit(RequestReader& reader, const OwnNames& names) const;

 private:
  std::variant<Principal, Refusal> Identify(const Request& request, const Match& match) const;

  Router router_;
  Authenticate authenticate_;
};

}  // namespace belljar::http::server
