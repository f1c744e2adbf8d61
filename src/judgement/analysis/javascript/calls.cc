// Evaluator: evaluates calls.
#include <algorithm>
#include <utility>

#include "judgement/analysis/javascript/builtins.h"
#include "judgement/analysis/javascript/eval.h"
#include "judgement/analysis/javascript/text.h"

namespace belljar::judgement::analysis::javascript {
namespace {

constexpr std::size_t kMaxFrames = 5;

bool IsGenerator(const Syntax& syntax, NodeId function) {
  if (syntax.Is(function, Js::kGenerator) || syntax.Is(function, Js::kGeneratorDeclaration)) {
    return true;
  }
  if (!syntax.Is(function, Js::kMethod)) return false;
  for (NodeId part = syntax.at(function).first; part != kNoNode; part = syntax.at(part).next) {
    if (syntax.Text(part) == "*") return true;
    if (syntax.at(part).field == kFieldName) break;
  }
  return false;
}

}  // namespace

// The arguments of a call. A tagged template passes the list of its strings, then the substituted
// values.
std::vector<ValuePtr> Evaluator::Arguments(NodeId list) {
  if (list == kNoNode) return {};
  Value given;
  if (syntax_.Is(list, Js::kTemplate)) {
    std::vector<ValuePtr> texts;
    std::string text;
    for (const NodeId part : syntax_.NamedChildren(list)) {
      if (!syntax_.Is(part, Js::kSubstitution)) {
        text += Unescape(syntax_.Text(part));
        continue;
      }
      texts.push_back(store_.Text(std::exchange(text, "")));
      given.items.push_back(Eval(part));
    }
    texts.push_back(store_.Text(text));
    given.items.insert(given.items.begin(), ListOf(std::move(texts)));
    return given.items;
  }
  for (const NodeId argument : syntax_.NamedChildren(list)) {
    if (given.items.size() >= kMaxItems) break;
    if (syntax_.Is(argument, Js::kSpread)) {
      AddSpread(given, Eval(syntax_.Named(argument, 0)));
    } else {
      given.items.push_back(Eval(argument));
    }
  }
  return given.items;
}

Call Evaluator::CallOf(NodeId id) {
  Call call;
  call.is_new = syntax_.Is(id, Js::kNew);
  const NodeId callee =
      Bare(syntax_, syntax_.Field(id, call.is_new ? kFieldConstructor : kFieldFunction));
  if (callee == kNoNode) return call;
  call.callee = Eval(callee);
  if (syntax_.Is(callee, Js::kMember) || syntax_.Is(callee, Js::kSubscript)) {
    call.receiver = Eval(syntax_.Field(callee, kFieldObject));
    const std::vector<std::string> keys = KeysOf(callee);
    if (keys.size() == 1) call.method = keys.front();
  }
  call.arguments = Arguments(syntax_.Field(id, kFieldArguments));
  Unhide(call);
  return call;
}

void Evaluator::Unhide(Call& call) {
  const auto shift = [&](std::size_t count) {
    count = std::min(count, call.arguments.size());
    call.arguments.erase(call.arguments.begin(),
                         call.arguments.begin() + static_cast<std::ptrdiff_t>(count));
  };
  if (call.Calls("Reflect.apply") || call.Calls("Reflect.construct")) {
    const std::size_t list = call.Calls("Reflect.apply") ? 2 : 1;
    call.callee = call.Argument(0);
    call.is_new = list == 1;
    call.arguments = ItemsOf(call.Argument(list));
    call.method.clear();
    return;
  }
  const ValuePtr called = call.receiver;
  const bool is_function =
      called != nullptr && (!called->names.empty() || !called->functions.empty());
  if (!is_function) return;
  if (call.method == "call" || call.method == "bind") {
    call.callee = called;
    call.is_bind = call.method == "bind";
    shift(1);
  } else if (call.method == "apply") {
    call.callee = called;
    call.arguments = ItemsOf(call.Argument(1));
  }
}

ValuePtr Evaluator::Called(NodeId id) {
  const Call call = CallOf(id);
  if (call.is_bind) return call.callee;
  ValuePtr result = Builtins(*this, call).Result();
  if (call.callee == nullptr) return result;
  for (const NodeId function : call.callee->functions) {
    result = Join(result, Invoke(function, call.arguments));
    if (!call.is_new || IsClass(syntax_, function)) continue;
    const ValuePtr made = Ask(function, Question::kInstance);
    result = Join(result, Join(made, AtKey(call.callee, "prototype")));
  }
  return result;
}

ValuePtr Evaluator::Invoke(ValuePtr functions, const std::vector<ValuePtr>& arguments) {
  if (functions == nullptr) return nullptr;
  Call call;
  call.callee = functions;
  call.arguments = arguments;
  ValuePtr result = functions->names.empty() ? nullptr : Builtins(*this, call).Result();
  for (const NodeId function : functions->functions) {
    result = Join(result, Invoke(function, arguments));
  }
  return result;
}

ValuePtr Evaluator::Invoke(NodeId function, const std::vector<ValuePtr>& arguments) {
  if (IsClass(syntax_, function)) return Ask(function, Question::kInstance);
  const bool knows_any = std::any_of(arguments.begin(), arguments.end(),
                                     [](ValuePtr argument) { return argument != nullptr; });
  if (!knows_any || frames_.size() >= kMaxFrames || framed_ > kMaxFramed) {
    return Ask(function, Question::kReturned);
  }
  ++framed_;
  Frame frame;
  frame.root = function;
  frame.arguments = arguments;
  frames_.push_back(&frame);
  const ValuePtr result = Ask(function, Question::kReturned);
  frames_.pop_back();
  return result;
}

ValuePtr Evaluator::Returned(NodeId function) {
  const NodeId body = syntax_.Field(function, kFieldBody);
  if (body == kNoNode) return nullptr;
  if (!syntax_.Is(body, Js::kBlock)) return Eval(body);
  if (IsGenerator(syntax_, function)) {
    Value yields;
    for (const NodeId yield : scopes_.YieldsOf(function)) {
      const ValuePtr value = Eval(syntax_.Named(yield, 0));
      const bool is_all = syntax_.Text(yield).starts_with("yield*");
      if (is_all) AddSpread(yields, value);
      if (!is_all && yields.items.size() < kMaxItems) yields.items.push_back(value);
    }
    return store_.Keep(std::move(yields));
  }
  ValuePtr result = nullptr;
  for (const NodeId statement : scopes_.ReturnsOf(function)) {
    result = Join(result, Eval(syntax_.Named(statement, 0)));
  }
  return result;
}

}  // namespace belljar::judgement::analysis::javascript
