#include "judgement/analysis/python/check.h"

#include <algorithm>

#include "judgement/analysis/name_set.h"
#include "judgement/analysis/python/names.h"
#include "judgement/analysis/python/python.h"

namespace belljar::judgement::analysis::python {
namespace {

std::string_view TopOf(std::string_view name) { return name.substr(0, name.find('.')); }

std::string WithoutSpace(std::string_view text) {
  std::string clean;
  clean.reserve(text.size());
  for (const char c : text) {
    // The cast keeps bytes beyond ASCII: they are letters, which Normalised turns into plain ones.
    if (static_cast<unsigned char>(c) > ' ' && c != '\\') clean += c;
  }
  return clean;
}

// Attributes of a code object that only describe the function.
bool IsHarmlessOfCode(std::string_view attribute) {
  static const NameSet names = {"co_argcount",       "co_varnames",        "co_name",
                                "co_filename",       "co_firstlineno",     "co_flags",
                                "co_kwonlyargcount", "co_posonlyargcount", "co_qualname",
                                "co_nlocals"};
  return names.contains(attribute);
}

}  // namespace

void Checks::Check(NodeId node) {
  switch (static_cast<Py>(syntax_.at(node).kind)) {
    case Py::kIdentifier:
      Names(node);
      return WalkName(node);
    case Py::kSubscript:
      Names(node);
      return TableKey(node, evaluator_.Eval(syntax_.Field(node, kValue)),
                      syntax_.Field(node, kSubscriptField));
    case Py::kAttribute:
      Names(node);
      return AttributeName(node);
    case Py::kCall:
      Names(node);
      return Call(node);
    case Py::kImportStatement:
      return Imports(node);
    case Py::kImportFromStatement:
      return ImportsFrom(node);
    case Py::kAssignment:
    case Py::kAugmentedAssignment:
      BombStored(node);
      return Stored(syntax_.Field(node, kLeft));
    case Py::kDeleteStatement:
      return Stored(syntax_.Named(node, 0));
    case Py::kKeywordArgument:
      return TrustedCode(node);
    default:
      return CheckEnds(node);
  }
}

// Checks for expressions that use too much time or memory.
void Checks::CheckEnds(NodeId node) {
  switch (static_cast<Py>(syntax_.at(node).kind)) {
    case Py::kInterpolation:
      return FormatWidth(node);
    case Py::kBinaryOperator:
      return BombOperator(node);
    case Py::kWhileStatement:
      return EndlessLoop(node);
    case Py::kForStatement:
      return EndlessFor(node);
    case Py::kListSplat:
      return BombSplat(node);
    case Py::kLambda:
    case Py::kFunctionDefinition:
      return EndlessRecursion(node);
    default:
      return;
  }
}

void Checks::Names(NodeId node) {
  const ValuePtr value = evaluator_.Fresh(node);
  if (value == nullptr) return;
  for (const std::string& name : value->names) OneName(node, name);
}

void Checks::OneName(NodeId node, std::string_view name) {
  const bool harmless = (IsCodeType(name) && IsOnlyTested(node)) || LoadsOnlyData(node, name);
  const Rule* rule = harmless ? nullptr : RuleOfName(name);
  if (rule != nullptr) report_.Add(*rule, syntax_.PlaceOf(node), std::string(name));
  if (name.starts_with("os.environ") && ReadsEnvironment(node, name)) {
    report_.Add("py-environment", syntax_.PlaceOf(node), std::string(name));
  }
  // globals()["__builtins__"]: the name appears only as a string key.
  if (name == "builtins" && syntax_.Is(node, Py::kSubscript)) {
    report_.Add("py-introspection", syntax_.PlaceOf(node), "__builtins__");
  }
  const std::string_view top = TopOf(name);
  // In os.path.join, the whole name is judged, and not the prefix os.path.
  const NodeId parent = syntax_.at(node).parent;
  const bool goes_on = syntax_.Is(parent, Py::kAttribute) && syntax_.at(node).field == kObject;
  if (IsFacade(top) && top.size() < name.size() && !goes_on) {
    report_.Add("py-member", syntax_.PlaceOf(node), std::string(name));
  }
  // The value of the expression is a module: sys.modules["os"], __import__("os"), random._os
  const bool module = name.find('.') == std::string::npos && name.front() != '@';
  if (module && name != "builtins") Module(node, std::string(name));
}

// torch.load(file, weights_only=True) does not call functions named by the file.
bool Checks::LoadsOnlyData(NodeId node, std::string_view name) const {
  const NodeId call = syntax_.at(node).parent;
  if (name != "torch.load" || !syntax_.Is(call, Py::kCall)) return false;
  if (syntax_.Field(call, kFunction) != node) return false;
  return syntax_.Is(evaluator_.ArgumentNode(call, 99, "weights_only"), Py::kTrue);
}

// True if a name is only used in type tests and annotations: isinstance(f, types.FunctionType),
// type(f) is types.CodeType, a dictionary key. Such uses create no functions or code objects. For
// an imported name, all its uses must be of this kind.
bool Checks::IsOnlyTested(NodeId node) const {
  NodeId at = node;
  NodeId parent = syntax_.at(at).parent;
  while (syntax_.Is(parent, Py::kTuple) || syntax_.Is(parent, Py::kBinaryOperator)) {
    at = parent;
    parent = syntax_.at(at).parent;
  }
  if (parent == kNoNode) return false;
  if (syntax_.Is(parent, Py::kImportFromStatement)) return AreUsesOnlyAsked(node);
  if (syntax_.Is(parent, Py::kAliasedImport)) {
    return AreUsesOnlyAsked(syntax_.Field(parent, kAlias));
  }
  if (syntax_.Is(parent, Py::kType) || syntax_.Is(parent, Py::kComparison)) return true;
  if (syntax_.Is(parent, Py::kPair)) return syntax_.at(at).field == kKey;
  const NodeId call = syntax_.at(parent).parent;
  if (!syntax_.Is(parent, Py::kArgumentList) || !syntax_.Is(call, Py::kCall)) return false;
  const NodeId function = syntax_.Field(call, kFunction);
  const std::string_view name = syntax_.Text(function);
  const bool asks = name == "isinstance" || name == "issubclass";
  return asks && scopes_.Find(function, name) == nullptr;
}

bool Checks::AreUsesOnlyAsked(NodeId bound) const {
  if (bound == kNoNode) return false;
  for (NodeId use = 0; use < syntax_.size(); ++use) {
    if (!syntax_.Is(use, Py::kIdentifier) || syntax_.Text(use) != syntax_.Text(bound)) continue;
    const NodeId parent = syntax_.at(use).parent;
    const bool in_import =
        syntax_.Is(parent, Py::kDottedName) || syntax_.Is(parent, Py::kAliasedImport);
    if (!in_import && !IsOnlyTested(use)) return false;
  }
  return true;
}

// Class patterns name attributes too: case object(__globals__=g).
void Checks::WalkName(NodeId node) {
  const std::string_view name = syntax_.Text(node);
  if (!name.starts_with("__") || !syntax_.at(node).named) return;
  const NodeId parent = syntax_.at(node).parent;
  if (syntax_.Is(parent, Py::kAttribute) || syntax_.Is(parent, Py::kFunctionDefinition)) return;
  const Rule* rule = RuleOfAttribute(name);
  if (rule != nullptr) report_.Add(*rule, syntax_.PlaceOf(node), std::string(name));
}

// An attribute "system" is suspicious only where it is called or passed on, since many objects have
// a field of that name: args.system.
bool Checks::IsTaken(NodeId attribute, std::string_view name) const {
  if (name != "system") return true;
  const NodeId parent = syntax_.at(attribute).parent;
  if (syntax_.Is(parent, Py::kCall)) return syntax_.at(attribute).field == kFunction;
  const NodeId call = parent == kNoNode ? kNoNode : syntax_.at(parent).parent;
  return syntax_.Is(call, Py::kCall) && syntax_.at(parent).field == kArguments &&
         syntax_.Text(syntax_.Field(call, kFunction)) != "print";
}

void Checks::AttributeName(NodeId node) {
  const NodeId attribute = syntax_.Field(node, kAttributeField);
  if (attribute == kNoNode) return;
  const std::string_view name = syntax_.Text(attribute);
  const Rule* rule = RuleOfAttribute(name);
  if (name == "__class__" && syntax_.Text(syntax_.Field(node, kObject)).ends_with(".__class__")) {
    rule = &RuleNamed("py-introspection");
  }
  const bool telling =
      IsDangerousMember(name) && scopes_.FindAttribute(name) == nullptr && IsTaken(node, name);
  if (rule == nullptr && !telling) return;
  const ValuePtr object = evaluator_.Eval(syntax_.Field(node, kObject));
  // A name that this program does not bind may be bound by an earlier run of the session.
  const auto is_unbound = [](const std::string& known) { return known.starts_with("builtins."); };
  if (telling && (object == nullptr || std::ranges::all_of(object->names, is_unbound))) {
    report_.Say("py-unclear", syntax_.PlaceOf(attribute), std::string(name),
                "\"" + std::string(name) + "\" is taken of an object that is not known");
  }
  if (rule == nullptr) return;
  // Looking at the ancestors of one of the program's own classes is harmless.
  const bool own = object != nullptr && !object->functions.empty() && object->names.empty();
  if (own && name.find("__globals__") == name.npos && rule->id == "py-introspection" &&
      (name == "mro" || name == "__defaults__" || name.find("ro__") != name.npos ||
       name.starts_with("__base"))) {
    return;
  }
  // So is listing its subclasses, a common way to implement plugins.
  if (name == "__subclasses__" && (own || IsOwnClass(syntax_.Field(node, kObject)))) return;
  if (name == "mro" && !own) return;
  const NodeId parent = syntax_.at(node).parent;
  if (name == "__code__" && syntax_.Is(parent, Py::kAttribute)) {
    const NodeId of_code = syntax_.Field(parent, kAttributeField);
    if (of_code != kNoNode && IsHarmlessOfCode(syntax_.Text(of_code))) return;
  }
  report_.Add(*rule, syntax_.PlaceOf(attribute), std::string(name));
}

// True for the body of "if TYPE_CHECKING:", which never runs.
bool Checks::IsForTypeCheckers(NodeId block) const {
  const NodeId parent = syntax_.at(block).parent;
  if (parent == kNoNode || !syntax_.Is(parent, Py::kIfStatement)) return false;
  if (syntax_.at(block).field != kConsequence) return false;
  const std::string_view condition = syntax_.Text(syntax_.Field(parent, kCondition));
  return condition == "TYPE_CHECKING" || condition.ends_with(".TYPE_CHECKING");
}

bool Checks::IsOptional(NodeId node) const {
  for (NodeId at = node; at != kNoNode; at = syntax_.at(at).parent) {
    if (syntax_.Is(at, Py::kTryStatement) || IsForTypeCheckers(at)) return true;
    if (syntax_.Is(at, Py::kFunctionDefinition)) return false;
  }
  return false;
}

void Checks::Module(NodeId at, std::string module) {
  const Place place = syntax_.PlaceOf(at);
  report_.AddImport(module, place, IsOptional(at));
  report_.Add("py-import", place, std::move(module));
}

// Analyses the examples in string literals, which doctest runs.
void Checks::Examples(NodeId call) {
  if (report_.level() >= kMaxTextLevels || examples_read_) return;
  examples_read_ = true;
  std::string code;
  for (NodeId node = 0; node < syntax_.size(); ++node) {
    if (!syntax_.Is(node, Py::kStringContent)) continue;
    std::string_view rest = syntax_.Text(node);
    while (!rest.empty()) {
      std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(rest.size(), line.size() + 1));
      line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
      if (line.starts_with(">>> ") || line.starts_with("... ")) {
        code += std::string(line.substr(4)) + "\n";
      }
    }
  }
  if (code.empty()) return;
  report_.IncludeDangers(AnalyseText(code, report_.level() + 1), syntax_.PlaceOf(call));
}

