// Evaluator: containers, members, classes and their instances.
#include <algorithm>
#include <iterator>

#include "judgement/analysis/javascript/builtins.h"
#include "judgement/analysis/javascript/eval.h"
#include "judgement/analysis/javascript/names.h"
#include "judgement/analysis/javascript/path.h"
#include "judgement/analysis/javascript/text.h"

namespace belljar::judgement::analysis::javascript {
namespace {

bool IsGetter(const Syntax& syntax, NodeId method) {
  for (NodeId part = syntax.at(method).first; part != kNoNode; part = syntax.at(part).next) {
    if (!syntax.at(part).named && syntax.Text(part) == "get") return true;
    if (syntax.at(part).field == kFieldName) return false;
  }
  return false;
}

bool IsStatic(const Syntax& syntax, NodeId member) {
  for (NodeId part = syntax.at(member).first; part != kNoNode; part = syntax.at(part).next) {
    if (syntax.Text(part) == "static") return true;
    if (syntax.at(part).field == kFieldName || syntax.at(part).field == kFieldProperty) break;
  }
  return false;
}

// True for values that the rules may report. They come first when a bound limits the alternatives.
bool IsTelling(ValuePtr value) {
  const std::string* text = OnlyText(value);
  if (text == nullptr) return value != nullptr && !value->names.empty();
  return *text == "__proto__" || *text == "constructor" || DangerOfModule(Shown(*text)) ||
         DangerOfName(*text) || LeadsOut(*text);
}

std::optional<std::int64_t> IndexIn(std::string_view key) {
  if (key.empty() || key.size() > 6) return std::nullopt;
  std::int64_t index = 0;
  for (const char c : key) {
    if (c < '0' || c > '9') return std::nullopt;
    index = index * 10 + (c - '0');
  }
  return index;
}

}  // namespace

ValuePtr Evaluator::ListOf(std::vector<ValuePtr> items) {
  Value list;
  if (items.size() > kMaxItems) items.resize(kMaxItems);
  list.items = std::move(items);
  return store_.Keep(std::move(list));
}

// The elements of a list; the characters of a string.
std::vector<ValuePtr> Evaluator::ItemsOf(ValuePtr container) {
  if (container == nullptr) return {};
  if (!container->items.empty()) return container->items;
  const std::string* text = OnlyText(container);
  if (text == nullptr || !IsWhole(*text)) return {};
  std::vector<ValuePtr> items;
  for (const char32_t code : CodesOf(*text)) {
    if (items.size() >= kMaxItems || !Charge(1)) break;
    items.push_back(Text(TextOf({&code, 1}), container));
  }
  return items;
}

ValuePtr Evaluator::AnyOf(ValuePtr container) {
  if (container == nullptr) return nullptr;
  std::vector<ValuePtr> parts{container->others};
  if (container->items.size() > kMaxAlternatives) {
    std::copy_if(container->items.begin(), container->items.end(), std::back_inserter(parts),
                 IsTelling);
  }
  parts.insert(parts.end(), container->items.begin(), container->items.end());
  for (const auto& [key, part] : container->keyed) parts.push_back(part);
  return JoinAll(parts);
}

void Evaluator::AddSpread(Value& to, ValuePtr from) {
  if (from == nullptr) return;
  for (const ValuePtr item : ItemsOf(from)) {
    if (to.items.size() < kMaxItems) to.items.push_back(item);
  }
  to.others = Join(to.others, from->others);
}

ValuePtr Evaluator::ArrayOf(NodeId id) {
  Value list;
  for (const NodeId child : syntax_.NamedChildren(id)) {
    if (list.items.size() >= kMaxItems) break;
    if (syntax_.Is(child, Js::kSpread)) {
      AddSpread(list, Eval(syntax_.Named(child, 0)));
    } else {
      list.items.push_back(Eval(child));
    }
  }
  return store_.Keep(std::move(list));
}

void Evaluator::AddPair(Value& object, NodeId pair) {
  const bool is_method = syntax_.Is(pair, Js::kMethod);
  const ValuePtr value = is_method ? MemberValue(pair) : Eval(syntax_.Field(pair, kFieldValue));
  const std::vector<std::string> keys = KeysOf(pair);
  if (keys.empty()) object.others = Join(object.others, value);
  for (const std::string& key : keys) object.keyed[key] = value;
}

ValuePtr Evaluator::ObjectOf(NodeId id) {
  Value object;
  for (const NodeId child : syntax_.NamedChildren(id)) {
    if (object.keyed.size() >= kMaxItems) break;
    if (syntax_.Is(child, Js::kShorthand)) {
      object.keyed[std::string(scopes_.NameOf(child))] = Eval(child);
    } else if (syntax_.Is(child, Js::kPair) || syntax_.Is(child, Js::kMethod)) {
      AddPair(object, child);
    } else if (syntax_.Is(child, Js::kSpread)) {
      const ValuePtr from = Eval(syntax_.Named(child, 0));
      if (from == nullptr) continue;
      for (const auto& [key, part] : from->keyed) object.keyed[key] = part;
      object.names.insert(object.names.end(), from->names.begin(), from->names.end());
      object.others = Join(object.others, from->others);
    }
  }
  return store_.Keep(std::move(object));
}

// The key of a member access, subscript, pair, pattern, method or field.
ValuePtr Evaluator::KeyValue(NodeId member) {
  NodeId key = kNoNode;
  for (const std::uint8_t field : {kFieldProperty, kFieldIndex, kFieldKey, kFieldName}) {
    if (key == kNoNode) key = syntax_.Field(member, field);
  }
  if (key == kNoNode) return nullptr;
  return Eval(key);
}

std::vector<std::string> Evaluator::KeysOf(NodeId member) {
  const ValuePtr key = KeyValue(member);
  if (key == nullptr) return {};
  std::vector<std::string> keys;
  for (const std::string& text : key->texts) {
    if (IsWhole(text)) keys.push_back(text);
  }
  for (const double number : key->numbers) {
    if (number >= 0 && number < 1e6) keys.push_back(std::to_string(static_cast<int>(number)));
  }
  return keys;
}

ValuePtr Evaluator::MemberOf(NodeId id) {
  const NodeId owner = syntax_.Field(id, kFieldObject);
  const ValuePtr object = Eval(owner);
  // [].at.constructor: the value of a built-in method is unknown here, but its constructor is
  // Function.
  if (object == nullptr && IsMethodOfBuiltin(Bare(syntax_, owner))) {
    const std::vector<std::string> keys = KeysOf(id);
    if (std::ranges::find(keys, "constructor") != keys.end()) return store_.Name("Function");
  }
  return Picked(object, id);
}

// True if a member can only be a built-in method: any member of a literal that does not define it,
// and for other objects a member with the name of a built-in method.
bool Evaluator::IsMethodOfBuiltin(NodeId member) {
  if (!syntax_.Is(member, Js::kMember) && !syntax_.Is(member, Js::kSubscript)) return false;
  const std::vector<std::string> keys = KeysOf(member);
  const auto is_item = [](const std::string& key) { return IndexIn(key).has_value(); };
  switch (static_cast<Js>(syntax_.at(Bare(syntax_, syntax_.Field(member, kFieldObject))).kind)) {
    case Js::kArray:
    case Js::kString:
    case Js::kTemplate:
    case Js::kNumber:
    case Js::kRegex:
    case Js::kTrue:
    case Js::kFalse:
      return !keys.empty() && std::ranges::none_of(keys, is_item);
    default:
      return std::ranges::any_of(keys, IsBuiltinMethod);
  }
}

// The value that a member access, subscript or pattern takes from an object.
ValuePtr Evaluator::Picked(ValuePtr object, NodeId access) {
  const std::vector<std::string> keys = KeysOf(access);
  if (keys.empty()) return AnyOf(object);
  ValuePtr member = nullptr;
  for (const std::string& key : keys) member = Join(member, Member(object, key));
  return member;
}

ValuePtr Evaluator::MemberOfName(std::string_view name, std::string_view key) {
  if (name == "process.env" && (key == "HOME" || key == "USERPROFILE")) return store_.Text("~");
  if (name == "node:path" && key == "sep") return store_.Text("/");
  if (name == "import.meta" && key == "dirname") return store_.Text(".");
  if (name == "node:os" && key == "EOL") return store_.Text("\n");
  if (key == "constructor" || key == "__proto__") return nullptr;
  return store_.Name(CanonicalName(RawMember(name, key)));
}

ValuePtr Evaluator::Member(ValuePtr object, std::string_view key) {
  if (key == "__proto__") return PrototypeOf(object);
  if (key == "constructor") {
    const ValuePtr own = object == nullptr ? nullptr : AtKey(object, key);
    const bool is_own = own != nullptr && !own->functions.empty();
    return is_own ? own : Join(own, ConstructorOf(object));
  }
  if (object == nullptr) return nullptr;
  ValuePtr member = AtKey(object, key);
  if (const auto index = IndexIn(key)) {
    const std::vector<ValuePtr> items = ItemsOf(object);
    if (scopes_.rotates_lists() && items.size() > 1) {
      member = Join(Join(member, AnyOf(object)), store_.Name("?rotated"));
    } else if (static_cast<std::size_t>(*index) < items.size()) {
      member = Join(member, items[static_cast<std::size_t>(*index)]);
    }
  }
  for (const std::string& name : object->names) member = Join(member, MemberOfName(name, key));
  for (const NodeId function : object->functions) {
    member = Join(member, StaticOf(function, key));
  }
  if (key != "length" || member != nullptr) return member;
  const std::string* text = OnlyText(object);
  if (text != nullptr) return store_.Number(static_cast<double>(CodesOf(*text).size()));
  if (object->items.empty()) return nullptr;
  return store_.Number(static_cast<double>(object->items.size()));
}

// The value of x.constructor: strings, lists and objects lead to their built-in classes, and those
// to Function.
ValuePtr Evaluator::ConstructorOf(ValuePtr object) {
  if (object == nullptr) return store_.Name("?constructor");
  if (!object->functions.empty()) return store_.Name("Function");
  if (!object->names.empty()) {
    const std::string& name = object->names.front();
    constexpr std::string_view kPrototype = ".prototype";
    if (name == "module") return store_.Name("node:module");
    if (name == "?prototype" || name.starts_with("process.env")) return store_.Name("?constructor");
    if (name.ends_with(kPrototype)) {
      return store_.Name(name.substr(0, name.size() - kPrototype.size()));
    }
    return store_.Name(IsGate(name) && name != "require" ? "Object" : "Function");
  }
  if (!object->texts.empty()) return store_.Name("String");
  if (!object->numbers.empty()) return store_.Name("Number");
  return store_.Name(object->items.empty() ? "Object" : "Array");
}

ValuePtr Evaluator::PrototypeOf(ValuePtr object) {
  if (object == nullptr) return store_.Name("?prototype");
  const ValuePtr maker = ConstructorOf(object);
  const std::string& name = maker->names.front();
  if (name == "?constructor") return store_.Name("?prototype");
  return store_.Name(name + ".prototype");
}

// The value of a method, getter or field of a class or object.
ValuePtr Evaluator::MemberValue(NodeId member) {
  if (!syntax_.Is(member, Js::kMethod)) return Eval(syntax_.Field(member, kFieldValue));
  if (IsGetter(syntax_, member)) return Invoke(member, {});
  return store_.Function(member);
}

// An instance of a class or constructor function: an object with its members by name.
ValuePtr Evaluator::InstanceOf(NodeId owner) {
  Value instance;
  const NodeId body = IsClass(syntax_, owner) ? syntax_.Field(owner, kFieldBody) : kNoNode;
  if (body != kNoNode) {
    for (const NodeId member : syntax_.NamedChildren(body)) {
      const bool is_part = syntax_.Is(member, Js::kMethod) || syntax_.Is(member, Js::kField);
      if (!is_part || IsStatic(syntax_, member)) continue;
      const ValuePtr value = MemberValue(member);
      for (const std::string& key : KeysOf(member)) {
        instance.keyed[key] = key == "constructor" ? store_.Function(owner) : value;
      }
    }
    instance.keyed.emplace("constructor", store_.Function(owner));
  }
  std::vector<ValuePtr> parts{store_.Keep(std::move(instance))};
  for (const NodeId write : scopes_.WritesToThis(owner)) parts.push_back(Written(write));
  return JoinAll(parts);
}

ValuePtr Evaluator::StaticOf(NodeId owner, std::string_view key) {
  if (key == "prototype") return Ask(owner, Question::kInstance);
  if (!IsClass(syntax_, owner)) return nullptr;
  const NodeId body = syntax_.Field(owner, kFieldBody);
  if (body == kNoNode) return nullptr;
  for (const NodeId member : syntax_.NamedChildren(body)) {
    const bool is_part = syntax_.Is(member, Js::kMethod) || syntax_.Is(member, Js::kField);
    if (!is_part || !IsStatic(syntax_, member)) continue;
    for (const std::string& name : KeysOf(member)) {
      if (name == key) return MemberValue(member);
    }
  }
  return nullptr;
}

ValuePtr Evaluator::ThisOf(NodeId id) {
  const NodeId owner = scopes_.OwnerOfThis(id);
  if (owner == kNoNode) return store_.Keep({});
  if (syntax_.Is(owner, Js::kObject)) return Eval(owner);
  const NodeId outside = Wrapped(syntax_, owner);
  const bool is_called = syntax_.at(outside).field == kFieldFunction;
  // In sloppy mode, an immediately invoked function has the global object as `this`.
  if (is_called) return store_.Name("globalThis");
  const ValuePtr instance = Ask(owner, Question::kInstance);
  const bool is_empty = instance == nullptr || instance->keyed.empty();
  return is_empty && !IsClass(syntax_, owner) ? nullptr : instance;
}

ValuePtr Evaluator::EnumOf(NodeId id) {
  Value members;
  const NodeId body = syntax_.Field(id, kFieldBody);
  if (body == kNoNode) return nullptr;
  for (const NodeId member : syntax_.NamedChildren(body)) {
    if (!syntax_.Is(member, Js::kEnumAssignment)) continue;
    const ValuePtr value = Eval(syntax_.Field(member, kFieldValue));
    for (const std::string& key : KeysOf(member)) members.keyed[key] = value;
  }
  return store_.Keep(std::move(members));
}

}  // namespace belljar::judgement::analysis::javascript
