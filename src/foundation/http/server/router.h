// Router: finds the handler for a request.
//
// A pattern consists of literal segments, "{name}" for any one segment, and, only as its last
// segment, "{name...}" for one or more: "/v1/sessions/{id}/files/{path...}". If several patterns
// match, the one with the earliest literal segment wins, independent of the order of Add(). A known
// path with another method is answered with 405 and `Allow`; HEAD is served by GET's route.
//
// Filled before the server starts and immutable afterwards, so matching is thread-safe.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "foundation/base/result.h"
#include "foundation/http/server/exchange.h"
#include "foundation/http/server/message.h"

namespace belljar::http::server {

// The scope of a public route: its requests are not authenticated.
inline constexpr std::string_view kPublic = "public";

enum class BodyKind {
  kWhole,   // in Request::body before the handler is called
  kPieces,  // by Exchange::ReadBody(), while the body arrives
};

enum class RunsOn {
  kWorker,      // may block briefly
  kLongWorker,  // may block without a limit; competes for threads only with others of its kind
  kLoop,        // must not block; needs no worker, so it answers under overload, too
};

// Called once per request. It may answer before it returns, or move the Exchange elsewhere and
// answer later. An exception becomes a 500.
using Handler = std::function<void(Exchange)>;

struct Route {
  std::string scope;  // scope required of the principal, or kPublic; "a|b": one of them
  Handler handler;
  std::uint64_t body_limit = 0;  // 0: no body is taken
  BodyKind body = BodyKind::kWhole;
  std::vector<std::string> media_types = {};  // accepted types of a body, in lower case; empty: any
  RunsOn runs_on = RunsOn::kWorker;
};

// The same route on a kLongWorker, for a handler that waits for programs or for a client's bytes.
inline Route Lasting(Route route) {
  route.runs_on = RunsOn::kLongWorker;
  return route;
}

struct Match {
  const Route* route = nullptr;
  std::string pattern;
  std::map<std::string, std::string> params;
};

class Router {
 public:
  Router();
  ~Router();
  Router(Router&&) noexcept;
  Router& operator=(Router&&) noexcept;

  // Refuses a malformed or duplicate pattern, a parameter whose name differs from an earlier
  // route's in the same place, an empty scope, and a missing handler.
  Result<> Add(const std::string& method, const std::string& pattern, Route route);

  // Method and pattern of every route, in the order in which they were added.
  const std::vector<std::pair<std::string, std::string>>& routes() const { return routes_; }

  // The matching route, or the 404 or 405 to send.
  std::variant<Match, Response> Find(const std::string& method,
                                     const std::vector<std::string>& segments) const;

 private:
  struct Node;

  Result<Node*> Place(const std::string& pattern);
  const Node* Walk(const Node& node, const std::vector<std::string>& segments, std::size_t depth,
                   std::map<std::string, std::string>& params) const;

  std::unique_ptr<Node> root_;
  std::vector<std::pair<std::string, std::string>> routes_;
};

}  // namespace belljar::http::server
