#include "judgement/analysis/python/scope.h"

#include <algorithm>

namespace belljar::judgement::analysis::python {
namespace {

bool OpensScope(const Syntax& syntax, NodeId node) {
  switch (static_cast<Py>(syntax.at(node).kind)) {
    case Py::kFunctionDefinition:
    case Py::kLambda:
    case Py::kClassDefinition:
    case Py::kListComprehension:
    case Py::kSetComprehension:
    case Py::kDictionaryComprehension:
    case Py::kGeneratorExpression:
      return true;
    default:
      return false;
  }
}

bool IsFunction(const Syntax& syntax, NodeId node) {
  return syntax.Is(node, Py::kFunctionDefinition) || syntax.Is(node, Py::kLambda);
}

std::string_view FirstPart(std::string_view dotted) { return dotted.substr(0, dotted.find('.')); }

// Dotted names may contain white space: "a . b".
std::string WithoutBlanks(std::string_view text) {
  std::string clean;
  for (const char c : text) {
    if (c != ' ' && c != '\t' && c != '\\' && c != '\n' && c != '\r') clean += c;
  }
  return clean;
}

// Methods that insert one of their arguments into the object, and the index of that argument.
std::size_t AddedArgument(std::string_view method) {
  if (method == "append" || method == "add" || method == "appendleft" || method == "extend" ||
      method == "update") {
    return 0;
  }
  return method == "insert" || method == "setdefault" || method == "__setitem__"
             ? 1
             : std::string_view::npos;
}

}  // namespace

Scopes::Scopes(const Syntax& syntax)
    : syntax_(syntax), scope_of_(syntax.size()), found_(syntax.size()) {
  scopes_.push_back({.opened_by = syntax.root(), .parent = 0, .globals = {}});
  bindings_.reserve(syntax.size() / 16);
  for (NodeId node = 1; node < syntax.size(); ++node) {
    const NodeId parent = syntax.at(node).parent;
    scope_of_[node] = scope_of_[parent];
    if (!syntax.at(node).named) continue;
    // A node that opens a scope belongs to that scope; its name is bound in the enclosing one.
    if (OpensScope(syntax, node)) Open(node);
  }
  for (NodeId node = 1; node < syntax.size(); ++node) {
    if (syntax.at(node).named && syntax.at(node).kind >= kFirstOwnKind) Visit(node);
  }
}

void Scopes::Open(NodeId node) {
  const ScopeId parent = scope_of_[node];
  scope_of_[node] = static_cast<ScopeId>(scopes_.size());
  scopes_.push_back({.opened_by = node, .parent = parent, .globals = {}});
  if (!IsFunction(syntax_, node)) return;
  Function& function = functions_[node];
  function.is_method = syntax_.Is(scopes_[parent].opened_by, Py::kClassDefinition);
  if (syntax_.Is(node, Py::kLambda)) function.returns.push_back(syntax_.Field(node, kBody));
}

void Scopes::Visit(NodeId node) {
  switch (static_cast<Py>(syntax_.at(node).kind)) {
    case Py::kAssignment:
      return BindStored(syntax_.Field(node, kLeft), syntax_.Field(node, kRight));
    case Py::kAugmentedAssignment:
      return BindAppended(node);
    case Py::kNamedExpression:
      return BindStored(syntax_.Field(node, kName), syntax_.Field(node, kValue));
    case Py::kTypeAlias:
      return BindTypeAlias(node);
    case Py::kForStatement:
    case Py::kForInClause:
      return BindLoop(node);
    case Py::kAsPattern:
      return BindAlias(node);
    case Py::kImportStatement:
      return BindImport(node);
    case Py::kImportFromStatement:
      return BindImportFrom(node);
    case Py::kFunctionDefinition:
    case Py::kClassDefinition:
      return BindDefinition(node);
    case Py::kLambda:
      return BindParameters(node, syntax_.Field(node, kParametersField));
    case Py::kReturnStatement:
    case Py::kYield:
      return AddReturn(node);
    case Py::kKeywordArgument:
      return BindField(node);
    case Py::kCall:
      calls_.push_back(node);
      return BindMethodCall(node);
    case Py::kGlobalStatement:
    case Py::kNonlocalStatement:
      return AddGlobals(node);
    default:
      return;
  }
}

void Scopes::BindAlias(NodeId pattern) {
  const NodeId alias = syntax_.Field(pattern, kAlias);
  if (alias != kNoNode) BindStored(syntax_.Named(alias, 0), syntax_.Named(pattern, 0));
}

// "type X = y" and "type X[T] = y" bind X; X.__value__ is y.
void Scopes::BindTypeAlias(NodeId statement) {
  const NodeId left = syntax_.Field(statement, kLeft);
  if (left == kNoNode) return;
  NodeId name = syntax_.Named(left, 0);
  if (syntax_.Is(name, Py::kGenericType)) name = syntax_.Named(name, 0);
  if (syntax_.Is(name, Py::kIdentifier)) BindStored(name, syntax_.Field(statement, kRight));
}

// A keyword argument f(name=value) may become an attribute, if f is a dataclass or a namespace.
void Scopes::BindField(NodeId argument) {
  const NodeId name = syntax_.Field(argument, kName);
  const NodeId value = syntax_.Field(argument, kValue);
  if (name == kNoNode || value == kNoNode) return;
  Binding binding;
  binding.source = value;
  Put(kAttributes, {syntax_.Text(name)}, binding);
}

void Scopes::AddGlobals(NodeId statement) {
  for (const NodeId name : syntax_.NamedChildren(statement)) {
    scopes_[scope_of_[statement]].globals.push_back(syntax_.Text(name));
  }
}

void Scopes::Put(ScopeId scope, Name name, const Binding& binding) {
  const auto number = static_cast<std::uint32_t>(bindings_.size());
  const auto [found, is_new] = bindings_.try_emplace(Key{scope, name});
  if (is_new) found->second.number = number;
  found->second.all.push_back(binding);
}

void Scopes::Bind(NodeId at, std::string_view name, const Binding& binding) {
  ScopeId scope = scope_of_[at];
  const auto& globals = scopes_[scope].globals;
  if (std::find(globals.begin(), globals.end(), name) != globals.end()) {
    // `nonlocal` names belong to an outer function; they are treated like globals, in the module
    // scope.
    scope = 0;
  }
  if (syntax_.Is(scopes_[scope].opened_by, Py::kClassDefinition)) {
    Put(kAttributes, {name}, binding);
  }
  Put(scope, {name}, binding);
}

void Scopes::BindStored(NodeId target, NodeId value) {
  if (target == kNoNode || value == kNoNode) return;
  // In a = b = c, the right side of the first assignment is the second assignment.
  while (syntax_.Is(value, Py::kAssignment)) value = syntax_.Field(value, kRight);
  if (value == kNoNode) return;
  BindTarget(target, {.kind = BindingKind::kValue, .source = value, .index = 0, .key = kNoNode});
}

void Scopes::BindAppended(NodeId assignment) {
  const NodeId target = syntax_.Field(assignment, kLeft);
  const NodeId value = syntax_.Field(assignment, kRight);
  if (target == kNoNode || value == kNoNode) return;
  BindTarget(target, {.kind = BindingKind::kAppended, .source = value, .index = 0, .key = kNoNode});
}

void Scopes::BindTarget(NodeId target, const Binding& binding) {
  switch (static_cast<Py>(syntax_.at(target).kind)) {
    case Py::kIdentifier:
      Bind(target, syntax_.Text(target), binding);
      break;
    case Py::kAttribute: {
      const NodeId attribute = syntax_.Field(target, kAttributeField);
      if (attribute != kNoNode) Put(kAttributes, {syntax_.Text(attribute)}, binding);
      break;
    }
    case Py::kSubscript: {
      const NodeId object = syntax_.Field(target, kValue);
      if (binding.kind != BindingKind::kValue || object == kNoNode) break;
      Binding added = binding;
      added.kind = BindingKind::kAdded;
      added.key = syntax_.Field(target, kSubscriptField);
      BindTarget(object, added);
      break;
    }
    case Py::kPatternList:
    case Py::kTuplePattern:
    case Py::kListPattern:
    case Py::kTuple:
    case Py::kList:
      BindParts(target, binding);
      break;
    default:
      break;
  }
}

void Scopes::BindParts(NodeId pattern, const Binding& whole) {
  // For nested patterns the path to the element is lost, so the name may stand for any element.
  const bool direct = whole.kind == BindingKind::kValue;
  std::uint32_t index = 0;
  bool starred = false;
  for (const NodeId part : syntax_.NamedChildren(pattern)) {
    Binding binding = whole;
    starred = starred || syntax_.Is(part, Py::kListSplatPattern);
    binding.kind = direct && !starred ? BindingKind::kItem : BindingKind::kPart;
    binding.index = index++;
    BindTarget(syntax_.Is(part, Py::kListSplatPattern) ? syntax_.Named(part, 0) : part, binding);
  }
}

void Scopes::BindLoop(NodeId loop) {
  const NodeId left = syntax_.Field(loop, kLeft);
  const NodeId right = syntax_.Field(loop, kRight);
  if (left == kNoNode || right == kNoNode) return;
  BindTarget(left, {.kind = BindingKind::kPart, .source = right, .index = 0, .key = kNoNode});
}

void Scopes::BindMethodCall(NodeId call) {
  const NodeId callee = syntax_.Field(call, kFunction);
  if (!syntax_.Is(callee, Py::kAttribute)) return;
  const NodeId method = syntax_.Field(callee, kAttributeField);
  const NodeId object = syntax_.Field(callee, kObject);
  const NodeId arguments = syntax_.Field(call, kArguments);
  if (method == kNoNode || object == kNoNode || arguments == kNoNode) return;
  const std::string_view name = syntax_.Text(method);
  const std::size_t number = AddedArgument(name);
  if (number == std::string_view::npos) return;
  const NodeId value = syntax_.Named(arguments, number);
  if (value == kNoNode || syntax_.Is(value, Py::kKeywordArgument)) return;
  const bool whole = name == "extend" || name == "update";
  const NodeId key = number == 1 && name != "insert" ? syntax_.Named(arguments, 0) : kNoNode;
  BindTarget(object, {.kind = whole ? BindingKind::kValue : BindingKind::kAdded,
                      .source = value,
                      .index = 0,
                      .key = key});
}

void Scopes::BindImport(NodeId statement) {
  for (const NodeId name : syntax_.NamedChildren(statement)) {
    Binding binding;
    binding.kind = BindingKind::kModule;
    binding.source = name;
    if (syntax_.Is(name, Py::kAliasedImport)) {
      const NodeId module = syntax_.Field(name, kName);
      const NodeId alias = syntax_.Field(name, kAlias);
      if (module == kNoNode || alias == kNoNode) continue;
      binding.name = Kept(WithoutBlanks(syntax_.Text(module)));
      Bind(statement, syntax_.Text(alias), binding);
    } else if (syntax_.Is(name, Py::kDottedName)) {
      const std::string_view top = syntax_.Text(syntax_.Named(name, 0));
      binding.name = FirstPart(top);
      Bind(statement, top, binding);
    }
  }
}

void Scopes::BindImportFrom(NodeId statement) {
  const NodeId from = syntax_.Field(statement, kModuleName);
  if (from == kNoNode || syntax_.Is(from, Py::kRelativeImport)) return;
  const std::string module = WithoutBlanks(syntax_.Text(from));
  for (NodeId name = syntax_.at(statement).first; name != kNoNode; name = syntax_.at(name).next) {
    if (syntax_.Is(name, Py::kWildcardImport)) wildcards_.push_back(module);
    if (syntax_.at(name).field != kName) continue;
    const bool renamed = syntax_.Is(name, Py::kAliasedImport);
    const NodeId member = renamed ? syntax_.Field(name, kName) : name;
    const NodeId bound = renamed ? syntax_.Field(name, kAlias) : name;
    if (member == kNoNode || bound == kNoNode) continue;
    Binding binding;
    binding.kind = BindingKind::kModule;
    binding.source = member;
    binding.name = Kept(module + "." + WithoutBlanks(syntax_.Text(member)));
    Bind(statement, syntax_.Text(bound), binding);
  }
}

void Scopes::BindDefinition(NodeId definition) {
  const NodeId name = syntax_.Field(definition, kName);
  const NodeId around = syntax_.at(definition).parent;
  if (name != kNoNode && around != kNoNode) {
    Binding binding;
    binding.kind = BindingKind::kDefinition;
    binding.source = definition;
    Bind(around, syntax_.Text(name), binding);
  }
  if (syntax_.Is(definition, Py::kFunctionDefinition)) {
    BindParameters(definition, syntax_.Field(definition, kParametersField));
  }
}

void Scopes::BindParameters(NodeId function, NodeId parameters) {
  if (parameters == kNoNode) return;
  std::uint32_t index = 0;
  for (const NodeId parameter : syntax_.NamedChildren(parameters)) {
    BindParameter(function, parameter, index++);
  }
}

void Scopes::BindParameter(NodeId function, NodeId parameter, std::uint32_t index) {
  Binding binding;
  binding.kind = BindingKind::kParameter;
  binding.source = function;
  binding.index = index;
  NodeId name = parameter;
  if (syntax_.Is(parameter, Py::kDefaultParameter) ||
      syntax_.Is(parameter, Py::kTypedDefaultParameter)) {
    name = syntax_.Field(parameter, kName);
    binding.key = syntax_.Field(parameter, kValue);
  } else if (syntax_.Is(parameter, Py::kTypedParameter)) {
    name = syntax_.Named(parameter, 0);
  }
  if (syntax_.Is(name, Py::kListSplatPattern) || syntax_.Is(name, Py::kDictionarySplatPattern)) {
    binding.kind = BindingKind::kRest;
    name = syntax_.Named(name, 0);
  }
  if (syntax_.Is(name, Py::kIdentifier)) Bind(name, syntax_.Text(name), binding);
}

NodeId Scopes::FunctionAround(NodeId node) const {
  for (ScopeId scope = scope_of_[node];; scope = scopes_[scope].parent) {
    if (IsFunction(syntax_, scopes_[scope].opened_by)) return scopes_[scope].opened_by;
    if (scope == 0) return kNoNode;
  }
}

void Scopes::AddReturn(NodeId statement) {
  const NodeId function = FunctionAround(statement);
  const NodeId value = syntax_.Named(statement, 0);
  if (function == kNoNode || value == kNoNode) return;
  Function& known = functions_[function];
  (syntax_.Is(statement, Py::kYield) ? known.yields : known.returns).push_back(value);
}

bool Scopes::IsWithin(ScopeId inner, ScopeId outer) const {
  while (inner != outer && inner != 0) inner = scopes_[inner].parent;
  return inner == outer;
}

const Bindings* Scopes::FindIn(ScopeId scope, std::string_view name) const {
  return Look(scope, {name});
}

const Bindings* Scopes::Find(NodeId node, std::string_view name) const {
  const ScopeId innermost = scope_of_[node];
  const Name looked_for{name};
  for (ScopeId scope = innermost;; scope = scopes_[scope].parent) {
    // The names of a class are visible in its body only, not in its methods.
    const bool visible =
        scope == innermost || !syntax_.Is(scopes_[scope].opened_by, Py::kClassDefinition);
    if (visible) {
      if (const Bindings* found = Look(scope, looked_for)) return found;
    }
    if (scope == 0) return nullptr;
  }
}

const Bindings* Scopes::FindOf(NodeId identifier) const {
  static const Bindings kNone;
  const Bindings*& found = found_[identifier];
  if (found == nullptr) {
    found = Find(identifier, syntax_.Text(identifier));
    if (found == nullptr) found = &kNone;
  }
  return found == &kNone ? nullptr : found;
}

const Bindings* Scopes::FindAttribute(std::string_view name) const {
  return FindIn(kAttributes, name);
}

}  // namespace belljar::judgement::analysis::python
