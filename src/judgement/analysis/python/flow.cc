// Interprocedural evaluation: functions, calls and loops of the program.
#include <algorithm>

#include "judgement/analysis/python/eval.h"

namespace belljar::judgement::analysis::python {

// True if a callee cannot be a function of the program: a name that the program does not bind, an
// imported one, or a member of one.
bool Evaluator::IsFromOutside(NodeId node) const {
  while (syntax_.Is(node, Py::kAttribute)) node = syntax_.Field(node, kObject);
  if (!syntax_.Is(node, Py::kIdentifier)) return false;
  const Bindings* bindings = scopes_.FindOf(node);
  const auto is_import = [](const Binding& one) { return one.kind == BindingKind::kModule; };
  return bindings == nullptr || std::ranges::all_of(bindings->all, is_import);
}

// Finds the callers of each function. There is a cycle: parameters get their values from calls, and
// resolving which function a call invokes needs evaluation. So calls are resolved first with
// unknown parameters, and the tentative values from this phase are discarded afterwards.
void Evaluator::FindCalls() {
  auto& functions = scopes_.functions();
  for (const NodeId call : scopes_.calls()) {
    const NodeId called = syntax_.Field(call, kFunction);
    if (IsFromOutside(called)) continue;
    const ValuePtr callee = Eval(called);
    if (callee == nullptr) continue;
    for (NodeId definition : callee->functions) {
      if (syntax_.Is(definition, Py::kClassDefinition)) {
        const Bindings* made = scopes_.FindIn(scopes_.ScopeOf(definition), "__init__");
        if (made == nullptr) continue;
        definition = made->all.front().source;
      }
      const auto function = functions.find(definition);
      if (function != functions.end()) function->second.calls.push_back(call);
    }
  }
  ForgetTentative();
  steps_ = 0;
}

void Evaluator::ForgetTentative() {
  const auto is_tentative = [](Progress progress) { return progress == Progress::kTentative; };
  for (NodeId node = 0; node < progress_.size(); ++node) {
    if (!is_tentative(progress_[node])) continue;
    progress_[node] = Progress::kNew;
    memo_[node] = nullptr;
  }
  for (Named& named : named_) {
    if (is_tentative(named.progress)) named = {};
  }
  tentative_ = false;
}

Arguments Evaluator::ArgumentsOf(NodeId call) {
  Arguments arguments;
  const NodeId list = syntax_.Field(call, kArguments);
  if (list == kNoNode) return arguments;
  // A generator expression as the only argument: f(x for x in y)
  if (syntax_.Is(list, Py::kGeneratorExpression)) {
    arguments.positional.push_back(Eval(list));
    return arguments;
  }
  for (NodeId argument = syntax_.at(list).first; argument != kNoNode;
       argument = syntax_.at(argument).next) {
    if (!syntax_.IsNamed(argument)) continue;
    if (syntax_.Is(argument, Py::kKeywordArgument)) {
      const NodeId name = syntax_.Field(argument, kName);
      if (name == kNoNode) continue;
      arguments.named.emplace_back(syntax_.Text(name), Eval(syntax_.Field(argument, kValue)));
    } else if (syntax_.Is(argument, Py::kListSplat)) {
      for (const ValuePtr part : Elements(store_, Eval(argument))) {
        arguments.positional.push_back(part);
      }
    } else if (syntax_.Is(argument, Py::kDictionarySplat)) {
      const ValuePtr mapping = Eval(syntax_.Named(argument, 0));
      if (mapping == nullptr) continue;
      for (const auto& [key, part] : mapping->keyed) arguments.named.emplace_back(key, part);
    } else {
      arguments.positional.push_back(Eval(argument));
    }
  }
  return arguments;
}

const Arguments& Evaluator::Given(NodeId call) {
  if (given_to_ != call) given_ = ArgumentsOf(call);
  given_to_ = call;
  return given_;
}

// The node of `value` in f(**{"name": value}).
NodeId Evaluator::ArgumentInSplat(NodeId splat, std::string_view name) const {
  const NodeId mapping = syntax_.Named(splat, 0);
  if (!syntax_.Is(mapping, Py::kDictionary)) return kNoNode;
  for (const NodeId pair : syntax_.NamedChildren(mapping)) {
    const NodeId key = syntax_.Field(pair, kKey);
    const std::string_view text = key == kNoNode ? "" : syntax_.Text(key);
    const bool quoted = text.size() > 2 && (text.front() == '"' || text.front() == '\'');
    if (quoted && text.substr(1, text.size() - 2) == name) return syntax_.Field(pair, kValue);
  }
  return kNoNode;
}

NodeId Evaluator::ArgumentNode(NodeId call, std::size_t number, std::string_view name) const {
  const NodeId list = syntax_.Field(call, kArguments);
  if (list == kNoNode) return kNoNode;
  // A generator expression as the only argument: f(x for x in y)
  if (syntax_.Is(list, Py::kGeneratorExpression)) return number == 0 ? list : kNoNode;
  std::size_t seen = 0;
  for (NodeId argument = syntax_.at(list).first; argument != kNoNode;
       argument = syntax_.at(argument).next) {
    if (!syntax_.IsNamed(argument)) continue;
    if (syntax_.Is(argument, Py::kKeywordArgument)) {
      const NodeId given = syntax_.Field(argument, kName);
      if (given != kNoNode && syntax_.Text(given) == name) return syntax_.Field(argument, kValue);
    } else if (syntax_.Is(argument, Py::kDictionarySplat)) {
      const NodeId given = ArgumentInSplat(argument, name);
      if (given != kNoNode) return given;
    } else if (seen++ == number) {
      return argument;
    }
  }
  return kNoNode;
}

ValuePtr Evaluator::EvalCall(NodeId node) {
  const NodeId function = syntax_.Field(node, kFunction);
  if (function == kNoNode) return nullptr;
  const ValuePtr callee = Eval(function);
  ValuePtr value = nullptr;
  std::optional<Arguments> arguments;
  if (callee != nullptr && (!callee->names.empty() || !callee->functions.empty())) {
    arguments = ArgumentsOf(node);
    value = CallValue(callee, *arguments);
  }
  if (!syntax_.Is(function, Py::kAttribute)) return value;
  const NodeId method = syntax_.Field(function, kAttributeField);
  const ValuePtr object = Eval(syntax_.Field(function, kObject));
  if (method == kNoNode || object == nullptr) return value;
  if (!arguments) arguments = ArgumentsOf(node);
  const ValuePtr of_method = CallMethod(object, syntax_.Text(method), *arguments);
  return value == nullptr ? of_method : store_.Join(value, of_method);
}

ValuePtr Evaluator::CallValue(ValuePtr callee, const Arguments& arguments) {
  if (callee == nullptr) return nullptr;
  ValuePtr value = nullptr;
  for (const std::string& name : callee->names) {
    value = store_.Join(value, CallNamed(*this, name, arguments));
  }
  for (const NodeId definition : callee->functions) {
    value =
        store_.Join(value, syntax_.Is(definition, Py::kLambda) && arguments.positional.size() == 1
                               ? ReturnWith(definition, arguments.positional.front())
                               : ReturnOf(definition));
  }
  return value;
}

ValuePtr Evaluator::ReturnOf(NodeId function) {
  const auto found = scopes_.functions().find(function);
  if (found == scopes_.functions().end()) return nullptr;
  ValuePtr value = nullptr;
  for (const NodeId returned : found->second.returns) value = store_.Join(value, Eval(returned));
  if (found->second.yields.empty()) return value;
  Value generator;
  for (const NodeId yielded : found->second.yields) {
    generator.others = store_.Join(generator.others, Eval(yielded));
  }
  return store_.Join(value, store_.Keep(std::move(generator)));
}

// The result of calling a lambda with one known argument.
ValuePtr Evaluator::ReturnWith(NodeId function, ValuePtr argument) {
  // A recursive call contributes nothing to the lambda's own value.
  if (std::ranges::find(overridden_in_, function) != overridden_in_.end()) return nullptr;
  const NodeId parameters = syntax_.Field(function, kParametersField);
  const NodeId parameter = parameters == kNoNode ? kNoNode : syntax_.Named(parameters, 0);
  if (!syntax_.Is(parameter, Py::kIdentifier)) return ReturnOf(function);
  return EvalWith(function, syntax_.Text(parameter), argument, syntax_.Field(function, kBody));
}

ValuePtr Evaluator::EvalWith(NodeId scope_node, std::string_view name, ValuePtr value,
                             NodeId body) {
  overrides_.push_back({scopes_.ScopeOf(scope_node), name, value});
  overridden_in_.push_back(scope_node);
  const ValuePtr result = Eval(body);
  overridden_in_.pop_back();
  overrides_.pop_back();
  return result;
}

ValuePtr Evaluator::EvalComprehension(NodeId node) {
  const NodeId body = syntax_.Field(node, kBody);
  NodeId loop = kNoNode;
  std::size_t loops = 0;
  bool filtered = false;
  for (const NodeId part : syntax_.NamedChildren(node)) {
    filtered = filtered || syntax_.Is(part, Py::kIfClause);
    if (!syntax_.Is(part, Py::kForInClause)) continue;
    loop = part;
    ++loops;
  }
  if (body == kNoNode || loop == kNoNode) return nullptr;
  const NodeId target = syntax_.Field(loop, kLeft);
  Value value;
  if (loops == 1 && syntax_.Is(target, Py::kIdentifier)) {
    for (const ValuePtr one : Elements(store_, Eval(syntax_.Field(loop, kRight)))) {
      value.items.push_back(EvalWith(node, syntax_.Text(target), one, body));
    }
  }
  // Conditions of comprehensions are not evaluated; a filtered result counts as decoded.
  value.decoded = filtered;
  if (value.items.empty()) value.others = Eval(body);
  if (value.items.empty() && value.others == nullptr) return nullptr;
  return store_.Keep(std::move(value));
}

ValuePtr Evaluator::EvalDictionaryComprehension(NodeId node) {
  const NodeId pair = syntax_.Field(node, kBody);
  if (pair == kNoNode) return nullptr;
  Value value;
  value.others = Eval(syntax_.Field(pair, kValue));
  return value.others == nullptr ? nullptr : store_.Keep(std::move(value));
}

ValuePtr Evaluator::MapOver(ValuePtr function, ValuePtr container) {
  Value value;
  for (const ValuePtr one : Elements(store_, container)) {
    value.items.push_back(CallValue(function, {{one}, {}}));
  }
  if (value.items.empty()) {
    value.others = CallValue(function, {{AnyPart(store_, container)}, {}});
  }
  return store_.Keep(std::move(value));
}

ValuePtr Evaluator::EvalParameter(const Binding& binding) {
  tentative_ = true;
  ValuePtr value = binding.key == kNoNode ? nullptr : Eval(binding.key);
  const Function& function = scopes_.functions().at(binding.source);
  if (function.is_method && binding.index == 0) return value;
  const std::size_t number = binding.index - (function.is_method ? 1 : 0);
  const NodeId parameters = syntax_.Field(binding.source, kParametersField);
  const NodeId parameter = syntax_.Named(parameters, binding.index);
  const NodeId name =
      syntax_.Is(parameter, Py::kIdentifier) ? parameter : syntax_.Named(parameter, 0);
  for (const NodeId call : function.calls) {
    value = store_.Join(value, Eval(ArgumentNode(call, number, syntax_.Text(name))));
  }
  return value;
}

std::optional<ValuePtr> Evaluator::Overridden(NodeId node, std::string_view name) const {
  for (auto it = overrides_.rbegin(); it != overrides_.rend(); ++it) {
    if (it->name == name && scopes_.IsWithin(scopes_.ScopeOf(node), it->scope)) return it->value;
  }
  return std::nullopt;
}

ValuePtr Evaluator::EvalRest(const Binding& binding) {
  tentative_ = true;
  Value value;
  const Function& function = scopes_.functions().at(binding.source);
  for (const NodeId call : function.calls) {
    const NodeId list = syntax_.Field(call, kArguments);
    if (list == kNoNode) continue;
    for (const NodeId argument : syntax_.NamedChildren(list)) {
      const bool named = syntax_.Is(argument, Py::kKeywordArgument);
      const ValuePtr part = Eval(named ? syntax_.Field(argument, kValue) : argument);
      value.others = store_.Join(value.others, part);
    }
  }
  return value.others == nullptr ? nullptr : store_.Keep(std::move(value));
}

}  // namespace belljar::judgement::analysis::python
