#include "judgement/analysis/python/eval.h"

#include <utf8proc.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <utility>

#include "judgement/analysis/python/names.h"

namespace belljar::judgement::analysis::python {
namespace {

// Parses "1_000", "0x1F", "1e9"; nullopt if the number does not fit.
std::optional<double> NumberOf(std::string_view text) {
  std::string digits;
  for (const char c : text) {
    if (c != '_') digits += c;
  }
  int base = 10;
  if (digits.size() > 2 && digits[0] == '0') {
    const char mark = static_cast<char>(digits[1] | 0x20);
    base = mark == 'x' ? 16 : mark == 'o' ? 8 : mark == 'b' ? 2 : 10;
  }
  if (base != 10) {
    std::uint64_t number = 0;
    const auto end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data() + 2, end, number, base);
    if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
    return static_cast<double>(number);
  }
  double number = 0;
  const auto end = digits.data() + digits.size();
  const auto read = std::from_chars(digits.data(), end, number);
  if (read.ec == std::errc::result_out_of_range) return HUGE_VAL;
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;
  return number;
}

// String constants of the standard library.
std::string_view LibraryText(std::string_view name) {
  if (name == "string.ascii_lowercase") return "abcdefghijklmnopqrstuvwxyz";
  if (name == "string.ascii_uppercase") return "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  if (name == "string.ascii_letters") return "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  if (name == "string.digits") return "0123456789";
  if (name == "os.sep" || name == "os.path.sep") return "/";
  return "";
}

bool IsContext(const Syntax& syntax, NodeId node) {
  // Names of arguments, attributes, definitions and imports are not expressions.
  const std::uint8_t field = syntax.at(node).field;
  const NodeId parent = syntax.at(node).parent;
  switch (static_cast<Py>(syntax.at(parent).kind)) {
    case Py::kKeywordArgument:
    case Py::kFunctionDefinition:
    case Py::kClassDefinition:
    case Py::kDefaultParameter:
    case Py::kTypedDefaultParameter:
      return field == kName;
    case Py::kAttribute:
      return field == kAttributeField;
    case Py::kDottedName:
    case Py::kAliasedImport:
    case Py::kGlobalStatement:
    case Py::kNonlocalStatement:
      return true;
    default:
      return false;
  }
}

}  // namespace

std::string Normalised(std::string_view identifier) {
  const auto is_ascii = [](char c) { return static_cast<unsigned char>(c) < 0x80; };
  if (std::ranges::all_of(identifier, is_ascii)) return std::string(identifier);
  utf8proc_uint8_t* made = nullptr;
  const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(identifier.data());
  const auto options =
      static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT);
  const auto size =
      utf8proc_map(bytes, static_cast<utf8proc_ssize_t>(identifier.size()), &made, options);
  if (size < 0) return std::string(identifier);
  std::string normal(reinterpret_cast<const char*>(made), static_cast<std::size_t>(size));
  std::free(made);
  return normal;
}

ValuePtr Arguments::Named(std::string_view name) const {
  for (const auto& [known, value] : named) {
    if (known == name) return value;
  }
  return nullptr;
}

Evaluator::Evaluator(const Syntax& syntax, Scopes& scopes)
    : syntax_(syntax),
      scopes_(scopes),
      memo_(syntax.size()),
      progress_(syntax.size(), Progress::kNew),
      named_(scopes.bindings_count()),
      begun_at_(syntax.size()) {
  if (!scopes.functions().empty()) FindCalls();
}

bool Evaluator::MayRemember(NodeId node) const {
  for (const NodeId root : overridden_in_) {
    if (syntax_.at(node).start >= syntax_.at(root).start &&
        syntax_.at(node).end <= syntax_.at(root).end) {
      return false;
    }
  }
  return true;
}

