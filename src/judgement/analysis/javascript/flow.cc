// Evaluator: values of variables, patterns and loop variables.
#include <algorithm>
#include <array>

#include "judgement/analysis/javascript/eval.h"
#include "judgement/analysis/javascript/names.h"
#include "judgement/analysis/javascript/text.h"

namespace belljar::judgement::analysis::javascript {
namespace {

constexpr std::size_t kMaxGrowth = 512;  // loop iterations that are evaluated one by one
constexpr int kMaxLoopClimb = 40;
constexpr std::size_t kMaxTargets = 2000;

// The innermost loop around a node, within the same function.
NodeId LoopAround(const Syntax& syntax, NodeId id) {
  for (int i = 0; i < kMaxLoopClimb && id != kNoNode; ++i) {
    id = syntax.at(id).parent;
    if (id == kNoNode || IsFunction(syntax, id)) return kNoNode;
    if (IsLoop(syntax, id)) return id;
  }
  return kNoNode;
}

NodeId ImportAround(const Syntax& syntax, NodeId id) {
  for (int i = 0; i < 5 && id != kNoNode; ++i, id = syntax.at(id).parent) {
    if (syntax.Is(id, Js::kImportStatement)) return id;
  }
  return kNoNode;
}

// The index of an element in an array pattern or parameter list; counts commas, since elements may
// be omitted.
std::size_t NumberIn(const Syntax& syntax, NodeId pattern, NodeId element) {
  std::size_t number = 0;
  for (NodeId part = syntax.at(pattern).first; part != kNoNode && part != element;
       part = syntax.at(part).next) {
    if (!syntax.at(part).named && syntax.Text(part) == ",") ++number;
  }
  return number;
}

}  // namespace

ValuePtr Evaluator::Identifier(NodeId id) {
  const Binding* binding = scopes_.BindingOf(id);
  if (binding == nullptr) return Global(id, scopes_.NameOf(id));
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    const NodeId variable = (*frame)->variable;
    if (variable != kNoNode && scopes_.BindingOf(variable) == binding) return (*frame)->value;
  }
  return Ask(binding->targets.front(), Question::kVariable);
}

ValuePtr Evaluator::Global(NodeId id, std::string_view name) {
  if (name == "__dirname") return store_.Text(".");
  if (name == "__filename") return store_.Text("./index.js");
  if (name == "undefined" || name == "NaN") return nullptr;
  if (name == "arguments") {
    const NodeId function = scopes_.FunctionOf(id);
    if (function != kNoNode) return RestOf(function, 0);
    // A CommonJS module is the body of a function with these arguments.
    return ListOf({store_.Name("exports"), store_.Name("require"), store_.Name("module"),
                   store_.Text("./index.js"), store_.Text(".")});
  }
  return store_.Name(CanonicalName(std::string(name)));
}

ValuePtr Evaluator::Variable(const Binding& binding) {
  ValuePtr value = nullptr;
  std::size_t count = 0;
  for (const NodeId target : binding.targets) {
    if (++count > kMaxTargets) break;
    const NodeId parent = syntax_.at(target).parent;
    const bool grows = syntax_.Is(parent, Js::kAugmented) && OperatorOf(parent) == "+=";
    value = grows ? Grown(value, target) : Join(value, Stored(target));
  }
  std::vector<ValuePtr> parts{value};
  for (const NodeId write : binding.writes) {
    if (++count > kMaxTargets) break;
    parts.push_back(Written(write));
  }
  return JoinAll(parts);
}

ValuePtr Evaluator::Grown(ValuePtr so_far, NodeId target) {
  const NodeId loop = LoopAround(syntax_, target);
  if (loop != kNoNode && !scopes_.Contains(loop, scopes_.BindingOf(target)->targets.front())) {
    return GrownInLoop(so_far, loop, target);
  }
  return Concat(so_far, Eval(syntax_.Field(syntax_.at(target).parent, kFieldRight)));
}

