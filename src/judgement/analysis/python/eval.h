// Evaluator: what the expressions of a Python text may stand for.
//
// Demand-driven: an expression is evaluated when somebody asks, once. A name is the join of all it
// is bound to, a call of a function of this text is the join of what it returns, a parameter the
// join of what it is called with. Calls of well-known functions are followed where that reveals a
// name or a text: __import__, getattr, chr, join, b64decode … Whatever else is called gives nothing
// known. An expression that depends on itself adds nothing to itself.
//
// Names are dotted and canonical: "os.system", however it was come by. Three are not Python's:
// "@globals" is the mapping of the text's own names, "@attr:x" a getter of the attribute x, and
// "M.__dict__" the mapping of M's. A text that is known in part has kUnknownPart for the rest.
//
// The text is hostile: depth and steps are bounded, and exhausted() says when they ran out.
#pragma once

#include <algorithm>
#include <array>
#include <boost/container/small_vector.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "judgement/analysis/deadline.h"
#include "judgement/analysis/python/scope.h"
#include "judgement/analysis/value.h"

namespace belljar::judgement::analysis::python {

constexpr char kUnknownPart = '\x1a';
constexpr int kMaxDepth = 150;
constexpr std::size_t kMaxSteps = 400'000;
// Below this, the parts of a constant container are gone through one by one.
constexpr std::size_t kMaxFollowed = 512;

inline bool IsWhole(std::string_view text) { return text.find(kUnknownPart) == text.npos; }
inline bool HasWholeText(ValuePtr value) {
  return value != nullptr &&
         std::ranges::any_of(value->texts, [](const std::string& text) { return IsWhole(text); });
}

// Start, stop and step of a slice, as far as they are given.
using SliceBounds = std::array<std::optional<std::int64_t>, 3>;

struct Arguments {
  // Most calls have few.
  boost::container::small_vector<ValuePtr, 4> positional;
  boost::container::small_vector<std::pair<std::string_view, ValuePtr>, 2> named;

  ValuePtr at(std::size_t number) const {
    return number < positional.size() ? positional[number] : nullptr;
  }
  ValuePtr Named(std::string_view name) const;
};

class Evaluator {
 public:
  Evaluator(const Syntax& syntax, Scopes& scopes);

  ValuePtr Eval(NodeId node);
  // The part of a node's value whose names come into sight at this very node: of `os.system` the
  // function, of `f` that was bound to it elsewhere nothing.
  ValuePtr Fresh(NodeId node);

  Arguments ArgumentsOf(NodeId call);
  // The same for who looks at one call after the other and asks several questions about each: as
  // long as the next one is not asked for.
  const Arguments& Given(NodeId call);
  // The number-th argument, or the one of that name; kNoNode if there is none.
  NodeId ArgumentNode(NodeId call, std::size_t number, std::string_view name) const;
  NodeId ArgumentInSplat(NodeId splat, std::string_view name) const;

  ValueStore& store() { return store_; }
  const Syntax& syntax() const { return syntax_; }
  bool exhausted() const { return exhausted_ || store_.exhausted(); }

  ValuePtr MapOver(ValuePtr function, ValuePtr container);
  // Of the value of `object`, what its attribute is; without what the text itself put there.
  ValuePtr AttributeOf(ValuePtr object, std::string_view attribute);
  ValuePtr PartOf(ValuePtr container, ValuePtr key);
  ValuePtr CallValue(ValuePtr callee, const Arguments& arguments);
  // What a method of a text or container gives; null where that is not known.
  ValuePtr CallMethod(ValuePtr object, std::string_view method, const Arguments& arguments);

 private:
  struct Override {
    ScopeId scope;
    std::string_view name;
    ValuePtr value;
  };

