// Checks whether names are written out as literals.
//
// IsWrittenOut tells whether an expression is a string literal, an element of a list or dictionary
// of literals, or a name or parameter that is bound only to such.
//
// The evaluator computes strings, but may be wrong about them, for example in sorted lists or
// strings built in loops. Honest programs do not compute the names that decide what they can reach,
// so a computed name is a finding even where its value seems known.
#include <algorithm>

#include "judgement/analysis/python/check.h"
#include "judgement/analysis/python/names.h"

namespace belljar::judgement::analysis::python {
namespace {

constexpr int kMaxLookups = 400;

bool HoldsNoText(const Syntax& syntax, NodeId node) {
  switch (static_cast<Py>(syntax.at(node).kind)) {
    case Py::kInteger:
    case Py::kFloat:
    case Py::kNone:
    case Py::kTrue:
    case Py::kFalse:
    case Py::kLambda:
      return true;
    default:
      return false;
  }
}

// Functions that return the elements of their argument unchanged.
bool PassesOn(std::string_view function) {
  return function == "sorted" || function == "list" || function == "tuple" || function == "set" ||
         function == "frozenset" || function == "reversed" || function == "enumerate" ||
         function == "zip" || function == "dict" || function == "iter";
}

class Reading {
 public:
  Reading(const Syntax& syntax, Scopes& scopes, const Evaluator& evaluator)
      : syntax_(syntax), scopes_(scopes), evaluator_(evaluator) {}

  bool IsText(NodeId node) {
    if (node == kNoNode || --left_ < 0) return false;
    if (HoldsNoText(syntax_, node)) return true;
    switch (static_cast<Py>(syntax_.at(node).kind)) {
      case Py::kString:
        return AllIn(node, [&](NodeId part) { return !syntax_.Is(part, Py::kInterpolation); });
      case Py::kParenthesizedExpression:
        return IsText(syntax_.Named(node, 0));
      case Py::kNamedExpression:
        return IsText(syntax_.Field(node, kValue));
      case Py::kConditionalExpression:
        return IsText(syntax_.Named(node, 0)) && IsText(syntax_.Named(node, 2));
      case Py::kBooleanOperator:
        return IsText(syntax_.Field(node, kLeft)) && IsText(syntax_.Field(node, kRight));
      case Py::kIdentifier:
        return IsBoundToText(scopes_.Find(node, syntax_.Text(node)));
      case Py::kAttribute:
        return IsBoundToText(scopes_.FindAttribute(NameOf(node)));
      case Py::kSubscript:
        return IsTable(syntax_.Field(node, kValue));
      default:
        return false;
    }
  }

 private:
  // Iterates without copying: lists may be as long as the source text, and are checked often.
  template <class Holds>
  bool AllIn(NodeId node, Holds holds) const {
    for (const NodeId part : syntax_.NamedChildren(node)) {
      if (!holds(part)) return false;
    }
    return true;
  }

  std::string_view NameOf(NodeId attribute) const {
    const NodeId name = syntax_.Field(attribute, kAttributeField);
    return name == kNoNode ? "" : syntax_.Text(name);
  }

  bool IsBoundToText(const Bindings* bindings) {
    return bindings != nullptr && std::ranges::all_of(bindings->all, [&](const Binding& binding) {
             switch (binding.kind) {
               case BindingKind::kValue:
                 return IsText(binding.source);
               case BindingKind::kPart:
               case BindingKind::kItem:
                 return IsList(binding.source);
               case BindingKind::kParameter:
                 return IsGivenText(binding);
               case BindingKind::kDefinition:
               case BindingKind::kModule:
                 return true;
               default:
                 return false;
             }
           });
  }

  bool IsGivenText(const Binding& binding) {
    const Function& function = scopes_.functions().at(binding.source);
    if (binding.key != kNoNode && !IsText(binding.key)) return false;
    const bool is_self = function.is_method && binding.index == 0;
    if (is_self || (function.calls.empty() && binding.key == kNoNode)) return false;
    const NodeId parameters = syntax_.Field(binding.source, kParametersField);
    const NodeId parameter = syntax_.Named(parameters, binding.index);
    const NodeId name =
        syntax_.Is(parameter, Py::kIdentifier) ? parameter : syntax_.Named(parameter, 0);
    const std::size_t number = binding.index - (function.is_method ? 1 : 0);
    return std::ranges::all_of(function.calls, [&](NodeId call) {
      const NodeId given = evaluator_.ArgumentNode(call, number, syntax_.Text(name));
      return given == kNoNode ? binding.key != kNoNode : IsText(given);
    });
  }

  // True if all elements of a container are written out, whatever their order.
  bool IsList(NodeId node) {
    if (node == kNoNode || --left_ < 0) return false;
    switch (static_cast<Py>(syntax_.at(node).kind)) {
      case Py::kList:
      case Py::kTuple:
      case Py::kSet:
      case Py::kExpressionList:
      case Py::kDictionary:
      case Py::kPair:
        return AllIn(node, [&](NodeId part) { return IsList(part) || IsText(part); });
      case Py::kIdentifier:
        return IsBoundToLists(scopes_.Find(node, syntax_.Text(node)));
      case Py::kAttribute:
        return IsBoundToLists(scopes_.FindAttribute(NameOf(node)));
      case Py::kSubscript:
        return IsList(syntax_.Field(node, kValue));
      case Py::kCall:
        return IsListCall(node);
      default:
        return false;
    }
  }