// The values that a loop variable takes, one per iteration; empty if unknown.
std::vector<ValuePtr> Evaluator::RoundsOf(NodeId loop, NodeId& variable) {
  if (syntax_.Is(loop, Js::kForIn)) {
    variable = syntax_.Field(loop, kFieldLeft);
    if (OperatorOf(loop) != "of" || !syntax_.Is(variable, Js::kIdentifier)) return {};
    return ItemsOf(Eval(syntax_.Field(loop, kFieldRight)));
  }
  if (!syntax_.Is(loop, Js::kFor)) return {};
  const NodeId start = syntax_.Field(loop, kFieldInitializer);
  const NodeId declarator = start == kNoNode ? kNoNode : syntax_.Named(start, 0);
  NodeId condition = syntax_.Field(loop, kFieldCondition);
  if (syntax_.Is(condition, Js::kExpressionStatement)) condition = syntax_.Named(condition, 0);
  if (!syntax_.Is(declarator, Js::kDeclarator) || !syntax_.Is(condition, Js::kBinary)) return {};
  variable = syntax_.Field(declarator, kFieldName);
  const double* from = OnlyNumber(Eval(syntax_.Field(declarator, kFieldValue)));
  const double* to = OnlyNumber(Eval(syntax_.Field(condition, kFieldRight)));
  const NodeId step = syntax_.Field(loop, kFieldIncrement);
  if (from == nullptr || to == nullptr || step == kNoNode) return {};
  const std::string_view op = OperatorOf(condition);
  const bool is_up = op.starts_with('<') && syntax_.Text(step).ends_with("++");
  const bool is_down = op.starts_with('>') && syntax_.Text(step).ends_with("--");
  std::vector<ValuePtr> rounds;
  const double last = op.ends_with('=') ? *to : is_up ? *to - 1 : *to + 1;
  for (double at = *from; (is_up && at <= last) || (is_down && at >= last); at += is_up ? 1 : -1) {
    if (rounds.size() >= kMaxGrowth) return {};
    rounds.push_back(store_.Number(at));
  }
  return rounds;
}

ValuePtr Evaluator::GrownInLoop(ValuePtr so_far, NodeId loop, NodeId target) {
  const NodeId added = syntax_.Field(syntax_.at(target).parent, kFieldRight);
  Frame frame;
  frame.root = loop;
  const std::vector<ValuePtr> rounds = RoundsOf(loop, frame.variable);
  if (rounds.empty() || rounds.size() > kMaxGrowth || framed_ > kMaxFramed) {
    return Concat(Concat(so_far, Eval(added)), store_.Text(std::string(1, kHole)));
  }
  for (const ValuePtr round : rounds) {
    ++framed_;
    frame.value = round;
    frame.slots.clear();
    frames_.push_back(&frame);
    so_far = Concat(so_far, Eval(added));
    frames_.pop_back();
  }
  return so_far;
}

// An object that contains only the member that is written.
ValuePtr Evaluator::Written(NodeId write) {
  if (syntax_.Is(write, Js::kCall)) {
    const std::vector<ValuePtr> arguments = Arguments(syntax_.Field(write, kFieldArguments));
    Value put;
    if (arguments.empty()) return nullptr;
    const bool is_set = arguments.size() == 2 && OnlyText(arguments[0]) != nullptr;
    if (is_set) put.keyed[*OnlyText(arguments[0])] = arguments[1];
    if (!is_set) put.others = arguments.back();
    return store_.Keep(std::move(put));
  }
  ValuePtr part = Stored(write);
  for (NodeId at = write; syntax_.Is(at, Js::kMember) || syntax_.Is(at, Js::kSubscript);
       at = Bare(syntax_, syntax_.Field(at, kFieldObject))) {
    Value object;
    const std::vector<std::string> keys = KeysOf(at);
    if (keys.empty()) object.others = part;
    for (const std::string& key : keys) object.keyed[key] = part;
    part = store_.Keep(std::move(object));
  }
  return part;
}

ValuePtr Evaluator::Stored(NodeId target) {
  if (IsFunction(syntax_, target) || IsClass(syntax_, target) || syntax_.Is(target, Js::kEnum)) {
    return Eval(target);
  }
  return syntax_.at(target).parent == kNoNode ? nullptr : Ask(target, Question::kStored);
}

