#include "judgement/analysis/javascript/eval.h"

#include <algorithm>
#include <cmath>

#include "judgement/analysis/javascript/names.h"
#include "judgement/analysis/javascript/text.h"

namespace belljar::judgement::analysis::javascript {
namespace {

constexpr std::uint32_t kMaxDepth = 400;
// Evaluating a typical program takes about two steps for each node.
constexpr std::size_t kMaxSteps = 1'000'000;
constexpr std::size_t kMaxStepsEach = 4;
constexpr std::uint8_t kMaxTries = 3;
constexpr std::uint32_t kNoCircle = ~std::uint32_t{0};
constexpr std::size_t kMaxOperands = 20'000;

// Formats a number as JavaScript does, for integers; other numbers are approximated.
std::string NumberText(double number) {
  if (number == std::floor(number) && std::fabs(number) < 1e15) {
    return std::to_string(static_cast<std::int64_t>(number));
  }
  return std::to_string(number);
}

Few<std::string> TextsOf(ValuePtr value) {
  if (value == nullptr) return {std::string(1, kHole)};
  Few<std::string> texts = value->texts;
  for (const double number : value->numbers) texts.push_back(NumberText(number));
  if (texts.empty()) texts.emplace_back(1, kHole);
  return texts;
}

double Applied(std::string_view op, double a, double b) {
  const auto bits = [](double d) {
    if (!std::isfinite(d)) return std::int32_t{0};
    return static_cast<std::int32_t>(
        static_cast<std::uint32_t>(static_cast<std::int64_t>(std::fmod(d, 4294967296.0))));
  };
  const auto shift = static_cast<std::uint32_t>(bits(b)) & 31U;
  const auto low = static_cast<std::uint32_t>(bits(a));
  if (op == "-") return a - b;
  if (op == "*") return a * b;
  if (op == "/") return a / b;
  if (op == "%") return std::fmod(a, b);
  if (op == "**") return std::pow(a, b);
  if (op == "<<") return static_cast<std::int32_t>(low << shift);
  if (op == ">>") return bits(a) >> shift;
  if (op == ">>>") return low >> shift;
  if (op == "&") return bits(a) & bits(b);
  if (op == "|") return bits(a) | bits(b);
  if (op == "^") return bits(a) ^ bits(b);
  return std::nan("");
}

}  // namespace

bool Call::Calls(std::string_view name) const {
  return callee != nullptr &&
         std::find(callee->names.begin(), callee->names.end(), name) != callee->names.end();
}

Evaluator::Evaluator(const Syntax& syntax, const Scopes& scopes)
    : syntax_(syntax), scopes_(scopes), most_steps_(kMaxSteps + kMaxStepsEach * syntax.size()) {}

ValuePtr Evaluator::Eval(NodeId expression) {
  if (expression == kNoNode) return nullptr;
  return Ask(expression, Question::kValue);
}

bool Evaluator::Charge(std::size_t steps) {
  steps_ += steps;
  if (steps_ > most_steps_ || deadline_.HasPassed()) gave_up_ = true;
  return !gave_up_;
}

Evaluator::Frame* Evaluator::FrameOf(NodeId id) {
  for (auto frame = frames_.rbegin(); frame != frames_.rend(); ++frame) {
    if (scopes_.Contains((*frame)->root, id)) return *frame;
  }
  return nullptr;
}

Evaluator::Slot& Evaluator::SlotOf(NodeId id, Question question) {
  const std::uint64_t key = std::uint64_t{id} << 3 | static_cast<std::uint64_t>(question);
  Frame* frame = FrameOf(id);
  return frame == nullptr ? slots_[key] : frame->slots[key];
}

// The reference `slot` stays valid when the recursion inserts into the map.
ValuePtr Evaluator::Ask(NodeId id, Question question) {
  Slot& slot = SlotOf(id, question);
  if (slot.state == 2) return slot.value;
  if (slot.state == 1) {
    lowest_ = std::min(lowest_, slot.depth);
    return nullptr;
  }
  if (!Charge(1)) return nullptr;
  if (depth_ >= kMaxDepth) {
    gave_up_ = true;
    return nullptr;
  }
  slot.state = 1;
  slot.depth = ++depth_;
  const std::uint32_t outer = lowest_;
  lowest_ = kNoCircle;
  slot.value = Answer(id, question);
  const bool is_sure = lowest_ >= depth_ || ++slot.tries >= kMaxTries;
  slot.state = is_sure ? 2 : 0;
  lowest_ = std::min(outer, is_sure ? kNoCircle : lowest_);
  --depth_;
  return slot.value;
}

ValuePtr Evaluator::Answer(NodeId id, Question question) {
  switch (question) {
    case Question::kValue:
      return Compute(id);
    case Question::kVariable:
      return Variable(*scopes_.BindingOf(id));
    case Question::kInstance:
      return InstanceOf(id);
    case Question::kReturned:
      return Returned(id);
    case Question::kStored:
      return StoredIn(id, syntax_.at(id).parent);
  }
  return nullptr;
}

ValuePtr Evaluator::Compute(NodeId id) {
  switch (static_cast<Js>(syntax_.at(id).kind)) {
    case Js::kIdentifier:
    case Js::kShorthand:
      return Identifier(id);
    case Js::kPropertyName:
    case Js::kPrivateName:
      return store_.Text(std::string(scopes_.NameOf(id)));
    case Js::kString:
    case Js::kNumber:
    case Js::kRegex:
      return Literal(id);
    case Js::kTemplate:
      return Template(id);
    case Js::kArray:
      return ArrayOf(id);
    case Js::kObject:
      return ObjectOf(id);
    case Js::kMember:
    case Js::kSubscript:
      return MemberOf(id);
    case Js::kCall:
    case Js::kNew:
      return Called(id);
    case Js::kThis:
      return ThisOf(id);
    case Js::kImport:
      return store_.Name("import");
    case Js::kMetaProperty:
      return store_.Name("import.meta");
    case Js::kEnum:
      return EnumOf(id);
    default:
      if (IsFunction(syntax_, id) || IsClass(syntax_, id)) return store_.Function(id);
      return ComputeOperator(id);
  }
}

ValuePtr Evaluator::ComputeOperator(NodeId id) {
  switch (static_cast<Js>(syntax_.at(id).kind)) {
    case Js::kParenthesized:
    case Js::kAwait:
    case Js::kAs:
    case Js::kSatisfies:
    case Js::kNonNull:
    case Js::kTypeAssertion:
    case Js::kInstantiation:
    case Js::kSubstitution:
    case Js::kComputedName:
    case Js::kExpressionStatement: {
      const NodeId inside = Bare(syntax_, id);
      return Eval(inside == id ? syntax_.Named(id, 0) : inside);
    }
    case Js::kSequence: {
      const std::vector<NodeId> parts = syntax_.ListOfNamedChildren(id);
      return parts.empty() ? nullptr : Eval(parts.back());
    }
    case Js::kTernary:
      return Join(Eval(syntax_.Field(id, kFieldConsequence)),
                  Eval(syntax_.Field(id, kFieldAlternative)));
    case Js::kAssignment:
      return Eval(syntax_.Field(id, kFieldRight));
    case Js::kAugmented:
      return OperatorOf(id) == "+="
                 ? Eval(syntax_.Field(id, kFieldLeft))
                 : Join(Eval(syntax_.Field(id, kFieldLeft)), Eval(syntax_.Field(id, kFieldRight)));
    case Js::kBinary:
      return Arithmetic(id);
    case Js::kUnary:
      return UnaryOf(id);
    default:
      return nullptr;
  }
}

std::string_view Evaluator::OperatorOf(NodeId id) const {
  const NodeId op = syntax_.Field(id, kFieldOperator);
  return op == kNoNode ? "" : syntax_.Text(op);
}

ValuePtr Evaluator::Literal(NodeId id) {
  const std::string_view text = syntax_.Text(id);
  if (syntax_.Is(id, Js::kRegex)) return store_.Name(std::string(text));
  if (syntax_.Is(id, Js::kNumber)) {
    const std::optional<double> number = ParseNumber(text);
    return number ? store_.Number(*number) : nullptr;
  }
  if (text.size() < 2 || !Charge(text.size() / 16)) return nullptr;
  return store_.Text(Unescape(text.substr(1, text.size() - 2)));
}

ValuePtr Evaluator::Template(NodeId id) {
  ValuePtr whole = store_.Text("");
  for (NodeId part = syntax_.at(id).first; part != kNoNode; part = syntax_.at(part).next) {
    if (!syntax_.at(part).named) continue;
    if (syntax_.Is(part, Js::kSubstitution)) {
      const ValuePtr inside = Eval(part);
      whole = Concat(whole, inside == nullptr ? store_.Text(std::string(1, kHole)) : inside);
    } else {
      whole = Concat(whole, store_.Text(Unescape(syntax_.Text(part))));
    }
  }
  return whole;
}

ValuePtr Evaluator::Text(std::string text, ValuePtr from) {
  Value value;
  if (text.size() > kMaxText) text.resize(kMaxText);
  if (!Charge(1 + text.size() / 16)) return nullptr;
  value.texts.push_back(std::move(text));
  value.decoded = IsDecoded(from);
  return store_.Keep(std::move(value));
}

ValuePtr Evaluator::Join(ValuePtr a, ValuePtr b) {
  if (a == nullptr || b == nullptr || a == b) return a == nullptr ? b : a;
  if (!Charge(1 + a->items.size() + a->keyed.size() + b->items.size() + b->keyed.size())) return a;
  return store_.Join(a, b);
}

ValuePtr Evaluator::JoinAll(const std::vector<ValuePtr>& values) {
  ValuePtr first = nullptr;
  Value all;
  bool is_made = false;
  for (const ValuePtr value : values) {
    if (value == nullptr || value == first) continue;
    if (!Charge(1 + value->items.size() + value->keyed.size())) break;
    if (first == nullptr) {
      first = value;
      continue;
    }
    if (!is_made) all = *first;
    is_made = true;
    store_.Merge(all, value);
  }
  return is_made ? store_.Keep(std::move(all)) : first;
}

// The operator +: concatenation if an operand is a string, with a hole for an unknown operand.
ValuePtr Evaluator::Concat(ValuePtr left, ValuePtr right) {
  const auto is_text = [](ValuePtr value) {
    return value != nullptr && (!value->texts.empty() || value->decoded);
  };
  if (!is_text(left) && !is_text(right)) {
    const double* a = OnlyNumber(left);
    const double* b = OnlyNumber(right);
    return a != nullptr && b != nullptr ? store_.Number(*a + *b) : nullptr;
  }
  Value sum;
  for (const std::string& head : TextsOf(left)) {
    for (const std::string& tail : TextsOf(right)) {
      if (sum.texts.size() >= kMaxAlternatives || !Charge(1 + (head.size() + tail.size()) / 16)) {
        break;
      }
      std::string text = head + tail;
      if (text.size() > kMaxText) text.resize(kMaxText);
      sum.texts.push_back(std::move(text));
    }
  }
  sum.decoded = IsDecoded(left) || IsDecoded(right);
  return store_.Keep(std::move(sum));
}

// A chain of + is a left-leaning tree as deep as the chain is long, so operands are collected
// iteratively.
ValuePtr Evaluator::Sum(NodeId id) {
  std::vector<NodeId> operands;
  NodeId at = id;
  while (syntax_.Is(at, Js::kBinary) && OperatorOf(at) == "+" && operands.size() < kMaxOperands) {
    operands.push_back(syntax_.Field(at, kFieldRight));
    at = Bare(syntax_, syntax_.Field(at, kFieldLeft));
  }
  if (at == kNoNode) return nullptr;
  ValuePtr sum = Eval(at);
  for (auto operand = operands.rbegin(); operand != operands.rend(); ++operand) {
    sum = Concat(sum, Eval(*operand));
  }
  return sum;
}

// The join of the operands of a chain of || and ??, also collected iteratively.
ValuePtr Evaluator::Choice(NodeId id) {
  ValuePtr any = nullptr;
  std::size_t count = 0;
  while (syntax_.Is(id, Js::kBinary) && ++count < kMaxOperands) {
    const std::string_view op = OperatorOf(id);
    if (op != "||" && op != "??") break;
    any = Join(Eval(syntax_.Field(id, kFieldRight)), any);
    id = Bare(syntax_, syntax_.Field(id, kFieldLeft));
  }
  return Join(Eval(id), any);
}

ValuePtr Evaluator::Arithmetic(NodeId id) {
  const std::string_view op = OperatorOf(id);
  if (op == "+") return Sum(id);
  const NodeId left = syntax_.Field(id, kFieldLeft);
  const NodeId right = syntax_.Field(id, kFieldRight);
  if (op == "||" || op == "??") return Choice(id);
  if (op == "&&") return Eval(right);
  const double* a = OnlyNumber(Eval(left));
  const double* b = OnlyNumber(Eval(right));
  if (a == nullptr || b == nullptr) return nullptr;
  const double result = Applied(op, *a, *b);
  return std::isnan(result) ? nullptr : store_.Number(result);
}

ValuePtr Evaluator::UnaryOf(NodeId id) {
  const std::string_view op = OperatorOf(id);
  if (op != "-" && op != "+" && op != "~") return nullptr;
  const ValuePtr value = Eval(syntax_.Field(id, kFieldArgument));
  const double* number = OnlyNumber(value);
  if (number != nullptr) {
    if (op == "~") return store_.Number(Applied("^", *number, -1));
    return store_.Number(op == "-" ? -*number : *number);
  }
  const std::string* text = OnlyText(value);
  if (text == nullptr || op != "+") return nullptr;
  const std::optional<double> parsed = ParseNumber(*text);
  return parsed ? store_.Number(*parsed) : nullptr;
}

}  // namespace belljar::judgement::analysis::javascript
