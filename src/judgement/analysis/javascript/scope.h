// Scopes: the symbol table of a JavaScript program: which declaration each name refers to, and
// where each variable is used.
//
// A binding is one variable, that is, a name in a scope. Its targets are the nodes where a value is
// stored in it (declarations, parameters, imports, assignments; the context of the node tells which
// value). Its writes are the nodes where a value is stored in one of its members. Its uses are the
// nodes where it is read. Names without a binding are global.
//
// The table is built once by the constructor; every query is a lookup.
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
  std::vector<NodeId> writes;  // assigned members, and calls that insert an element
  std::vector<NodeId> uses;
};

class Scopes {
 public:
  explicit Scopes(const Syntax& syntax);

  // The binding of an identifier in any role; null for a global name, or for one that names no
  // value.
  const Binding* BindingOf(NodeId identifier) const;
  // The binding of a function, class or enum, by the node of its declaration.
  const Binding* DeclaredBy(NodeId declaration) const { return BindingOf(declaration); }
  // The innermost function around a node; for members of a class it may be the class. kNoNode if
  // there is none.
  NodeId FunctionOf(NodeId id) const { return function_[id]; }
  // One past the last node of the subtree: the nodes of a subtree have consecutive ids.
  NodeId EndOf(NodeId id) const { return end_[id]; }
  bool Contains(NodeId outer, NodeId inner) const { return inner >= outer && inner < end_[outer]; }

  // The name of an identifier or property, with escape sequences decoded.
  std::string_view NameOf(NodeId id) const;
  // All calls of a method with that name, on any object.
  const std::vector<NodeId>& CallsOfMember(std::string_view name) const;
  // Assignments to members of `this` in a class, or in a function outside any class.
  const std::vector<NodeId>& WritesToThis(NodeId owner) const;
  // The class or function that determines `this` at a node; kNoNode: the program itself.
  NodeId OwnerOfThis(NodeId id) const;

  // The return and yield statements of a function, without those of nested functions.
  const std::vector<NodeId>& ReturnsOf(NodeId function) const;
  const std::vector<NodeId>& YieldsOf(NodeId function) const;

  // True if the program moves elements from one end of a list to the other, which obfuscators do.
  bool rotates_lists() const { return rotates_lists_; }

  // True if the tree is nested too deeply, in which case the table is incomplete.
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
  std::unordered_map<NodeId, std::uint32_t> depth_;  // nesting depth of scopes
  std::unordered_map<Key, std::uint32_t, KeyHash> by_name_;
  std::vector<std::uint32_t> binding_;  // index into bindings_, by node
  std::deque<Binding> bindings_;
  std::unordered_map<std::string_view, std::vector<NodeId>> member_calls_;
  std::unordered_map<NodeId, std::vector<NodeId>> this_writes_;
  std::unordered_map<NodeId, std::vector<NodeId>> returns_;
  std::unordered_map<NodeId, std::vector<NodeId>> yields_;
  mutable std::deque<std::string> names_;  // owns the names that contain escapes
  bool rotates_lists_ = false;
  bool too_deep_ = false;
};

// The expression inside any parentheses, type assertions and awaits.
NodeId Bare(const Syntax& syntax, NodeId id);
// The inverse: the outermost such wrapper of which the node is the whole value.
NodeId Wrapped(const Syntax& syntax, NodeId id);
// True for "import type", which is erased before the program runs.
bool IsTypeImport(const Syntax& syntax, NodeId import);

}  // namespace belljar::judgement::analysis::javascript