ValuePtr Evaluator::StoredIn(NodeId id, NodeId parent) {
  switch (static_cast<Js>(syntax_.at(parent).kind)) {
    case Js::kDeclarator:
      return Eval(syntax_.Field(parent, kFieldValue));
    case Js::kAssignment:
    case Js::kAugmented:
      return Eval(syntax_.Field(parent, kFieldRight));
    case Js::kAssignmentPattern:
    case Js::kObjectAssignmentPattern: {
      const NodeId pattern = syntax_.at(parent).parent;
      const bool is_short = syntax_.Is(id, Js::kShorthandPattern);
      const ValuePtr given =
          is_short ? Member(Stored(pattern), scopes_.NameOf(id)) : Stored(parent);
      return Join(given, Eval(syntax_.Field(parent, kFieldRight)));
    }
    case Js::kObjectPattern:
      return Member(Stored(parent), scopes_.NameOf(id));
    case Js::kPairPattern:
      return Picked(Stored(syntax_.at(parent).parent), parent);
    case Js::kArrayPattern:
    case Js::kRestPattern:
      return Element(id, parent);
    case Js::kRequiredParameter:
    case Js::kOptionalParameter:
      return Join(Stored(parent), Eval(syntax_.Field(parent, kFieldValue)));
    case Js::kParameters:
      return Parameter(syntax_.at(parent).parent, NumberIn(syntax_, parent, id));
    case Js::kArrow:
      return Parameter(parent, 0);
    case Js::kForIn:
      if (OperatorOf(parent) != "of") return Keys(Eval(syntax_.Field(parent, kFieldRight)));
      return AnyOf(Eval(syntax_.Field(parent, kFieldRight)));
    default:
      return StoredInImport(id, parent);
  }
}

// The keys of an object, as alternative strings.
ValuePtr Evaluator::Keys(ValuePtr object) {
  if (object == nullptr || object->keyed.empty()) return nullptr;
  Value keys;
  for (const auto& [key, part] : object->keyed) {
    if (keys.texts.size() < kMaxAlternatives) keys.texts.push_back(key);
  }
  return store_.Keep(std::move(keys));
}

ValuePtr Evaluator::StoredInImport(NodeId id, NodeId parent) {
  const NodeId import = ImportAround(syntax_, parent);
  if (import == kNoNode || IsTypeImport(syntax_, import)) return nullptr;
  NodeId source = syntax_.Field(import, kFieldSource);
  if (syntax_.Is(parent, Js::kImportRequire)) source = syntax_.Field(parent, kFieldSource);
  const std::string* text = source == kNoNode ? nullptr : OnlyText(Eval(source));
  if (text == nullptr) return nullptr;
  const ValuePtr module = store_.Name(ModuleName(*text));
  if (!syntax_.Is(parent, Js::kImportSpecifier)) return module;
  const NodeId name = syntax_.Field(parent, kFieldName);
  if (!syntax_.Is(name, Js::kString)) return Member(module, scopes_.NameOf(name));
  const std::string* quoted = OnlyText(Eval(name));
  return quoted == nullptr ? Member(module, scopes_.NameOf(id)) : Member(module, *quoted);
}

// The value of an element of an array pattern or of a rest element.
ValuePtr Evaluator::Element(NodeId id, NodeId pattern) {
  if (syntax_.Is(pattern, Js::kArrayPattern)) {
    const ValuePtr list = Stored(pattern);
    if (list == nullptr) return nullptr;
    return Member(list, std::to_string(NumberIn(syntax_, pattern, id)));
  }
  const NodeId holder = syntax_.at(pattern).parent;
  if (syntax_.Is(holder, Js::kObjectPattern)) return Stored(holder);
  if (syntax_.Is(holder, Js::kArrayPattern)) {
    std::vector<ValuePtr> items = ItemsOf(Stored(holder));
    const std::size_t first = std::min(NumberIn(syntax_, holder, pattern), items.size());
    items.erase(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(first));
    return ListOf(std::move(items));
  }
  const bool is_typed = !syntax_.Is(holder, Js::kParameters);
  const NodeId list = is_typed ? syntax_.at(holder).parent : holder;
  if (!syntax_.Is(list, Js::kParameters)) return nullptr;
  const NodeId parameter = is_typed ? holder : pattern;
  return RestOf(syntax_.at(list).parent, NumberIn(syntax_, list, parameter));
}

}  // namespace belljar::judgement::analysis::javascript
