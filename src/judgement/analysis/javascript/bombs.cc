#include "judgement/analysis/javascript/bombs.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace belljar::judgement::analysis::javascript {
namespace {

using std::string_view;

constexpr int kMaxBreakClimb = 100;
constexpr double kManyRounds = 64;
constexpr double kMostRounds = 1e13;  // which take hours, whatever is done in them
constexpr double kManyItems = 1e8;
constexpr double kManyBytes = 1 << 30;
constexpr double kLongText = 1 << 27;
constexpr double kLargeStep = 1e5;  // bytes or items that are large if kept again and again

template <std::size_t N>
bool IsOneOf(string_view name, const std::array<string_view, N>& names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

double ItemSize(string_view array) {
  if (array.starts_with("Float64") || array.starts_with("Big")) return 8;
  if (array.starts_with("Float32") || array.starts_with("Int32") || array.starts_with("Uint32")) {
    return 4;
  }
  return array.starts_with("Int16") || array.starts_with("Uint16") ? 2 : 1;
}

bool IsTypedArrayName(string_view name) { return name.ends_with("Array") && name.size() > 8; }

std::optional<Bomb> Endless(string_view subject) {
  return Bomb{std::string(subject), "this never ends"};
}

// The number of bytes or items that a call asks for; 0: none, or not known.
double SizeAsked(const Call& call) {
  const double* first = OnlyNumber(call.Argument(0));
  if (call.callee != nullptr && first != nullptr) {
    for (const std::string& name : call.callee->names) {
      if (name == "Array") return *first * (kManyBytes / kManyItems);
      if (IsTypedArrayName(name)) return *first * ItemSize(name) * 2;
      if (name.starts_with("Buffer.alloc") || name.ends_with("ArrayBuffer")) return *first;
      if (name == "node:crypto.randomBytes") return *first;
    }
  }
  if (first == nullptr) {
    const double* length = OnlyNumber(AtKey(call.Argument(0), "length"));
    const bool is_from = length != nullptr && call.Calls("Array.from");
    return is_from ? *length * (kManyBytes / kManyItems) : 0;
  }
  const std::string* text = OnlyText(call.receiver);
  const double length = text == nullptr ? 1 : static_cast<double>(text->size());
  if (call.method == "repeat") return *first * length * (kManyBytes / kLongText);
  const bool pads = call.method == "padStart" || call.method == "padEnd";
  return pads ? *first * (kManyBytes / kLongText) : 0;
}

}  // namespace

std::optional<Bomb> Bombs::InStatement(NodeId id) {
  if (IsLoop(syntax_, id)) return InLoop(id);
  if (IsFunction(syntax_, id)) return InFunction(id);
  if (syntax_.Is(id, Js::kBinary)) return InPower(id);
  if (!syntax_.Is(id, Js::kSpread)) return std::nullopt;
  const NodeId call = Bare(syntax_, syntax_.Named(id, 0));
  if (!syntax_.Is(call, Js::kCall)) return std::nullopt;
  if (!IsEndlessGenerator(evaluator_.CallOf(call).callee)) return std::nullopt;
  return Bomb{"generator", "a generator that never ends is collected"};
}

bool Bombs::IsAlwaysTrue(NodeId condition, int depth) {
  const NodeId id = Bare(syntax_, condition);
  if (id == kNoNode || depth == 0) return false;
  if (syntax_.Is(id, Js::kTrue) || syntax_.Is(id, Js::kObject) || syntax_.Is(id, Js::kArray)) {
    return true;
  }
  if (syntax_.Is(id, Js::kNumber)) {
    const double* number = OnlyNumber(evaluator_.Eval(id));
    return number != nullptr && *number != 0;
  }
  if (syntax_.Is(id, Js::kString)) return syntax_.Text(id).size() > 2;
  if (syntax_.Is(id, Js::kUnary) && syntax_.Text(id).starts_with('!')) {
    const NodeId inside = Bare(syntax_, syntax_.Field(id, kFieldArgument));
    if (inside == kNoNode) return false;
    const string_view text = syntax_.Text(inside);
    if (text == "false" || text == "0" || text == "null" || text == "undefined") return true;
    const bool is_double = syntax_.Is(inside, Js::kUnary) && text.starts_with('!');
    return is_double && IsAlwaysTrue(syntax_.Field(inside, kFieldArgument), depth - 1);
  }
  if (!syntax_.Is(id, Js::kIdentifier)) return false;
  const Binding* binding = scopes_.BindingOf(id);
  if (binding == nullptr || binding->targets.size() != 1) return false;
  const NodeId declarator = syntax_.at(binding->targets.front()).parent;
  const NodeId declaration = syntax_.at(declarator).parent;
  return syntax_.Is(declarator, Js::kDeclarator) &&
         syntax_.Text(declaration).starts_with("const") &&
         IsAlwaysTrue(syntax_.Field(declarator, kFieldValue), depth - 1);
}

bool Bombs::IsEndless(NodeId loop) {
  if (syntax_.Is(loop, Js::kForIn)) return false;
  const NodeId condition = syntax_.Field(loop, kFieldCondition);
  if (!syntax_.Is(loop, Js::kFor)) return IsAlwaysTrue(condition, 4);
  if (condition == kNoNode) return true;
  const string_view text = syntax_.Text(condition);
  if (text == ";" || text.empty()) return true;
  const bool is_statement = syntax_.Is(condition, Js::kExpressionStatement);
  return IsAlwaysTrue(is_statement ? syntax_.Named(condition, 0) : condition, 4);
}

// A break that leaves the loop, and not only what is in it.
bool Bombs::Breaks(NodeId statement, NodeId loop) const {
  const NodeId label = syntax_.Field(statement, kFieldLabel);
  NodeId at = syntax_.at(statement).parent;
  for (int i = 0; i < kMaxBreakClimb && at != kNoNode && at != loop;
       ++i, at = syntax_.at(at).parent) {
    if (label == kNoNode) {
      if (IsLoop(syntax_, at) || syntax_.Is(at, Js::kSwitch)) return false;
    } else if (syntax_.Is(at, Js::kLabeled)) {
      const NodeId own = syntax_.Field(at, kFieldLabel);
      if (own != kNoNode && syntax_.Text(own) == syntax_.Text(label)) return false;
    }
  }
  return true;
}

bool Bombs::IsGrowth(NodeId id) {
  static constexpr auto kPut = std::to_array<string_view>(
      {"push", "unshift", "add", "set", "append", "concat", "appendFileSync", "writeFileSync"});
  if (syntax_.Is(id, Js::kCall)) {
    const NodeId callee = Bare(syntax_, syntax_.Field(id, kFieldFunction));
    if (!syntax_.Is(callee, Js::kMember)) return false;
    return IsOneOf(scopes_.NameOf(syntax_.Field(callee, kFieldProperty)), kPut);
  }
  return false;
}

// x += x, x = x + x, x = x.concat(x), x = [...x, ...x], x.push(...x)
bool Bombs::Doubles(NodeId id) {
  NodeId left = kNoNode;
  if (syntax_.Is(id, Js::kAssignment) || syntax_.Is(id, Js::kAugmented)) {
    left = syntax_.Field(id, kFieldLeft);
  } else if (IsGrowth(id)) {
    left = syntax_.Field(Bare(syntax_, syntax_.Field(id, kFieldFunction)), kFieldObject);
  }
  if (!syntax_.Is(left, Js::kIdentifier)) return false;
  const Binding* binding = scopes_.BindingOf(left);
  if (binding == nullptr) return false;
  std::size_t times = syntax_.Is(id, Js::kAssignment) ? 0 : 1;
  for (NodeId at = left + 1; at < scopes_.EndOf(id); ++at) {
    if (!syntax_.Is(at, Js::kIdentifier) || scopes_.BindingOf(at) != binding) continue;
    const NodeId parent = syntax_.at(at).parent;
    const bool is_callee = syntax_.Is(parent, Js::kMember);
    const bool is_list = syntax_.Is(parent, Js::kSpread) || syntax_.Is(parent, Js::kArray) ||
                         syntax_.Is(parent, Js::kArguments);
    const bool is_sum = syntax_.Is(parent, Js::kBinary) || syntax_.Is(parent, Js::kAugmented) ||
                        syntax_.Is(parent, Js::kSubstitution);
    if (is_callee) {
      const string_view member = scopes_.NameOf(syntax_.Field(parent, kFieldProperty));
      times += member == "concat" ? 1 : 0;
    } else if (is_list || is_sum) {
      ++times;
    }
  }
  if (syntax_.Is(id, Js::kCall))
    return syntax_.Text(id).find("...") != string_view::npos && times > 1;
  return times > 1;
}

void Bombs::Note(NodeId id, NodeId loop, Contents& contents) {
  switch (static_cast<Js>(syntax_.at(id).kind)) {
    case Js::kReturn:
    case Js::kThrow:
      contents.leaves = true;
      return;
    case Js::kBreak:
      contents.leaves = contents.leaves || Breaks(id, loop);
      return;
    case Js::kYield:
      contents.yields = true;
      return;
    case Js::kAwait:
      contents.awaits = true;
      return;
    case Js::kCall:
      contents.leaves = contents.leaves || syntax_.Text(id).starts_with("process.exit(");
      break;
    case Js::kAssignment:
    case Js::kAugmented:
      break;
    default:
      return;
  }
  contents.grows = contents.grows || IsGrowth(id) || syntax_.Is(id, Js::kAugmented);
  contents.doubles = contents.doubles || Doubles(id);
}

Bombs::Contents Bombs::ContentsOf(NodeId loop) {
  Contents contents;
  for (NodeId id = loop + 1; id < scopes_.EndOf(loop); ++id) {
    if (IsFunction(syntax_, id) || IsClass(syntax_, id)) {
      id = scopes_.EndOf(id) - 1;
    } else {
      Note(id, loop, contents);
    }
  }
  return contents;
}

// Rounds by a constant that is large.
double Bombs::RoundsOf(NodeId loop) {
  if (!syntax_.Is(loop, Js::kFor) && !syntax_.Is(loop, Js::kWhile)) return 0;
  NodeId condition = Bare(syntax_, syntax_.Field(loop, kFieldCondition));
  if (syntax_.Is(condition, Js::kExpressionStatement)) condition = syntax_.Named(condition, 0);
  if (!syntax_.Is(condition, Js::kBinary)) return 0;
  const double* bound = OnlyNumber(evaluator_.Eval(syntax_.Field(condition, kFieldRight)));
  return bound == nullptr ? 0 : *bound;
}

// The list that a loop goes through grows in it.
bool Bombs::Grows(NodeId loop, NodeId list) {
  const Binding* binding = syntax_.Is(list, Js::kIdentifier) ? scopes_.BindingOf(list) : nullptr;
  if (binding == nullptr) return false;
  return std::any_of(binding->writes.begin(), binding->writes.end(), [&](NodeId write) {
    const bool is_inside = scopes_.Contains(loop, write) && IsGrowth(write);
    return is_inside && IsCertain(write, loop);
  });
}

std::optional<Bomb> Bombs::InLoop(NodeId loop) {
  if (syntax_.Is(loop, Js::kForIn)) {
    if (!Grows(loop, syntax_.Field(loop, kFieldRight)) || ContentsOf(loop).leaves) {
      return std::nullopt;
    }
    return Bomb{"for", "what the loop goes through grows in it"};
  }
  const bool is_endless = IsEndless(loop);
  const double rounds = RoundsOf(loop);
  if (!is_endless && rounds < kManyRounds) return std::nullopt;
  const Contents contents = ContentsOf(loop);
  if (contents.leaves) return std::nullopt;
  if (contents.doubles && !contents.yields) {
    return Bomb{"loop", "something is doubled in every round of the loop"};
  }
  const bool counts = syntax_.Is(loop, Js::kFor) && rounds >= kMostRounds;
  if ((!is_endless && !counts) || contents.yields || (contents.awaits && !contents.grows))
    return std::nullopt;
  return Endless("loop");
}

bool Bombs::IsEndlessGenerator(ValuePtr functions) {
  if (functions == nullptr) return false;
  for (const NodeId function : functions->functions) {
    for (const NodeId yield : scopes_.YieldsOf(function)) {
      NodeId at = yield;
      for (int i = 0; i < kMaxBreakClimb && at != function && at != kNoNode; ++i) {
        if (IsLoop(syntax_, at) && IsEndless(at) && !ContentsOf(at).leaves) return true;
        at = syntax_.at(at).parent;
      }
    }
  }
  return false;
}

std::optional<Bomb> Bombs::InCall(NodeId id, const Call& call) {
  if (SizeAsked(call) >= kManyBytes) {
    return Bomb{"allocation", "more memory is asked for than a program needs"};
  }
  if (call.Calls("Array.from") && syntax_.Is(id, Js::kCall)) {
    const NodeId list = syntax_.Field(id, kFieldArguments);
    const NodeId source = list == kNoNode ? kNoNode : Bare(syntax_, syntax_.Named(list, 0));
    if (syntax_.Is(source, Js::kCall) && IsEndlessGenerator(evaluator_.CallOf(source).callee)) {
      return Bomb{"generator", "a generator that never ends is collected"};
    }
  }
  if (!call.Calls("setInterval") || call.Argument(0) == nullptr) return std::nullopt;
  for (const NodeId function : call.Argument(0)->functions) {
    if (Allocates(function)) return Bomb{"setInterval", "memory is taken again and again"};
  }
  return std::nullopt;
}

// Large things are kept: put into something that outlives the call.
bool Bombs::Allocates(NodeId function) {
  for (NodeId id = function; id < scopes_.EndOf(function); ++id) {
    if (!IsGrowth(id)) continue;
    for (NodeId part = id + 1; part < scopes_.EndOf(id); ++part) {
      const bool is_call = syntax_.Is(part, Js::kCall) || syntax_.Is(part, Js::kNew);
      if (is_call && SizeAsked(evaluator_.CallOf(part)) >= kLargeStep) return true;
    }
  }
  return false;
}

}  // namespace belljar::judgement::analysis::javascript