  bool IsBoundToLists(const Bindings* bindings) {
    return bindings != nullptr && std::ranges::all_of(bindings->all, [&](const Binding& binding) {
             const bool whole = binding.kind == BindingKind::kValue;
             const bool part = binding.kind == BindingKind::kAdded ||
                               binding.kind == BindingKind::kPart ||
                               binding.kind == BindingKind::kItem;
             return (whole || part) && (IsList(binding.source) || (part && IsText(binding.source)));
           });
  }

  // True for calls that return elements of written-out containers: table.items(), sorted(names), "a
  // b c".split()
  bool IsListCall(NodeId call) {
    const NodeId function = syntax_.Field(call, kFunction);
    if (syntax_.Is(function, Py::kAttribute)) {
      const std::string_view method = NameOf(function);
      const NodeId object = syntax_.Field(function, kObject);
      if (method == "split") return syntax_.Is(object, Py::kString);
      return (method == "items" || method == "keys" || method == "values") && IsList(object);
    }
    const NodeId arguments = syntax_.Field(call, kArguments);
    return function != kNoNode && arguments != kNoNode && PassesOn(syntax_.Text(function)) &&
           AllIn(arguments, [&](NodeId argument) {
             const bool named = syntax_.Is(argument, Py::kKeywordArgument);
             const NodeId value = named ? syntax_.Field(argument, kValue) : argument;
             return IsList(value) || IsText(value);
           });
  }

  // A dictionary literal of written-out values. Which key is looked up does not matter.
  bool IsTable(NodeId node) {
    if (syntax_.Is(node, Py::kDictionary)) return IsList(node);
    if (!syntax_.Is(node, Py::kIdentifier)) return false;
    const Bindings* bindings = scopes_.Find(node, syntax_.Text(node));
    return bindings != nullptr && bindings->all.size() == 1 &&
           bindings->all.front().kind == BindingKind::kValue &&
           syntax_.Is(bindings->all.front().source, Py::kDictionary) &&
           IsList(bindings->all.front().source);
  }

  const Syntax& syntax_;
  Scopes& scopes_;
  const Evaluator& evaluator_;
  int left_ = kMaxLookups;
};

}  // namespace

// getattr(os, name) with a computed name: which member of an important module is used cannot be
// seen.
bool Checks::HidesMember(std::string_view module, ValuePtr names, NodeId asked) const {
  // These modules have only harmless functions, and programs often choose among them by name.
  const bool harmless =
      module == "math" || module == "hashlib" || module == "time" || module == "datetime";
  if (harmless || !IsReliedOn(module)) return false;
  const bool leads_out =
      module == "os" || module == "sys" || module == "builtins" || module == "importlib";
  return !HasWholeText(names) || (leads_out && !IsWrittenOut(asked));
}

// from_pretrained(…, trust_remote_code=True) runs code that is downloaded with the model.
void Checks::TrustedCode(NodeId argument) {
  const NodeId name = syntax_.Field(argument, kName);
  if (name == kNoNode || syntax_.Text(name) != "trust_remote_code") return;
  if (syntax_.Is(syntax_.Field(argument, kValue), Py::kFalse)) return;
  report_.Add("py-eval", syntax_.PlaceOf(argument), "trust_remote_code");
}

// dict(os.environ), os.environ.items(), {**os.environ}: reads the whole environment instead of one
// variable.
bool Checks::ReadsEnvironment(NodeId node, std::string_view name) const {
  if (name.ends_with(".items") || name.ends_with(".values") || name.ends_with(".copy")) return true;
  if (name != "os.environ" && name != "os.environb") return false;
  const NodeId parent = syntax_.at(node).parent;
  if (syntax_.Is(parent, Py::kDictionarySplat)) return true;
  if (syntax_.Is(parent, Py::kForStatement)) return syntax_.at(node).field == kRight;
  if (!syntax_.Is(parent, Py::kArgumentList)) return false;
  const NodeId function = syntax_.Field(syntax_.at(parent).parent, kFunction);
  return function != kNoNode && syntax_.Text(function) != "len" &&
         syntax_.Text(function) != "sorted";
}

// True if the object is the parameter "cls" of a method: a class of the program itself.
bool Checks::IsOwnClass(NodeId object) const {
  if (!syntax_.Is(object, Py::kIdentifier)) return false;
  const Bindings* bindings = scopes_.Find(object, syntax_.Text(object));
  if (bindings == nullptr || bindings->all.size() != 1) return false;
  const Binding& binding = bindings->all.front();
  return binding.kind == BindingKind::kParameter && binding.index == 0 &&
         scopes_.functions().at(binding.source).is_method;
}

bool Checks::IsWrittenOut(NodeId text) const {
  return Reading(syntax_, scopes_, evaluator_).IsText(text);
}

}  // namespace belljar::judgement::analysis::python