ValuePtr Evaluator::Eval(NodeId node) {
  if (node == kNoNode) return nullptr;
  const bool remember = overridden_in_.empty() || MayRemember(node);
  if (remember && progress_[node] != Progress::kNew) {
    if (progress_[node] == Progress::kStarted) met_ = std::min(met_, int{begun_at_[node]});
    tentative_ = tentative_ || progress_[node] != Progress::kDone;
    return memo_[node];
  }
  if (depth_ >= kMaxDepth || ++steps_ > kMaxSteps || deadline_.HasPassed()) {
    exhausted_ = tentative_ = true;
    return nullptr;
  }
  if (remember) progress_[node] = Progress::kStarted;
  begun_at_[node] = static_cast<std::uint8_t>(depth_);
  ++depth_;
  const bool tentative_before = std::exchange(tentative_, false);
  const ValuePtr value = EvalNode(node);
  --depth_;
  if (remember) {
    memo_[node] = value;
    progress_[node] = tentative_ ? Progress::kTentative : Progress::kDone;
  }
  tentative_ = tentative_ || tentative_before;
  return value;
}

ValuePtr Evaluator::EvalNode(NodeId node) {
  switch (static_cast<Py>(syntax_.at(node).kind)) {
    case Py::kIdentifier:
      return EvalName(node);
    case Py::kAttribute:
      return EvalAttribute(node);
    case Py::kSubscript:
      return EvalSubscript(node);
    case Py::kCall:
      return EvalCall(node);
    case Py::kString:
      return EvalString(node);
    case Py::kConcatenatedString:
      return EvalConcatenated(node);
    case Py::kInteger:
    case Py::kFloat:
      return EvalNumber(node);
    case Py::kList:
    case Py::kTuple:
    case Py::kSet:
    case Py::kExpressionList:
      return EvalItems(node);
    case Py::kDictionary:
      return EvalDictionary(node);
    case Py::kDictionaryComprehension:
      return EvalDictionaryComprehension(node);
    case Py::kListComprehension:
    case Py::kSetComprehension:
    case Py::kGeneratorExpression:
      return EvalComprehension(node);
    case Py::kLambda:
      return store_.Function(node);
    case Py::kBinaryOperator:
      return EvalBinary(node);
    default:
      return EvalOperand(node);
  }
}

// Nodes whose value is that of an operand.
ValuePtr Evaluator::EvalOperand(NodeId node) {
  switch (static_cast<Py>(syntax_.at(node).kind)) {
    case Py::kParenthesizedExpression:
    case Py::kAwait:
    case Py::kListSplat:
    case Py::kAsPattern:
    case Py::kType:
      return Eval(syntax_.Named(node, 0));
    case Py::kNamedExpression:
      return Eval(syntax_.Field(node, kValue));
    case Py::kConditionalExpression:
      return store_.Join(Eval(syntax_.Named(node, 0)), Eval(syntax_.Named(node, 2)));
    case Py::kBooleanOperator:
      return store_.Join(Eval(syntax_.Field(node, kLeft)), Eval(syntax_.Field(node, kRight)));
    case Py::kUnaryOperator: {
      const double* number = OnlyNumber(Eval(syntax_.Field(node, kArgument)));
      const bool minus = syntax_.Text(node).front() == '-';
      return number != nullptr && minus ? store_.Number(-*number) : nullptr;
    }
    default:
      return nullptr;
  }
}

ValuePtr Evaluator::EvalNumber(NodeId node) {
  const auto number = NumberOf(syntax_.Text(node));
  return number ? store_.Number(*number) : nullptr;
}

ValuePtr Evaluator::EvalName(NodeId node) {
  const std::string_view name = syntax_.Text(node);
  if (!overrides_.empty()) {
    if (const auto value = Overridden(node, name)) return *value;
  }
  if (const Bindings* bindings = scopes_.FindOf(node)) return JoinAll(bindings);
  return IsContext(syntax_, node) ? nullptr : OuterName(name);
}

