// Evaluator: an abstract interpreter that computes the possible values (value.h) of expressions, on
// demand.
//
// It is flow-insensitive: the value of a variable is the join of everything stored in it,
// regardless of the order of statements. Two constructs are followed more precisely, because
// programs hide names in them: strings that grow by += are built in source order, and calls and
// loops with known arguments are evaluated again for those arguments (frames). A query that depends
// on itself sees null for the inner query. Its result may be incomplete, since another evaluation
// order may yield more, so it is memoised only after a few attempts.
//
// Depth, steps and frames are bounded. Queries beyond a bound yield null, and gave_up() tells so.
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

// A call in normal form: f.call(x, a), Reflect.apply(f, x, [a]) and f.bind(x, a) all become f(a).
struct Call {
  ValuePtr callee = nullptr;
  ValuePtr receiver = nullptr;  // of the call as written
  std::string method;           // of the call as written; "" if the callee is not a member
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
  // The value stored at a target: a binding, an assigned member, or part of a pattern.
  ValuePtr Stored(NodeId target);
  Call CallOf(NodeId call);
  // The possible keys of a member access, a subscript or a pair in a pattern; empty if unknown.
  std::vector<std::string> KeysOf(NodeId member);
  ValuePtr KeyValue(NodeId member);
  ValuePtr Member(ValuePtr object, std::string_view key);
  // The binding targets of a function's parameters, in order.
  std::vector<NodeId> ParametersOf(NodeId function) const;

  bool gave_up() const { return gave_up_ || store_.exhausted(); }
  ValueStore& store() { return store_; }

 private:
  friend class Builtins;

  enum class Question : std::uint8_t { kValue, kVariable, kInstance, kReturned, kStored };
  struct Slot {
    ValuePtr value = nullptr;
    std::uint32_t depth = 0;  // recursion depth while in progress
    std::uint8_t state = 0;   // 0: new; 1: in progress; 2: memoised
    std::uint8_t tries = 0;
  };
  // A function or loop that is evaluated with particular values.
  struct Frame {
    NodeId root;
    std::vector<ValuePtr> arguments;  // of the parameters, for a function
    NodeId variable = kNoNode;        // the loop variable, for a loop
    ValuePtr value = nullptr;
    std::unordered_map<std::uint64_t, Slot> slots;  // memoised queries about nodes inside the root
  };

  static constexpr std::size_t kMaxFramed = 20'000;

  // eval.cc
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
  // The join of all values, without storing the intermediate joins.
  ValuePtr JoinAll(const std::vector<ValuePtr>& values);
  ValuePtr Text(std::string text, ValuePtr from);
  ValuePtr Choice(NodeId id);
  std::string_view OperatorOf(NodeId id) const;

  // objects.cc
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

  // flow.cc
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

  // sites.cc
  struct Site {
    NodeId call;
    std::size_t argument;  // position at which the function is passed; kCallee: it is the callee
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

  // calls.cc
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
  // The least depth of an in-progress query that was met again (a cycle).
  std::uint32_t lowest_ = ~std::uint32_t{0};
  std::size_t most_steps_;
  std::size_t steps_ = 0;
  Deadline deadline_;
  std::size_t framed_ = 0;
  std::size_t fuel_ = 0;  // steps left for one search for call sites
  bool gave_up_ = false;
};

}  // namespace belljar::judgement::analysis::javascript
