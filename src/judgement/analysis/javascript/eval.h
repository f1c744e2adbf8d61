// Evaluator: what an expression of the text may stand for (value.h), asked for when needed.
//
// The order of statements is ignored: a variable is all that is ever stored in it. Two things are
// followed more closely, because names are hidden in them: a text that grows by += in the order of
// the text, and calls and loops with known arguments, which are evaluated once more with those
// (frames). Whoever is asked for while it is being asked gets null; a result that depends on such
// an answer is kept only after a few tries, as another order may know more.
//
// Depth, steps and frames are bounded; beyond them is null, and `gave_up` says so.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "judgement/analysis/deadline.h"
#include "judgement/analysis/javascript/grammar.h"
#include "judgement/analysis/javascript/scope.h"
#include "judgement/analysis/syntax/syntax.h"
#include "judgement/analysis/value.h"

namespace belljar::judgement::analysis::javascript {

// A call with what hides it taken off: f.call(x, a), Reflect.apply(f, x, [a]) and f.bind(x, a) are
// all f(a).
struct Call {
  ValuePtr callee = nullptr;
  ValuePtr receiver = nullptr;  // of the written call
  std::string method;           // of the written call: "" if it is no member
  std::vector<ValuePtr> arguments;
  bool is_new = false;
  bool is_bind = false;

  ValuePtr Argument(std::size_t number) const {
    return number < arguments.size() ? arguments[number] : nullptr;
  }
  bool Calls(std::string_view name) const;
};

class Evaluator {
 public:
  Evaluator(const Syntax& syntax, const Scopes& scopes);

  ValuePtr Eval(NodeId expression);
  // What is stored at a target of a binding, a member that is assigned, or a pattern.
  ValuePtr Stored(NodeId target);
  Call CallOf(NodeId call);
  // The keys that a member, subscript or key of a pattern may be; empty: not known.
  std::vector<std::string> KeysOf(NodeId member);
  ValuePtr KeyValue(NodeId member);
  ValuePtr Member(ValuePtr object, std::string_view key);
  // The parameter targets of a function, in order.
  std::vector<NodeId> ParametersOf(NodeId function) const;

  bool gave_up() const { return gave_up_ || store_.exhausted(); }
  ValueStore& store() { return store_; }

 private:
  friend class Builtins;

  enum class Question : std::uint8_t { kValue, kVariable, kInstance, kReturned, kStored };
  struct Slot {
    ValuePtr value = nullptr;
    std::uint32_t depth = 0;  // while it is being asked
    std::uint8_t state = 0;   // 0: never asked; 1: being asked; 2: known
    std::uint8_t tries = 0;
  };
  // A function or loop that is evaluated with known values.
  struct Frame {
    NodeId root;
    std::vector<ValuePtr> arguments;  // of a function
    NodeId variable = kNoNode;        // of a loop
    ValuePtr value = nullptr;
    std::unordered_map<std::uint64_t, Slot> slots;  // of what is inside it
  };

  static constexpr std::size_t kMaxFramed = 20'000;

  // javascript_eval.cc
  ValuePtr Ask(NodeId id, Question question);
  ValuePtr Answer(NodeId id, Question question);
  Slot& SlotOf(NodeId id, Question question);
  Frame* FrameOf(NodeId id);
  bool Charge(std::size_t steps);
  ValuePtr Compute(NodeId id);
  ValuePtr ComputeOperator(NodeId id);
  ValuePtr Literal(NodeId id);
  ValuePtr Template(NodeId id);
  ValuePtr Sum(NodeId id);
  ValuePtr Arithmetic(NodeId id);
  ValuePtr UnaryOf(NodeId id);
  ValuePtr Concat(ValuePtr left, ValuePtr right);
  ValuePtr Join(ValuePtr a, ValuePtr b);
  // All of them, without the steps between.
  ValuePtr JoinAll(const std::vector<ValuePtr>& values);
  ValuePtr Text(std::string text, ValuePtr from);
  ValuePtr Choice(NodeId id);
  std::string_view OperatorOf(NodeId id) const;