// Memoised per name and not per use: joining all bindings at each use would take quadratic time.
ValuePtr Evaluator::JoinAll(const Bindings* bindings) {
  if (!overrides_.empty()) return JoinEach(*bindings);
  Named& named = named_[bindings->number];
  if (named.progress != Progress::kNew) {
    if (named.progress == Progress::kStarted) met_ = std::min(met_, named.depth);
    tentative_ = tentative_ || named.progress != Progress::kDone;
    return named.value;
  }
  named = {nullptr, depth_, Progress::kStarted};
  const int met_before = std::exchange(met_, kMaxDepth);
  const bool tentative_before = std::exchange(tentative_, false);
  const ValuePtr value = JoinEach(*bindings);
  const Progress progress = tentative_ ? Progress::kTentative : Progress::kDone;
  named = met_ < depth_ ? Named{} : Named{value, 0, progress};
  met_ = std::min(met_, met_before);
  tentative_ = tentative_ || tentative_before;
  return value;
}

ValuePtr Evaluator::JoinEach(const Bindings& bindings) {
  if (bindings.all.size() == 1) return EvalBinding(bindings.all.front());
  Value value;
  bool known = false;
  for (const Binding& binding : bindings.all) {
    if (binding.kind == BindingKind::kAppended) {
      const ValuePtr before = known ? store_.Keep(Value(value)) : nullptr;
      const ValuePtr after = EvalAppended(before, binding);
      if (after != nullptr) value = *after;
      known = known || after != nullptr;
      continue;
    }
    const ValuePtr one = EvalBinding(binding);
    known = known || one != nullptr;
    store_.Merge(value, one);
  }
  return known ? store_.Keep(std::move(value)) : nullptr;
}

ValuePtr Evaluator::EvalBinding(const Binding& binding) {
  switch (binding.kind) {
    case BindingKind::kValue:
      return Eval(binding.source);
    case BindingKind::kAppended:
      return Concatenated(store_, nullptr, Eval(binding.source));
    case BindingKind::kPart: {
      const ValuePtr part = AnyPart(store_, Eval(binding.source));
      // For nested patterns, the name may stand for an element of an element.
      return part == nullptr ? nullptr : store_.Join(part, AnyPart(store_, part));
    }
    case BindingKind::kItem:
      return AtIndex(Eval(binding.source), binding.index);
    case BindingKind::kAdded:
      return EvalAdded(binding);
    case BindingKind::kModule:
      return store_.Name(Canonical(std::string(binding.name)));
    case BindingKind::kDefinition:
      return store_.Function(binding.source);
    case BindingKind::kParameter:
      return EvalParameter(binding);
    case BindingKind::kRest:
      return EvalRest(binding);
  }
  return nullptr;
}

// Evaluates `name += expression`. Inside a loop over known elements, the loop is unrolled.
ValuePtr Evaluator::EvalAppended(ValuePtr before, const Binding& binding) {
  NodeId loop = syntax_.at(binding.source).parent;
  while (loop != kNoNode && !syntax_.Is(loop, Py::kForStatement) &&
         scopes_.ScopeOf(loop) == scopes_.ScopeOf(binding.source)) {
    loop = syntax_.at(loop).parent;
  }
  if (syntax_.Is(loop, Py::kForStatement) && overrides_.empty()) {
    const NodeId target = syntax_.Field(loop, kLeft);
    const auto elements = Elements(store_, Eval(syntax_.Field(loop, kRight)));
    if (syntax_.Is(target, Py::kIdentifier) && !elements.empty()) {
      for (const ValuePtr one : elements) {
        const ValuePtr part = EvalWith(loop, syntax_.Text(target), one, binding.source);
        before = Concatenated(store_, before, part);
      }
      return before;
    }
  }
  return Concatenated(store_, before, Eval(binding.source));
}

ValuePtr Evaluator::FreshName(NodeId node) {
  if (IsContext(syntax_, node)) return nullptr;
  return scopes_.FindOf(node) == nullptr ? OuterName(syntax_.Text(node)) : nullptr;
}