void Checks::Imports(NodeId statement) {
  for (const NodeId name : syntax_.NamedChildren(statement)) {
    const NodeId module = syntax_.Is(name, Py::kAliasedImport) ? syntax_.Field(name, kName) : name;
    if (module == kNoNode) continue;
    const std::string text = Normalised(WithoutSpace(syntax_.Text(module)));
    Module(module, text);
    // A rule may report a submodule, for example in "import urllib.request".
    if (const Rule* rule = RuleOfName(Canonical(text))) {
      report_.Add(*rule, syntax_.PlaceOf(module), text);
    }
  }
}

// from importlib import metadata, resources: the import counts for the harmless modules, and not
// for importlib.
bool Checks::TakesOnlyHarmless(NodeId statement) const {
  for (NodeId part = syntax_.at(statement).first; part != kNoNode; part = syntax_.at(part).next) {
    if (syntax_.Is(part, Py::kWildcardImport)) return false;
    if (syntax_.at(part).field != kName) continue;
    const NodeId member = syntax_.Is(part, Py::kAliasedImport) ? syntax_.Field(part, kName) : part;
    if (member == kNoNode) return false;
    const std::string name = WithoutSpace(syntax_.Text(member));
    if (!IsHarmlessOfImportlib("importlib." + name)) return false;
  }
  return true;
}