  // javascript_objects.cc
  ValuePtr ArrayOf(NodeId id);
  ValuePtr ObjectOf(NodeId id);
  void AddPair(Value& object, NodeId pair);
  void AddSpread(Value& to, ValuePtr from);
  ValuePtr MemberOf(NodeId id);
  bool IsMethodOfBuiltin(NodeId member);
  ValuePtr Picked(ValuePtr object, NodeId access);
  ValuePtr MemberOfName(std::string_view name, std::string_view key);
  ValuePtr ConstructorOf(ValuePtr object);
  ValuePtr PrototypeOf(ValuePtr object);
  ValuePtr InstanceOf(NodeId owner);
  ValuePtr StaticOf(NodeId owner, std::string_view key);
  ValuePtr MemberValue(NodeId member);
  ValuePtr ThisOf(NodeId id);
  ValuePtr EnumOf(NodeId id);
  ValuePtr ListOf(std::vector<ValuePtr> items);
  std::vector<ValuePtr> ItemsOf(ValuePtr container);
  ValuePtr AnyOf(ValuePtr container);

  // javascript_flow.cc
  ValuePtr Identifier(NodeId id);
  ValuePtr Global(NodeId id, std::string_view name);
  ValuePtr Variable(const Binding& binding);
  ValuePtr Grown(ValuePtr so_far, NodeId target);
  ValuePtr GrownInLoop(ValuePtr so_far, NodeId loop, NodeId target);
  ValuePtr Written(NodeId write);
  ValuePtr StoredIn(NodeId id, NodeId parent);
  ValuePtr StoredInImport(NodeId id, NodeId parent);
  ValuePtr Element(NodeId id, NodeId pattern);
  ValuePtr Keys(ValuePtr object);
  std::vector<ValuePtr> RoundsOf(NodeId loop, NodeId& variable);

  // javascript_sites.cc
  struct Site {
    NodeId call;
    std::size_t argument;  // at which the function is given; kCallee: it is what is called
  };
  static constexpr std::size_t kCallee = ~std::size_t{0};
  ValuePtr Parameter(NodeId function, std::size_t number);
  std::vector<Site> AllSitesOf(NodeId function);
  ValuePtr RestOf(NodeId function, std::size_t first);
  void SitesOf(NodeId expression, int depth, std::vector<Site>& sites);
  void SitesBeyond(NodeId id, NodeId parent, int depth, std::vector<Site>& sites);
  void SitesOfResult(NodeId function, int depth, std::vector<Site>& sites);
  void SitesOfFunction(NodeId function, int depth, std::vector<Site>& sites);
  void SitesOfMember(std::string_view name, std::vector<Site>& sites);
  void SitesOfBinding(const Binding* binding, int depth, std::vector<Site>& sites);
  void SitesOfArgument(NodeId list, NodeId expression, int depth, std::vector<Site>& sites);
  ValuePtr AtSite(const Site& site, std::size_t number);
  ValuePtr GivenByMethod(const Call& call, std::size_t number);

  // javascript_calls.cc
  ValuePtr Called(NodeId id);
  ValuePtr Invoke(NodeId function, const std::vector<ValuePtr>& arguments);
  ValuePtr Invoke(ValuePtr functions, const std::vector<ValuePtr>& arguments);
  ValuePtr Returned(NodeId function);
  std::vector<ValuePtr> Arguments(NodeId list);
  void Unhide(Call& call);

  const Syntax& syntax_;
  const Scopes& scopes_;
  ValueStore store_;
  std::unordered_map<std::uint64_t, Slot> slots_;
  std::vector<Frame*> frames_;
  std::uint32_t depth_ = 0;
  std::uint32_t lowest_ = ~std::uint32_t{0};  // the outermost question that was asked in a circle
  std::size_t most_steps_;
  std::size_t steps_ = 0;
  Deadline deadline_;
  std::size_t framed_ = 0;
  std::size_t fuel_ = 0;  // for one search of sites
  bool gave_up_ = false;
};

}  // namespace belljar::judgement::analysis::javascript