  // python_eval.cc
  ValuePtr EvalNode(NodeId node);
  ValuePtr EvalOperand(NodeId node);
  ValuePtr EvalNumber(NodeId node);
  ValuePtr EvalName(NodeId node);
  ValuePtr EvalBinding(const Binding& binding);
  ValuePtr EvalAdded(const Binding& binding);
  ValuePtr EvalAppended(ValuePtr before, const Binding& binding);
  ValuePtr OwnName(std::string_view name);
  ValuePtr FreshName(NodeId node);
  ValuePtr OuterName(std::string_view written);
  ValuePtr FindOuterName(std::string_view written);
  ValuePtr EvalAttribute(NodeId node);
  ValuePtr EvalSubscript(NodeId node);
  ValuePtr EvalItems(NodeId node);
  ValuePtr EvalDictionary(NodeId node);
  ValuePtr EvalDictionaryComprehension(NodeId node);
  ValuePtr JoinAll(const Bindings* bindings);
  ValuePtr JoinEach(const Bindings& bindings);
  bool MayRemember(NodeId node) const;

  // python_flow.cc: through functions and loops of the text.
  void FindCalls();
  void ForgetTentative();
  bool IsFromOutside(NodeId node) const;
  ValuePtr EvalCall(NodeId node);
  ValuePtr EvalParameter(const Binding& binding);
  ValuePtr EvalRest(const Binding& binding);
  std::optional<ValuePtr> Overridden(NodeId node, std::string_view name) const;
  ValuePtr ReturnOf(NodeId function);
  ValuePtr ReturnWith(NodeId function, ValuePtr argument);
  ValuePtr EvalComprehension(NodeId node);
  ValuePtr EvalWith(NodeId scope_node, std::string_view name, ValuePtr value, NodeId body);

  // python_text.cc
  ValuePtr EvalString(NodeId node);
  ValuePtr EvalConcatenated(NodeId node);
  ValuePtr EvalBinary(NodeId node);
  ValuePtr EvalSum(NodeId node);
  ValuePtr EvalSlice(ValuePtr container, NodeId slice);
  std::optional<SliceBounds> EvalBounds(NodeId slice);

  const Syntax& syntax_;
  Scopes& scopes_;
  ValueStore store_;
  std::vector<ValuePtr> memo_;
  // Tentative: done, and it may be something else once it is known who calls what.
  enum class Progress : std::uint8_t { kNew, kStarted, kTentative, kDone };
  std::vector<Progress> progress_;
  // Values of names; null while one is being found. One that met something which was begun before
  // it is not whole, and not kept.
  struct Named {
    ValuePtr value = nullptr;
    int depth = 0;  // while it is being found
    Progress progress = Progress::kNew;
  };
  std::vector<Named> named_;  // by the numbers of bindings
  // Of names that are bound nowhere.
  struct OuterHash {
    using is_avalanching = void;
    std::size_t operator()(std::string_view name) const { return MixedName(name); }
  };
  boost::unordered_flat_map<std::string_view, ValuePtr, OuterHash> outer_;
  std::vector<std::uint8_t> begun_at_;  // depth, of nodes that were begun
  int met_ = kMaxDepth;                 // the least depth of what was met before it was done
  bool tentative_ = false;              // what is being found
  std::vector<Override> overrides_;
  std::vector<NodeId> overridden_in_;  // the nodes whose inside must not be remembered
  NodeId given_to_ = kNoNode;
  Arguments given_;
  int depth_ = 0;
  std::size_t steps_ = 0;
  Deadline deadline_;
  bool exhausted_ = false;
};

// The one spelling that an identifier has in Python: ｅｖａｌ is eval.
std::string Normalised(std::string_view identifier);

// python_names.cc: the one name that many spell differently ("posix.system" is "os.system").
std::string Canonical(std::string name);

// python_text.cc
// The parts of a container one by one; of a text its characters. Empty: not known.
std::vector<ValuePtr> Elements(ValueStore& store, ValuePtr value);
// `text` with a value for each field of a format, in order.
ValuePtr Formatted(ValueStore& store, std::string_view text, const Arguments& arguments);
ValuePtr Concatenated(ValueStore& store, ValuePtr a, ValuePtr b);
// "/" between paths.
ValuePtr JoinedPath(ValueStore& store, ValuePtr a, ValuePtr b);
ValuePtr Decoded(ValueStore& store, ValuePtr value);

// python_calls.cc: what a call of that well-known function gives; null: it is not one.
ValuePtr CallNamed(Evaluator& evaluator, std::string_view name, const Arguments& arguments);

}  // namespace belljar::judgement::analysis::python
