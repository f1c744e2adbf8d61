// Bombs: functions that call themselves, at once or later, whatever happens.
#include <algorithm>
#include <cmath>

#include "judgement/analysis/javascript/bombs.h"

namespace belljar::judgement::analysis::javascript {
namespace {

constexpr int kMaxCallClimb = 60;
constexpr double kHugePower = 1e6;

bool IsCondition(const Syntax& syntax, NodeId id) {
  if (syntax.Is(id, Js::kBinary)) {
    const NodeId op = syntax.Field(id, kFieldOperator);
    const std::string_view text = op == kNoNode ? "" : syntax.Text(op);
    return text == "&&" || text == "||" || text == "??";
  }
  return syntax.Is(id, Js::kIf) || syntax.Is(id, Js::kTernary) || syntax.Is(id, Js::kSwitch) ||
         syntax.Is(id, Js::kCatch) || IsLoop(syntax, id) || IsFunction(syntax, id) ||
         syntax.Is(id, Js::kAugmented) || syntax.Is(id, Js::kAssignmentPattern);
}

}  // namespace

// Reached whenever the function (or loop) is: under no condition, and behind no way out.
bool Bombs::IsCertain(NodeId id, NodeId function) const {
  NodeId at = syntax_.at(id).parent;
  for (int i = 0; at != function; ++i, at = syntax_.at(at).parent) {
    if (i == kMaxCallClimb || at == kNoNode || IsCondition(syntax_, at)) return false;
  }
  const bool is_loop = IsLoop(syntax_, function);
  for (NodeId before = function + 1; before < id; ++before) {
    if (!is_loop && IsFunction(syntax_, before)) {
      if (scopes_.Contains(before, id)) continue;
      before = scopes_.EndOf(before) - 1;
      continue;
    }
    const bool leaves = syntax_.Is(before, Js::kReturn) || syntax_.Is(before, Js::kThrow) ||
                        syntax_.Is(before, Js::kAwait) || syntax_.Is(before, Js::kYield) ||
                        syntax_.Is(before, Js::kBreak);
    if (leaves && !scopes_.Contains(before, id)) return false;
    if (syntax_.Is(before, Js::kAwait)) return false;
  }
  return true;
}

const Binding* Bombs::BindingOfFunction(NodeId function) const {
  const Binding* declared = scopes_.DeclaredBy(function);
  if (declared != nullptr) return declared;
  const NodeId parent = syntax_.at(Wrapped(syntax_, function)).parent;
  if (!syntax_.Is(parent, Js::kDeclarator)) return nullptr;
  return scopes_.BindingOf(syntax_.Field(parent, kFieldName));
}

std::optional<Bomb> Bombs::InFunction(NodeId function) {
  const Binding* binding = BindingOfFunction(function);
  if (binding == nullptr || binding->targets.size() != 1) return std::nullopt;
  int times = 0;
  for (const NodeId use : binding->uses) {
    if (scopes_.FunctionOf(use) != function || !IsCertain(use, function)) continue;
    if (auto bomb = Reschedules(use, function, times)) return bomb;
  }
  return std::nullopt;
}

std::optional<Bomb> Bombs::Reschedules(NodeId use, NodeId function, int& times) {
  const NodeId parent = syntax_.at(use).parent;
  if (syntax_.Is(parent, Js::kCall) && syntax_.at(use).field == kFieldFunction) {
    const bool is_lazy = !scopes_.YieldsOf(function).empty();
    if (is_lazy) return std::nullopt;
    return Bomb{"recursion", "the function calls itself whatever happens"};
  }
  if (!syntax_.Is(parent, Js::kArguments)) return std::nullopt;
  const Call call = evaluator_.CallOf(syntax_.at(parent).parent);
  const bool starves =
      call.Calls("process.nextTick") || call.Calls("queueMicrotask") || call.method == "then";
  const bool is_timer = call.Calls("setImmediate") || call.Calls("setTimeout");
  if (!starves && !is_timer) return std::nullopt;
  ++times;
  if (!starves && times < 2 && !Allocates(function)) return std::nullopt;
  return Bomb{"recursion", "the function has itself called again whatever happens"};
}

// Of whole numbers without bound: 2n ** 100000000n.
std::optional<Bomb> Bombs::InPower(NodeId power) {
  const NodeId op = syntax_.Field(power, kFieldOperator);
  if (op == kNoNode || syntax_.Text(op) != "**") return std::nullopt;
  const NodeId right = Bare(syntax_, syntax_.Field(power, kFieldRight));
  if (right == kNoNode || !syntax_.Text(right).ends_with('n')) return std::nullopt;
  const double* exponent = OnlyNumber(evaluator_.Eval(right));
  if (exponent == nullptr || *exponent < kHugePower) return std::nullopt;
  return Bomb{"power", "the number has millions of digits"};
}

}  // namespace belljar::judgement::analysis::javascript
