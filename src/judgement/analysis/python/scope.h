// Scopes: which names a Python text binds where, and to what.
//
// Bindings are gathered without regard to order: a name may stand for anything it is bound to
// anywhere in its scope. That sees more than can happen, which is the right side to err on.
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

// How a name gets its value out of `source`.
enum class BindingKind : std::uint8_t {
  kValue,       // the expression itself
  kAppended,    // what the name was before, and the expression behind it: +=
  kPart,        // one of its parts, whichever: a loop's variable, a starred target
  kItem,        // the part of number `index`
  kAdded,       // a part that is put into what the name stands for, under the key `key` if any
  kModule,      // the module or member called `name`
  kDefinition,  // a function or class of this text
  kParameter,   // of the function `source`, of number `index`
  kRest,        // the function's parameter that takes all further arguments
};

struct Binding {
  BindingKind kind = BindingKind::kValue;
  NodeId source = kNoNode;
  std::uint32_t index = 0;
  NodeId key = kNoNode;        // kAdded; kParameter: its default
  std::string_view name = {};  // kModule
};

// All that a name is bound to in a scope.
struct Bindings {
  std::uint32_t number = 0;  // of all there are
  boost::container::small_vector<Binding, 1> all;
};

struct Function {
  std::vector<NodeId> returns;  // expressions
  std::vector<NodeId> yields;
  std::vector<NodeId> calls;  // of it, in this text; filled by the evaluation
  bool is_method = false;
};

class Scopes {
 public:
  explicit Scopes(const Syntax& syntax);

  ScopeId ScopeOf(NodeId node) const { return scope_of_[node]; }
  bool IsWithin(ScopeId inner, ScopeId outer) const;
  NodeId OpenedBy(ScopeId scope) const { return scopes_[scope].opened_by; }
  // What a name stands for at `node`; null: the text binds it nowhere in sight.
  const Bindings* Find(NodeId node, std::string_view name) const;
  // The same for a node that is the name, which is looked up once.
  const Bindings* FindOf(NodeId identifier) const;
  const Bindings* FindIn(ScopeId scope, std::string_view name) const;
  // What is put into attributes of that name, of any object.
  const Bindings* FindAttribute(std::string_view name) const;

  std::unordered_map<NodeId, Function>& functions() { return functions_; }
  const std::vector<NodeId>& calls() const { return calls_; }
  std::size_t bindings_count() const { return bindings_.size(); }
  ScopeId count() const { return static_cast<ScopeId>(scopes_.size()); }
  // Modules from which everything is imported.
  const std::vector<std::string>& wildcards() const { return wildcards_; }

 private:
  struct Scope {
    NodeId opened_by = kNoNode;
    ScopeId parent = 0;
    std::vector<std::string_view> globals;
  };
  // A name is hashed once, in however many scopes it is looked for.
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
  // Attributes are those of any object.
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
  // By identifier; null: not looked up yet.
  mutable std::vector<const Bindings*> found_;
  std::vector<Scope> scopes_;
  boost::unordered_flat_map<Key, Bindings, KeyHash> bindings_;
  std::unordered_map<NodeId, Function> functions_;
  std::vector<NodeId> calls_;
  std::vector<std::string> wildcards_;
  std::deque<std::string> modules_;  // names of bindings
};

}  // namespace belljar::judgement::analysis::python
