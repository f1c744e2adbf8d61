// Evaluates container literals, insertion into containers, and element access.
#include <cmath>
#include <optional>

#include "judgement/analysis/python/eval.h"

namespace belljar::judgement::analysis::python {
namespace {

// The map key for a constant key: a string as it is, an integer in decimal.
std::optional<std::string> KeyText(ValuePtr key) {
  const std::string* text = OnlyText(key);
  if (text != nullptr && IsWhole(*text)) return *text;
  const double* number = OnlyNumber(key);
  if (number != nullptr && std::abs(*number) < 1e9 && std::floor(*number) == *number) {
    return std::to_string(static_cast<long>(*number));
  }
  return std::nullopt;
}

}  // namespace

ValuePtr Evaluator::EvalAdded(const Binding& binding) {
  const ValuePtr part = Eval(binding.source);
  if (part == nullptr) return nullptr;
  Value container;
  const ValuePtr key = Eval(binding.key);
  const auto text = KeyText(key);
  if (text) {
    container.keyed.emplace(*text, part);
  } else {
    container.others = part;
  }
  return store_.Keep(std::move(container));
}

// The possible values of globals()["name"] or locals()["name"].
ValuePtr Evaluator::OwnName(std::string_view name) {
  ValuePtr value = nullptr;
  for (ScopeId scope = 0; scope < scopes_.count(); ++scope) {
    const Bindings* bindings = scopes_.FindIn(scope, name);
    if (bindings != nullptr) value = store_.Join(value, JoinAll(bindings));
  }
  if (value != nullptr || scopes_.FindIn(0, name) != nullptr) return value;
  return store_.Name(Canonical("builtins." + std::string(name)));
}

ValuePtr Evaluator::PartOf(ValuePtr container, ValuePtr key) {
  if (container == nullptr) return nullptr;
  ValuePtr part = nullptr;
  static const Few<std::string> kNone;
  const auto& texts = key == nullptr ? kNone : key->texts;
  for (const std::string& text : texts) {
    if (!IsWhole(text)) continue;
    for (const std::string& name : container->names) {
      if (name == "sys.modules") part = store_.Join(part, store_.Name(Canonical(text)));
      if (name == "builtins") part = store_.Join(part, store_.Name(Canonical("builtins." + text)));
      if (name.ends_with(".__dict__")) {
        part = store_.Join(part, store_.Name(Canonical(name.substr(0, name.size() - 8) + text)));
      }
      if (name == "os.environ" && text == "HOME") part = store_.Join(part, store_.Text("~"));
      if (name == "@globals") part = store_.Join(part, OwnName(text));
    }
    part = store_.Join(part, AtKey(container, text));
  }
  const double* number = OnlyNumber(key);
  if (number != nullptr) {
    const auto index = static_cast<std::int64_t>(*number);
    const std::string* text = OnlyText(container);
    const auto size = text == nullptr ? 0 : static_cast<std::int64_t>(text->size());
    const std::int64_t from_start = index < 0 ? index + size : index;
    if (from_start >= 0 && from_start < size) {
      return store_.Text(std::string(1, (*text)[static_cast<std::size_t>(from_start)]));
    }
    const auto keyed = container->keyed.find(KeyText(key).value_or(""));
    if (keyed != container->keyed.end()) return store_.Join(part, keyed->second);
    return store_.Join(part, AtIndex(container, index));
  }
  return texts.empty() ? AnyPart(store_, container) : part;
}

ValuePtr Evaluator::EvalSubscript(NodeId node) {
  const ValuePtr container = Eval(syntax_.Field(node, kValue));
  const NodeId key = syntax_.Field(node, kSubscriptField);
  if (container == nullptr || key == kNoNode) return nullptr;
  if (syntax_.Is(key, Py::kSlice)) return EvalSlice(container, key);
  return PartOf(container, Eval(key));
}

ValuePtr Evaluator::EvalItems(NodeId node) {
  Value value;
  bool known = false;
  for (const NodeId item : syntax_.NamedChildren(node)) {
    if (value.items.size() >= kMaxItems) break;
    const ValuePtr part = Eval(item);
    known = known || part != nullptr;
    if (syntax_.Is(item, Py::kListSplat)) {
      value.others = store_.Join(value.others, AnyPart(store_, part));
    } else {
      value.items.push_back(part);
    }
  }
  return known ? store_.Keep(std::move(value)) : nullptr;
}

ValuePtr Evaluator::EvalDictionary(NodeId node) {
  Value value;
  bool known = false;
  for (const NodeId item : syntax_.NamedChildren(node)) {
    if (syntax_.Is(item, Py::kDictionarySplat)) {
      value.others = store_.Join(value.others, AnyPart(store_, Eval(syntax_.Named(item, 0))));
      continue;
    }
    const ValuePtr part = Eval(syntax_.Field(item, kValue));
    if (part == nullptr) continue;
    known = true;
    const auto key = KeyText(Eval(syntax_.Field(item, kKey)));
    if (key && value.keyed.size() < kMaxKeys) {
      value.keyed.emplace(*key, part);
    } else {
      value.others = store_.Join(value.others, part);
    }
  }
  return known || value.others != nullptr ? store_.Keep(std::move(value)) : nullptr;
}

}  // namespace belljar::judgement::analysis::python
