// Parser: compiles the JSON text of a schema to nodes.
//
// Nodes are indexed by the JSON value they were compiled from, so that a reference finds an
// existing node. References are queued and resolved after everything else, one by one, so that a
// long chain of them does not consume stack.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "foundation/base/json.h"
#include "foundation/base/result.h"
#include "foundation/schema/node.h"

namespace belljar::schema {

class Parser {
 public:
  // Both must outlive the parser.
  Parser(const json::value& root, Tree& tree) : root_(root), tree_(tree) {}

  Result<> Run();

  // For the keyword readers: compiles the schema that is the keyword's value, or that lies under
  // `step` of it.
  Result<const Node*> Sub(const json::value& value, std::string_view step);
  Result<std::vector<const Node*>> SubList(const json::value& value);
  Result<std::map<std::string, const Node*, std::less<>>> SubMap(const json::value& value);
  Result<const Pattern*> PatternOf(std::string_view text);
  Result<> Refer(Node& node, const json::value& target);
  bool at_root() const { return where_.size() == 2; }  // the path is "#" and the keyword

  template <class... Args>
  Error Bad(fmt::format_string<Args...> format, Args&&... args) const {
    return BadAt(where_, fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  struct Reference {
    Node* from;
    const json::value* to;
    std::vector<std::string> where;
  };

  static Error BadAt(const std::vector<std::string>& where, std::string message);
  Result<Node*> ReadNode(const json::value& value);
  Result<> ReadKeywords(const json::object& object, Node& node);
  Result<const json::value*> Find(std::string_view pointer) const;
  Result<> CheckChains() const;

  const json::value& root_;
  Tree& tree_;
  std::map<const json::value*, Node*> known_;
  std::vector<Reference> references_;
  std::vector<std::string> where_;  // the path of the value being read; the keyword is last
};

struct Keyword {
  std::string_view name;
  Result<> (*read)(Parser& parser, const json::value& value, Node& node);
};

// The keyword of that name; null if there is none.
const Keyword* FindKeyword(std::string_view name);
// The known keyword nearest to a misspelt one, or "".
std::string_view NearestKeyword(std::string_view wrong);

}  // namespace belljar::schema
