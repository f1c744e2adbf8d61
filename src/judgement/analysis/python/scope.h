// Scopes: the symbol table of a Python program: which names it binds in which scope, and to what.
//
// Bindings are collected flow-insensitively: a name may stand for anything that is bound to it
// anywhere in its scope. That over-approximates what can happen, so nothing is missed.
#pragma once

#include <boost/container/small_vector.hpp>
#include <boost/unordered/unordered_flat_map.hpp>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "judgement/analysis/name_memory.h"
#include "judgement/analysis/python/tree.h"

namespace belljar::judgement::analysis::python {

using ScopeId = std::uint32_t;

// How the value of a name follows from the node `source`.
enum class BindingKind : std::uint8_t {
  kValue,     // the expression itself
  kAppended,  // the previous value with the expression appended: +=
  kPart,      // any element of it: a loop's variable, a starred target
  kItem,      // the element at `index`
  kAdded,   // an element that is put into the named container, under the key `key` if there is one
  kModule,  // the module or member called `name`
  kDefinition,  // a function or class of this program
  kParameter,   // parameter number `index` of the function `source`
  kRest,        // the parameter of function `source` that takes all further arguments
};

struct Binding {
  BindingKind kind = BindingKind::kValue;
  NodeId source = kNoNode;
  std::uint32_t index = 0;
  NodeId key = kNoNode;        // kAdded: the key; kParameter: the default value
  std::string_view name = {};  // kModule
};

// Everything that is bound to a name in a scope.
struct Bindings {
  std::uint32_t number = 0;  // index of this object; the evaluator memoises by it
  boost::container::small_vector<Binding, 1> all;
};

struct Function {
  std::vector<NodeId> returns;  // the returned expressions
  std::vector<NodeId> yields;
  std::vector<NodeId> calls;  // calls of this function in the program; filled by the evaluator
  bool is_method = false;
};

class Scopes {
 public:
  explicit Scopes(const Syntax& syntax);

  ScopeId ScopeOf(NodeId node) const { return scope_of_[node]; }
  bool IsWithin(ScopeId inner, ScopeId outer) const;
  NodeId OpenedBy(ScopeId scope) const { return scopes_[scope].opened_by; }
  // The bindings that a name refers to at `node`; null if no enclosing scope binds it.
  const Bindings* Find(NodeId node, std::string_view name) const;
  // The same for an identifier node; the lookup is memoised.
  const Bindings* FindOf(NodeId identifier) const;
  const Bindings* FindIn(ScopeId scope, std::string_view name) const;
  // Everything that the program stores in attributes of that name, of any object.
  const Bindings* FindAttribute(std::string_view name) const;

  std::unordered_map<NodeId, Function>& functions() { return functions_; }
  const std::vector<NodeId>& calls() const { return calls_; }
  std::size_t bindings_count() const { return bindings_.size(); }
  ScopeId count() const { return static_cast<ScopeId>(scopes_.size()); }
  // Modules imported with "from M import *".
  const std::vector<std::string>& wildcards() const { return wildcards_; }

 private:
  struct Scope {
    NodeId opened_by = kNoNode;
    ScopeId parent = 0;
    std::vector<std::string_view> globals;
  };
  // A name with its hash, computed once for the lookups in all enclosing scopes.
  struct Name {
    std::string_view text;
    std::size_t hash = MixedName(text);
  };
  struct Key {
    ScopeId scope;
    Name name;
    bool operator==(const Key& other) const {
      return scope == other.scope && name.text == other.name.text;
    }
  };
  struct KeyHash {
    using is_avalanching = void;
    std::size_t operator()(const Key& key) const {
      return key.name.hash ^ key.scope * std::size_t{0xD6E8FEB86659FD93U};
    }
  };
  // Attributes are kept in a pseudo-scope, regardless of the object.
  static constexpr ScopeId kAttributes = ~ScopeId{0};

  void Visit(NodeId node);
  void Open(NodeId node);
  void BindTarget(NodeId target, const Binding& binding);
  void BindParts(NodeId pattern, const Binding& whole);
  void BindStored(NodeId target, NodeId value);
  void BindAppended(NodeId assignment);
  void BindAlias(NodeId pattern);
  void BindTypeAlias(NodeId statement);
  void BindField(NodeId argument);
  void AddGlobals(NodeId statement);
  void BindMethodCall(NodeId call);
  void BindImport(NodeId statement);
  void BindImportFrom(NodeId statement);
  void BindParameters(NodeId function, NodeId parameters);
  void BindParameter(NodeId function, NodeId parameter, std::uint32_t index);
  void BindDefinition(NodeId definition);
  void BindLoop(NodeId loop);
  void AddReturn(NodeId statement);
  void Bind(NodeId at, std::string_view name, const Binding& binding);
  void Put(ScopeId scope, Name name, const Binding& binding);
  const Bindings* Look(ScopeId scope, const Name& name) const {
    const auto found = bindings_.find(Key{scope, name});
    return found == bindings_.end() ? nullptr : &found->second;
  }
  std::string_view Kept(std::string module) { return modules_.emplace_back(std::move(module)); }
  NodeId FunctionAround(NodeId node) const;

  const Syntax& syntax_;
  std::vector<ScopeId> scope_of_;
  // Memoised lookups by identifier node; null: not looked up yet.
  mutable std::vector<const Bindings*> found_;
  std::vector<Scope> scopes_;
  boost::unordered_flat_map<Key, Bindings, KeyHash> bindings_;
  std::unordered_map<NodeId, Function> functions_;
  std::vector<NodeId> calls_;
  std::vector<std::string> wildcards_;
  std::deque<std::string> modules_;  // owns the names in bindings
};

}  // namespace belljar::judgement::analysis::python