ValuePtr Evaluator::OuterName(std::string_view written) {
  const auto [known, is_new] = outer_.try_emplace(written, nullptr);
  if (is_new) known->second = FindOuterName(written);
  return known->second;
}

ValuePtr Evaluator::FindOuterName(std::string_view written) {
  const std::string name = Normalised(written);
  // In a session, an earlier run may have imported the module.
  if (IsWellKnownModule(name)) return store_.Name(name);
  ValuePtr value = store_.Name(Canonical("builtins." + name));
  for (const std::string& module : scopes_.wildcards()) {
    value = store_.Join(value, store_.Name(Canonical(module + "." + name)));
  }
  return value;
}

ValuePtr Evaluator::Fresh(NodeId node) {
  switch (static_cast<Py>(syntax_.at(node).kind)) {
    case Py::kIdentifier:
      return FreshName(node);
    case Py::kAttribute: {
      const NodeId attribute = syntax_.Field(node, kAttributeField);
      if (attribute == kNoNode) return nullptr;
      const ValuePtr object = Eval(syntax_.Field(node, kObject));
      return object == nullptr || object->names.empty()
                 ? nullptr
                 : AttributeOf(object, Normalised(syntax_.Text(attribute)));
    }
    case Py::kSubscript: {
      const ValuePtr container = Eval(syntax_.Field(node, kValue));
      if (container == nullptr || container->names.empty()) return nullptr;
      Value named;
      named.names = container->names;
      return PartOf(store_.Keep(std::move(named)), Eval(syntax_.Field(node, kSubscriptField)));
    }
    case Py::kCall: {
      const ValuePtr callee = Eval(syntax_.Field(node, kFunction));
      if (callee == nullptr || callee->names.empty()) return nullptr;
      const Arguments& arguments = Given(node);
      ValuePtr value = nullptr;
      for (const std::string& name : callee->names) {
        value = store_.Join(value, CallNamed(*this, name, arguments));
      }
      return value;
    }
    default:
      return nullptr;
  }
}

ValuePtr Evaluator::AttributeOf(ValuePtr object, std::string_view attribute) {
  if (object == nullptr) return nullptr;
  Value value;
  for (const std::string& name : object->names) {
    if (name.front() == '@' && name != "@globals") continue;
    if (attribute == "__value__") {  // of a type alias
      value.names.push_back(name);
      continue;
    }
    std::string full = Canonical(name + "." + std::string(attribute));
    const std::string_view text = LibraryText(full);
    if (!text.empty()) value.texts.emplace_back(text);
    if (attribute == "__file__") value.texts.emplace_back("/usr/lib/python3");
    value.names.push_back(std::move(full));
  }
  // `parent` of a pathlib path.
  if (attribute == "parent" && object->names.empty()) {
    for (const std::string& path : object->texts) value.texts.push_back(path + "/..");
    return value.texts.empty() ? nullptr : store_.Keep(std::move(value));
  }
  const auto own = object->keyed.find(attribute);
  const ValuePtr external = value.names.empty() ? nullptr : store_.Keep(std::move(value));
  return own == object->keyed.end() ? external : store_.Join(external, own->second);
}

ValuePtr Evaluator::EvalAttribute(NodeId node) {
  const NodeId attribute = syntax_.Field(node, kAttributeField);
  if (attribute == kNoNode) return nullptr;
  const ValuePtr object = Eval(syntax_.Field(node, kObject));
  const std::string name = Normalised(syntax_.Text(attribute));
  const ValuePtr value = AttributeOf(object, name);
  // An object from outside the program does not have the attributes that the program assigns
  // elsewhere.
  if (object != nullptr && !object->names.empty()) return value;
  const Bindings* bindings = scopes_.FindAttribute(name);
  return bindings == nullptr ? value : store_.Join(value, JoinAll(bindings));
}

}  // namespace belljar::judgement::analysis::python
