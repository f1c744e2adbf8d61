// Evaluator: an abstract interpreter that computes the possible values of Python expressions.
//
// It is demand-driven and memoised: an expression is evaluated when its value is first needed. The
// value of a name is the join of everything bound to it, a call of a function of the program is the
// join of what that function returns, and a parameter is the join of the arguments at all calls.
// Calls of well-known library functions are evaluated where they reveal a name or a string:
// __import__, getattr, chr, join, b64decode … All other calls have an unknown value. An expression
// that depends on itself contributes nothing to its own value.
//
// Names are dotted and canonical: "os.system", however the program obtained it. Three forms of
// names are not Python's own: "@globals" is the dictionary of the program's global names, "@attr:x"
// is a getter of the attribute x, and "M.__dict__" is the dictionary of the module M. In a string
// that is known only in part, kUnknownPart stands for each unknown part.
//
// The program is hostile, so depth and steps are bounded; exhausted() tells whether a bound was
// hit.
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
// Constant containers with fewer elements than this are iterated element by element.
constexpr std::size_t kMaxFollowed = 512;

inline bool IsWhole(std::string_view text) { return text.find(kUnknownPart) == text.npos; }
inline bool HasWholeText(ValuePtr value) {
  return value != nullptr &&
         std::ranges::any_of(value->texts, [](const std::string& text) { return IsWhole(text); });
}

// The start, stop and step of a slice; empty where they are omitted.
using SliceBounds = std::array<std::optional<std::int64_t>, 3>;

struct Arguments {
  // Inline storage, because most calls have few arguments.
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
  // The names that first appear at this very node. For `os.system`, that is the function; for a
  // variable that was bound to it elsewhere, it is nothing. Used to report a name once, where it
  // enters the program.
  ValuePtr Fresh(NodeId node);

  Arguments ArgumentsOf(NodeId call);
  // As ArgumentsOf, but cached for the last call only: for checks that ask several questions about
  // one call before moving to the next. The reference is valid until another call is asked for.
  const Arguments& Given(NodeId call);
  // The argument at position `number` or with that keyword; kNoNode if there is none.
  NodeId ArgumentNode(NodeId call, std::size_t number, std::string_view name) const;
  NodeId ArgumentInSplat(NodeId splat, std::string_view name) const;

  ValueStore& store() { return store_; }
  const Syntax& syntax() const { return syntax_; }
  bool exhausted() const { return exhausted_ || store_.exhausted(); }

  ValuePtr MapOver(ValuePtr function, ValuePtr container);
  // The attribute of an object from outside the program. Attributes that the program assigned
  // itself are not included.
  ValuePtr AttributeOf(ValuePtr object, std::string_view attribute);
  ValuePtr PartOf(ValuePtr container, ValuePtr key);
  ValuePtr CallValue(ValuePtr callee, const Arguments& arguments);
  // The result of a method of a string or container; null if it is unknown.
  ValuePtr CallMethod(ValuePtr object, std::string_view method, const Arguments& arguments);

 private:
  struct Override {
    ScopeId scope;
    std::string_view name;
    ValuePtr value;
  };

  // eval.cc and parts.cc
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

  // flow.cc: functions and loops of the program.
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

  // text.cc
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
  // kTentative: computed before all calls of each function were known, so it may still change.
  enum class Progress : std::uint8_t { kNew, kStarted, kTentative, kDone };
  std::vector<Progress> progress_;
  // Memoised values of names; null while one is being computed. A value whose computation met
  // another name or node that was still in progress further out is incomplete, and is not memoised.
  struct Named {
    ValuePtr value = nullptr;
    int depth = 0;  // of the recursion, while it is being computed
    Progress progress = Progress::kNew;
  };
  std::vector<Named> named_;  // indexed by Bindings::number
  // Memoised values of names that the program does not bind.
  struct OuterHash {
    using is_avalanching = void;
    std::size_t operator()(std::string_view name) const { return MixedName(name); }
  };
  boost::unordered_flat_map<std::string_view, ValuePtr, OuterHash> outer_;
  std::vector<std::uint8_t> begun_at_;  // recursion depth at which each node was started
  int met_ = kMaxDepth;  // the least depth of any unfinished node that was met: a dependency cycle
  bool tentative_ = false;  // whether the value being computed depends on parameters
  std::vector<Override> overrides_;
  std::vector<NodeId> overridden_in_;  // roots of subtrees whose values must not be memoised
  NodeId given_to_ = kNoNode;
  Arguments given_;
  int depth_ = 0;
  std::size_t steps_ = 0;
  Deadline deadline_;
  bool exhausted_ = false;
};

// The identifier in Unicode NFKC form, which Python uses: ｅｖａｌ is eval.
std::string Normalised(std::string_view identifier);

// names.cc: maps the aliases of a name to one canonical name ("posix.system" is "os.system").
std::string Canonical(std::string name);

// text.cc
// The elements of a container, or the characters of a string. Empty: unknown.
std::vector<ValuePtr> Elements(ValueStore& store, ValuePtr value);
// str.format: `text` with its replacement fields filled in, in order.
ValuePtr Formatted(ValueStore& store, std::string_view text, const Arguments& arguments);
ValuePtr Concatenated(ValueStore& store, ValuePtr a, ValuePtr b);
// The operator "/" of pathlib.
ValuePtr JoinedPath(ValueStore& store, ValuePtr a, ValuePtr b);
ValuePtr Decoded(ValueStore& store, ValuePtr value);

// calls.cc: the result of calling a well-known library function; null if it is not one, or if the
// result is unknown.
ValuePtr CallNamed(Evaluator& evaluator, std::string_view name, const Arguments& arguments);

}  // namespace belljar::judgement::analysis::python
