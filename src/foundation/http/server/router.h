// Router: which handler a request goes to.
//
// A pattern is literal segments, "{name}" for any one segment, and, as its last, "{name...}" for
// one or more: "/v1/sessions/{id}/files/{path...}". Where several patterns fit, the one that is
// literal earliest wins, whatever the order in which they were added. A known path with another
// method is 405 with `Allow`; HEAD is served by GET's route.
//
// Filled before the server starts and not changed afterwards; matching is then thread-safe.
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

// The scope of a route that anybody may use: its requests are not authenticated.
inline constexpr std::string_view kPublic = "public";

enum class BodyKind {
  kWhole,   // in Request::body when the handler is called
  kPieces,  // by Exchange::ReadBody, while it arrives
};

enum class RunsOn {
  kWorker,      // may block, for a moment
  kLongWorker,  // may block for as long as it likes: others of its kind wait for a thread meanwhile
  kLoop,        // must not; needs no free worker, so it answers under overload, too
};

// Called once per request. It may answer before it returns, or move the Exchange elsewhere and
// answer later. What it throws becomes a 500.
using Handler = std::function<void(Exchange)>;

struct Route {
  std::string scope;  // what the principal must hold, or kPublic; "a|b": one of them
  Handler handler;
  std::uint64_t body_limit = 0;  // 0: no body is taken
  BodyKind body = BodyKind::kWhole;
  std::vector<std::string> media_types = {};  // of a body, in lower case; none: any
  RunsOn runs_on = RunsOn::kWorker;
};

// The same route, for a handler that waits for programs or for a client's bytes.
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

  // Refused: a malformed pattern, one that is taken, a name that differs from an earlier one's in
  // the same place, an empty scope, no handler.
  Result<> Add(const std::string& method, const std::string& pattern, Route route);

  // Method and pattern of every route, in the order in which they were added.
  const std::vector<std::pair<std::string, std::string>>& routes() const { return routes_; }

  // The route, or the 404 or 405 instead.
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
