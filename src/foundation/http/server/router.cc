#include "foundation/http/server/router.h"

#include <algorithm>

namespace belljar::http::server {

// A node in the tree of patterns.
struct Router::Node {
  std::map<std::string, std::unique_ptr<Node>, std::less<>> literal;
  std::unique_ptr<Node> any;
  std::string any_name;
  std::unique_ptr<Node> tail;
  std::string tail_name;
  std::map<std::string, Route> routes;  // by method
  std::string pattern;
};

namespace {

constexpr std::string_view kTailMark = "...}";

Error BadPattern(const std::string& pattern, const std::string& why) {
  return Error(Kind::kInvalid, "route " + pattern + ": " + why);
}

// Returns the segments of a pattern: {"a", "b", "{c}"} for "/a/b/{c}", none for "/".
std::vector<std::string> SplitPattern(std::string_view pattern) {
  std::vector<std::string> parts;
  pattern.remove_prefix(1);
  while (!pattern.empty()) {
    const std::size_t end = std::min(pattern.find('/'), pattern.size());
    parts.emplace_back(pattern.substr(0, end));
    pattern.remove_prefix(std::min(end + 1, pattern.size()));
  }
  return parts;
}

std::string Join(const std::vector<std::string>& segments, std::size_t from) {
  std::string joined;
  for (std::size_t i = from; i < segments.size(); ++i) {
    if (i > from) joined += '/';
    joined += segments[i];
  }
  return joined;
}

// Returns the child for a parameter; creates it, or fails if it exists under another name.
template <class Node>
Result<Node*> NamedChild(std::unique_ptr<Node>& child, std::string& known, const std::string& name,
                         const std::string& pattern) {
  if (name.empty()) return BadPattern(pattern, "a part has no name");
  if (!child) {
    child = std::make_unique<Node>();
    known = name;
  }
  if (known != name) return BadPattern(pattern, "{" + name + "} is {" + known + "} elsewhere");
  return child.get();
}

}  // namespace

Router::Router() : root_(std::make_unique<Node>()) {}
Router::~Router() = default;
Router::Router(Router&&) noexcept = default;
Router& Router::operator=(Router&&) noexcept = default;

Result<Router::Node*> Router::Place(const std::string& pattern) {
  if (!pattern.starts_with('/')) return BadPattern(pattern, "it must begin with /");
  Node* node = root_.get();
  const std::vector<std::string> parts = SplitPattern(pattern);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const std::string& part = parts[i];
    if (part.empty()) return BadPattern(pattern, "a part is empty");
    if (part.front() != '{') {
      auto& child = node->literal[part];
      if (!child) child = std::make_unique<Node>();
      node = child.get();
    } else if (part.ends_with(kTailMark)) {
      if (i + 1 != parts.size()) return BadPattern(pattern, part + " must come last");
      const std::string name = part.substr(1, part.size() - 1 - kTailMark.size());
      node = BJ_TRY(NamedChild(node->tail, node->tail_name, name, pattern));
    } else {
      if (part.back() != '}') return BadPattern(pattern, part + " has no }");
      const std::string name = part.substr(1, part.size() - 2);
      node = BJ_TRY(NamedChild(node->any, node->any_name, name, pattern));
    }
  }
  node->pattern = pattern;
  return node;
}

Result<> Router::Add(const std::string& method, const std::string& pattern, Route route) {
  if (!route.handler) return BadPattern(pattern, "it has no handler");
  if (route.scope.empty()) return BadPattern(pattern, "it has no scope");
  Node* node = BJ_TRY(Place(pattern));
  if (!node->routes.emplace(method, std::move(route)).second) {
    return BadPattern(pattern, method + " is taken");
  }
  routes_.emplace_back(method, pattern);
  return {};
}

// The recursion is as deep as the longest pattern, independent of the request. Parameters are set
// only when a match was found, on the way back.
const Router::Node* Router::Walk(const Node& node, const std::vector<std::string>& segments,
                                 std::size_t depth,
                                 std::map<std::string, std::string>& params) const {
  if (depth == segments.size()) return node.routes.empty() ? nullptr : &node;
  if (const auto literal = node.literal.find(segments[depth]); literal != node.literal.end()) {
    if (const Node* found = Walk(*literal->second, segments, depth + 1, params)) return found;
  }
  if (node.any) {
    if (const Node* found = Walk(*node.any, segments, depth + 1, params)) {
      params[node.any_name] = segments[depth];
      return found;
    }
  }
  if (!node.tail) return nullptr;
  params[node.tail_name] = Join(segments, depth);
  return node.tail.get();
}

std::variant<Match, Response> Router::Find(const std::string& method,
                                           const std::vector<std::string>& segments) const {
  Match match;
  const Node* node = Walk(*root_, segments, 0, match.params);
  if (node == nullptr) {
    return ErrorResponse(404, Error(Kind::kNotFound, "there is nothing at this path"));
  }
  auto found = node->routes.find(method);
  if (found == node->routes.end() && method == "HEAD") found = node->routes.find("GET");
  if (found == node->routes.end()) {
    Response refusal =
        ErrorResponse(405, Error(Kind::kInvalid, method + " is not possible at this path"));
    std::string allow;
    for (const auto& [known, route] : node->routes) allow += (allow.empty() ? "" : ", ") + known;
    if (node->routes.contains("GET") && !node->routes.contains("HEAD")) allow += ", HEAD";
    refusal.headers.Add("Allow", allow);
    return refusal;
  }
  match.route = &found->second;
  match.pattern = node->pattern;
  return match;
}

}  // namespace belljar::http::server
