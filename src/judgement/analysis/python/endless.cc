// Loops, generators and recursion without a way out.
#include <algorithm>
#include <cmath>

#include "judgement/analysis/python/check.h"

namespace belljar::judgement::analysis::python {
namespace {

constexpr double kHoardedTurns = 1e11;  // of a loop that keeps something in each

// Ways out of a loop; and what makes it grow.
struct LoopBody {
  bool leaves = false;
  bool yields = false;
  bool grows = false;
  bool calls = false;  // something that may end it: by an exception, say
};

bool Grows(std::string_view method) {
  return method == "append" || method == "extend" || method == "add" || method == "start" ||
         method == "insert" || method == "write" || method == "update" || method == "submit" ||
         method == "makedirs" || method == "mkdir";
}

// What takes from somewhere, and ends with an exception when nothing is left.
bool RunsDry(std::string_view function) {
  return function == "input" || function == "next" || function == "read" ||
         function == "readline" || function == "get" || function == "get_nowait" ||
         function == "pop" || function == "popleft" || function == "popitem";
}

LoopBody Look(const Syntax& syntax, NodeId loop) {
  LoopBody body;
  const Node& whole = syntax.at(loop);
  std::uint32_t inside = 0;  // where a function ends that is only defined in the loop
  for (NodeId node = loop + 1; node < syntax.size() && syntax.at(node).start < whole.end; ++node) {
    if (!syntax.at(node).named) continue;
    if (syntax.Is(node, Py::kLambda)) inside = std::max(inside, syntax.at(node).end);
    switch (static_cast<Py>(syntax.at(node).kind)) {
      case Py::kBreakStatement:
      case Py::kReturnStatement:
      case Py::kRaiseStatement:
      case Py::kAwait:
        body.leaves = true;
        break;
      case Py::kYield:
        body.yields = true;
        break;
      case Py::kAugmentedAssignment:
        body.grows = true;
        break;
      case Py::kCall: {
        const NodeId function = syntax.Field(node, kFunction);
        const bool method = syntax.Is(function, Py::kAttribute);
        const NodeId name = method ? syntax.Field(function, kAttributeField) : function;
        const std::string_view text = name == kNoNode ? "" : syntax.Text(name);
        if (RunsDry(text) && syntax.at(node).start >= inside) body.leaves = true;
        if (method && Grows(text)) {
          body.grows = true;
        } else if (text != "print") {
          body.calls = true;
        }
        break;
      }
      default:
        break;
    }
  }
  return body;
}

bool IsAlwaysTrue(const Syntax& syntax, NodeId condition) {
  while (syntax.Is(condition, Py::kParenthesizedExpression)) condition = syntax.Named(condition, 0);
  if (condition == kNoNode) return false;
  return syntax.Is(condition, Py::kTrue) ||
         (syntax.Is(condition, Py::kInteger) && syntax.Text(condition) != "0");
}

// What may keep a function from calling itself once more.
bool Decides(const Syntax& syntax, NodeId node) {
  switch (static_cast<Py>(syntax.at(node).kind)) {
    case Py::kIfStatement:
    case Py::kConditionalExpression:
    case Py::kBooleanOperator:
    case Py::kTryStatement:
    case Py::kMatchStatement:
    case Py::kWhileStatement:
    case Py::kForStatement:
    case Py::kForInClause:
    case Py::kAssertStatement:
    case Py::kRaiseStatement:
    case Py::kYield:
    case Py::kLambda:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool Checks::YieldsForever(NodeId function) {
  const auto [known, is_new] = yields_forever_.emplace(function, false);
  if (is_new) known->second = LoopsForever(function);
  return known->second;
}

// A generator of the text whose loop has no way out.
bool Checks::LoopsForever(NodeId function) const {
  const Node& whole = syntax_.at(function);
  for (NodeId node = function + 1; node < syntax_.size() && syntax_.at(node).start < whole.end;
       ++node) {
    if (!syntax_.Is(node, Py::kWhileStatement)) continue;
    if (!IsAlwaysTrue(syntax_, syntax_.Field(node, kCondition))) continue;
    const LoopBody body = Look(syntax_, node);
    if (body.yields && !body.leaves && !body.calls) return true;
  }
  return false;
}

// An exception that ends the loop is expected.
bool Checks::IsTried(NodeId loop) const {
  for (NodeId at = syntax_.at(loop).parent; at != kNoNode; at = syntax_.at(at).parent) {
    if (syntax_.Is(at, Py::kTryStatement)) return true;
    if (syntax_.Is(at, Py::kFunctionDefinition)) return false;
  }
  return false;
}

void Checks::EndlessLoop(NodeId loop) {
  if (!IsAlwaysTrue(syntax_, syntax_.Field(loop, kCondition))) return;
  const LoopBody body = Look(syntax_, loop);
  if (body.leaves || body.yields || (body.calls && (!body.grows || IsTried(loop)))) return;
  report_.Add("py-bomb", syntax_.PlaceOf(loop), "a loop without a way out");
}

// At every turn of the loop: under no condition, in no loop of its own.
bool Checks::IsCertain(NodeId node, NodeId loop) const {
  for (NodeId at = syntax_.at(node).parent; at != loop && at != kNoNode;
       at = syntax_.at(at).parent) {
    if (Decides(syntax_, at)) return false;
  }
  return true;
}

// Over what never ends, or over what grows with every turn.
void Checks::EndlessFor(NodeId loop) {
  const NodeId over = syntax_.Field(loop, kRight);
  if (over == kNoNode) return;
  const LoopBody body = Look(syntax_, loop);
  if (body.leaves || body.yields) return;
  const bool endless = TurnsOfRange(over) == HUGE_VAL && (body.grows || !body.calls);
  const std::string own = std::string(syntax_.Text(over)) + ".append";
  bool feeds_itself = false;
  const Node& whole = syntax_.at(loop);
  for (NodeId node = over; node < syntax_.size() && syntax_.at(node).start < whole.end; ++node) {
    feeds_itself = feeds_itself || (syntax_.Is(node, Py::kAttribute) && syntax_.Text(node) == own &&
                                    IsCertain(node, loop));
  }
  const bool hoards = body.grows && TurnsOfRange(over) >= kHoardedTurns;
  if (endless || feeds_itself || hoards) {
    report_.Add("py-bomb", syntax_.PlaceOf(loop), "a loop without a way out");
  }
}

NodeId Checks::ClassAround(NodeId node) const {
  while (node != kNoNode && !syntax_.Is(node, Py::kClassDefinition)) node = syntax_.at(node).parent;
  return node;
}

// True if the name was given to the function where it is written, and to nothing else: what was
// kept under another name before it was replaced (old = f; f = lambda: old()) is not the new one.
bool Checks::IsPlainly(NodeId callee, NodeId function) {
  if (syntax_.Is(callee, Py::kAttribute)) {
    // self.f() is of this class, and f its method: not what somebody put there.
    const NodeId name = syntax_.Field(function, kName);
    return name != kNoNode && ClassAround(callee) == ClassAround(function) &&
           syntax_.Text(name) == syntax_.Text(syntax_.Field(callee, kAttributeField));
  }
  const Bindings* bindings = scopes_.Find(callee, syntax_.Text(callee));
  if (bindings == nullptr || bindings->all.size() != 1) return false;
  return bindings->all.front().source == function;
}

// The functions that one calls whatever happens; none if something in it may decide otherwise.
std::vector<NodeId> Checks::SurelyCalled(NodeId function) {
  std::vector<NodeId> called;
  const Node& whole = syntax_.at(function);
  for (NodeId node = function + 1; node < syntax_.size() && syntax_.at(node).start < whole.end;
       ++node) {
    if (!syntax_.at(node).named) continue;
    if (Decides(syntax_, node)) return {};
    if (!syntax_.Is(node, Py::kCall)) continue;
    const NodeId callee = syntax_.Field(node, kFunction);
    // self.f() is of this class; super().f() and other objects' are not.
    const bool own = syntax_.Is(callee, Py::kAttribute) &&
                     syntax_.Text(syntax_.Field(callee, kObject)) == "self";
    if (!own && !syntax_.Is(callee, Py::kIdentifier)) continue;
    const ValuePtr value = evaluator_.Eval(callee);
    if (value == nullptr) continue;
    for (const NodeId one : value->functions) {
      if (IsPlainly(callee, one)) called.push_back(one);
    }
  }
  return called;
}

// def __repr__(self): return repr(self)
bool Checks::IsSelfRecursiveCall(NodeId method) {
  const NodeId name = syntax_.Field(method, kName);
  const Node& whole = syntax_.at(method);
  const std::string_view own = name == kNoNode ? "" : syntax_.Text(name);
  if (!own.starts_with("__") || own.size() < 5) return false;
  bool asks = false;
  for (NodeId node = method + 1; node < syntax_.size() && syntax_.at(node).start < whole.end;
       ++node) {
    if (!syntax_.at(node).named) continue;
    if (Decides(syntax_, node)) return false;
    if (!syntax_.Is(node, Py::kCall)) continue;
    const std::string_view called = syntax_.Text(syntax_.Field(node, kFunction));
    const NodeId of = evaluator_.ArgumentNode(node, 0, "");
    asks = asks ||
           (called == own.substr(2, own.size() - 4) && of != kNoNode && syntax_.Text(of) == "self");
  }
  return asks;
}

void Checks::EndlessRecursion(NodeId function) {
  if (syntax_.Is(function, Py::kFunctionDefinition) && IsSelfRecursiveCall(function)) {
    report_.Add("py-bomb", syntax_.PlaceOf(function), "a function that calls itself without end");
    return;
  }
  constexpr std::size_t kMaxFollowedCalls = 32;
  std::vector<NodeId> seen;
  std::vector<NodeId> next = SurelyCalled(function);
  while (!next.empty() && seen.size() < kMaxFollowedCalls) {
    const NodeId one = next.back();
    next.pop_back();
    if (one == function) {
      report_.Add("py-bomb", syntax_.PlaceOf(function), "a function that calls itself without end");
      return;
    }
    if (std::ranges::find(seen, one) != seen.end()) continue;
    seen.push_back(one);
    if (!syntax_.Is(one, Py::kFunctionDefinition) && !syntax_.Is(one, Py::kLambda)) continue;
    const auto further = SurelyCalled(one);
    next.insert(next.end(), further.begin(), further.end());
  }
}

}  // namespace belljar::judgement::analysis::python