void Checks::ImportsFrom(NodeId statement) {
  const NodeId from = syntax_.Field(statement, kModuleName);
  if (from == kNoNode || syntax_.Is(from, Py::kRelativeImport)) return;
  const std::string module = Normalised(WithoutSpace(syntax_.Text(from)));
  if (module != "importlib" || !TakesOnlyHarmless(statement)) Module(from, module);
  for (NodeId part = syntax_.at(statement).first; part != kNoNode; part = syntax_.at(part).next) {
    if (syntax_.Is(part, Py::kWildcardImport) && IsFacade(Canonical(module))) {
      report_.Add("py-member", syntax_.PlaceOf(part), Canonical(module) + ".*");
    }
    if (syntax_.at(part).field != kName) continue;
    const NodeId member = syntax_.Is(part, Py::kAliasedImport) ? syntax_.Field(part, kName) : part;
    if (member == kNoNode) continue;
    const std::string name =
        Canonical(module + "." + Normalised(WithoutSpace(syntax_.Text(member))));
    if (module == "importlib" && IsHarmlessOfImportlib(name)) Module(member, name);
    if (name.starts_with("builtins.")) {
      if (const Rule* rule = RuleOfName(name)) report_.Add(*rule, syntax_.PlaceOf(member), name);
    } else {
      OneName(member, name);
    }
  }
}

}  // namespace belljar::judgement::analysis::python
