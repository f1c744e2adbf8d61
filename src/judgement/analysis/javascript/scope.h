// Scopes: which declaration each name of the text means, and where each is used.
//
// A binding is one variable: a name in a scope. Its targets are the places at which something is
// stored in it (declarations, parameters, imports, assignments; what is stored follows from what
// stands around the place), its writes the places at which something is stored in a part of it, and
// its uses the places at which it is read. Names without a binding are the global ones.
//
// Only one pass over the tree is made; who asks afterwards pays for a lookup.
#pragma once

#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "judgement/analysis/javascript/grammar.h"
#include "judgement/analysis/syntax/syntax.h"

namespace belljar::judgement::analysis::javascript {

struct Binding {
  std::vector<NodeId> targets;
  std::vector<NodeId> writes;  // members that are assigned, and calls that put something in
  std::vector<NodeId> uses;
};

class Scopes {
 public:
  explicit Scopes(const Syntax& syntax);

  // Of an identifier in any role; null: a global name, or no name of a value.
  const Binding* BindingOf(NodeId identifier) const;
  // Of a declaration (function, class, enum) by its node.
  const Binding* DeclaredBy(NodeId declaration) const { return BindingOf(declaration); }
  // The innermost function around a node, which may be a class's; or kNoNode.
  NodeId FunctionOf(NodeId id) const { return function_[id]; }
  // One past the last node under it: a subtree is a range of numbers.
  NodeId EndOf(NodeId id) const { return end_[id]; }
  bool Contains(NodeId outer, NodeId inner) const { return inner >= outer && inner < end_[outer]; }

  // An identifier's or property's name, with its escapes read.
  std::string_view NameOf(NodeId id) const;
  // Calls of a member of that name, of whatever object.
  const std::vector<NodeId>& CallsOfMember(std::string_view name) const;
  // Members of `this` that are assigned in a class, or in a function outside of one.
  const std::vector<NodeId>& WritesToThis(NodeId owner) const;
  // The class or function whose `this` it is; kNoNode: that of the text.
  NodeId OwnerOfThis(NodeId id) const;

  // The return and yield statements of a function itself.
  const std::vector<NodeId>& ReturnsOf(NodeId function) const;
  const std::vector<NodeId>& YieldsOf(NodeId function) const;

  // Somewhere what is taken from one end of a list is put on the other.
  bool rotates_lists() const { return rotates_lists_; }

  // Nested beyond what is followed.
  bool too_deep() const { return too_deep_; }

 private:
  static constexpr std::uint32_t kNoBinding = ~std::uint32_t{0};
  struct Key {
    NodeId scope;
    std::string_view name;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const {
      return std::hash<std::string_view>()(key.name) * 31 + key.scope;
    }
  };
  enum class Role { kUse, kDeclared, kAssigned, kNothing };
  struct Place {
    Role role = Role::kUse;
    NodeId scope = kNoNode;
  };

  void Measure();
  void DeclareAll();
  void DeclareAssigned();
  void ResolveAll();
  Place PlaceOf(NodeId identifier) const;
  Place PlaceIn(NodeId id, NodeId parent) const;
  Place PlaceInPattern(NodeId id, NodeId parent) const;
  NodeId VarScope(NodeId id) const;
  void DeclareNamed(NodeId declaration);
  void Declare(NodeId scope, std::string_view name, NodeId target);
  std::uint32_t Find(NodeId from, std::string_view name) const;
  Binding* Changing(NodeId identifier);
  NodeId MakerOf(NodeId function) const;
  void RecordWrite(NodeId assignment);
  void RecordCall(NodeId call);

  const Syntax& syntax_;
  std::vector<NodeId> end_;
  std::vector<NodeId> function_;
  std::vector<NodeId> scope_;
  std::unordered_map<NodeId, std::uint32_t> depth_;  // of scopes
  std::unordered_map<Key, std::uint32_t, KeyHash> by_name_;
  std::vector<std::uint32_t> binding_;  // by node
  std::deque<Binding> bindings_;
  std::unordered_map<std::string_view, std::vector<NodeId>> member_calls_;
  std::unordered_map<NodeId, std::vector<NodeId>> this_writes_;
  std::unordered_map<NodeId, std::vector<NodeId>> returns_;
  std::unordered_map<NodeId, std::vector<NodeId>> yields_;
  mutable std::deque<std::string> names_;  // those with escapes
  bool rotates_lists_ = false;
  bool too_deep_ = false;
};

// A node without the parentheses, assertions and awaits around its value.
NodeId Bare(const Syntax& syntax, NodeId id);
// The node that is such a wrapper's whole value, seen from inside: the outermost one.
NodeId Wrapped(const Syntax& syntax, NodeId id);
// "import type": nothing of it is left when the text runs.
bool IsTypeImport(const Syntax& syntax, NodeId import);

}  // namespace belljar::judgement::analysis::javascript
