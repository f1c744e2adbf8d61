#include "judgement/analysis/javascript/judge.h"

#include <fmt/format.h>

#include <algorithm>

#include "judgement/analysis/javascript/names.h"
#include "judgement/analysis/javascript/text.h"

namespace belljar::judgement::analysis::javascript {
namespace {

constexpr std::size_t kMaxMessage = 240;

bool Has(ValuePtr value, std::string_view name) {
  return value != nullptr &&
         std::find(value->names.begin(), value->names.end(), name) != value->names.end();
}

bool IsComparison(std::string_view op) {
  return op == "===" || op == "!==" || op == "==" || op == "!=" || op == "instanceof" || op == "in";
}

std::string_view MessageOf(std::string_view rule) {
  if (rule == "js-eval") return "'{}' runs text as code";
  if (rule == "js-process") return "'{}' starts other programs or threads";
  if (rule == "js-network") return "'{}' talks to the network";
  if (rule == "js-native") return "'{}' is a door to machine code";
  if (rule == "js-wasm") return "'{}' runs WebAssembly, which is not read here";
  if (rule == "js-process-control") return "'{}' changes a process";
  return "'{}' reaches into how the program is loaded and run";
}

// Makes a message one short line: messages quote the untrusted source.
std::string OneLine(std::string message) {
  for (char& c : message) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) c = ' ';
  }
  if (message.size() <= kMaxMessage) return message;
  std::size_t end = kMaxMessage;
  while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xC0U) == 0x80U) --end;
  return message.substr(0, end) + "…";
}

}  // namespace

Judge::Judge(const Syntax& syntax, const Scopes& scopes, Nesting nesting, Report& report)
    : syntax_(syntax),
      scopes_(scopes),
      nesting_(nesting),
      report_(report),
      evaluator_(syntax, scopes),
      bombs_(syntax, scopes, evaluator_) {}

void Judge::Add(std::string_view rule, NodeId place, std::string_view subject,
                std::string message) {
  report_.Say(rule, syntax_.PlaceOf(place), std::string(subject), OneLine(std::move(message)));
}

void Judge::Run() {
  const auto size = static_cast<NodeId>(syntax_.size());
  for (NodeId id = 0; id < size; ++id) {
    if (IsType(syntax_, id)) {
      id = scopes_.EndOf(id) - 1;
      continue;
    }
    Visit(id);
  }
  JudgeWrittenModules();
}

void Judge::Visit(NodeId id) {
  switch (static_cast<Js>(syntax_.at(id).kind)) {
    case Js::kIdentifier:
    case Js::kShorthand:
      return JudgeName(id);
    case Js::kMember:
    case Js::kSubscript:
      return JudgeMember(id);
    case Js::kShorthandPattern:
    case Js::kPairPattern:
      return JudgePattern(id);
    case Js::kImportStatement:
    case Js::kExport:
      return JudgeImport(id);
    case Js::kCall:
    case Js::kNew:
      return JudgeCall(id);
    default:
      return VisitStatement(id);
  }
}

void Judge::VisitStatement(NodeId id) {
  switch (static_cast<Js>(syntax_.at(id).kind)) {
    case Js::kDeclarator:
      // Evaluated now, in source order, so that later queries find the variable's dependencies
      // memoised.
      evaluator_.Eval(syntax_.Field(id, kFieldValue));
      return;
    case Js::kAssignment:
    case Js::kAugmented:
      evaluator_.Eval(syntax_.Field(id, kFieldRight));
      return JudgeWrite(syntax_.Field(id, kFieldLeft));
    case Js::kUpdate:
      return JudgeWrite(syntax_.Field(id, kFieldArgument));
    case Js::kUnary:
      if (syntax_.Text(id).starts_with("delete")) JudgeWrite(syntax_.Field(id, kFieldArgument));
      return;
    case Js::kSpread:
      JudgeSpread(syntax_.Named(id, 0));
      break;
    case Js::kWith:
      return JudgeLookup(id, evaluator_.Eval(syntax_.Field(id, kFieldObject)), kNoNode);
    case Js::kForIn:
      JudgeSpread(syntax_.Field(id, kFieldRight));
      break;
    default:
      break;
  }
  if (const auto bomb = bombs_.InStatement(id)) Add("js-bomb", id, bomb->subject, bomb->message);
}

// True if the value is only tested for existence or type, for example with typeof or instanceof.
bool Judge::IsOnlyCompared(NodeId id) const {
  const NodeId outside = Wrapped(syntax_, id);
  const NodeId parent = syntax_.at(outside).parent;
  if (parent == kNoNode) return false;
  if (syntax_.at(outside).field == kFieldCondition) return true;
  const NodeId op = syntax_.Field(parent, kFieldOperator);
  if (op == kNoNode) return false;
  if (syntax_.Is(parent, Js::kBinary)) return IsComparison(syntax_.Text(op));
  return syntax_.Is(parent, Js::kUnary) &&
         (syntax_.Text(op) == "typeof" || syntax_.Text(op) == "!");
}

void Judge::JudgeDanger(NodeId place, std::string_view rule, const std::string& subject) {
  Add(rule, place, subject, fmt::format(fmt::runtime(MessageOf(rule)), subject));
}

void Judge::JudgeName(NodeId id) {
  if (scopes_.BindingOf(id) != nullptr) return;
  const NodeId parent = syntax_.at(id).parent;
  if (syntax_.Is(parent, Js::kImportSpecifier) || syntax_.Is(parent, Js::kExportSpecifier)) return;
  if (syntax_.at(id).field == kFieldName) return;  // the name of a function, class or namespace
  if (scopes_.NameOf(id) == "require") return JudgeHandedOn(id);
  const auto danger = DangerOfName(CanonicalName(std::string(scopes_.NameOf(id))));
  if (!danger || IsOnlyCompared(id)) return;
  const bool is_object = syntax_.Is(parent, Js::kMember) && syntax_.at(id).field == kFieldObject;
  if (danger->subject == "Function" && is_object) {
    const std::string_view member = scopes_.NameOf(syntax_.Field(parent, kFieldProperty));
    if (member == "prototype" || member == "name" || member == "length") return;
  }
  JudgeDanger(id, danger->rule, danger->subject);
}

// Where `require` is used as an ordinary value, its later calls cannot be seen.
void Judge::JudgeHandedOn(NodeId id) {
  const NodeId outside = Wrapped(syntax_, id);
  const NodeId parent = syntax_.at(outside).parent;
  const std::uint8_t field = syntax_.at(outside).field;
  const bool is_used = field == kFieldFunction || field == kFieldObject;
  const bool is_alias = syntax_.Is(parent, Js::kDeclarator) || syntax_.Is(parent, Js::kSequence);
  if (is_used || is_alias || field == kFieldLeft || IsOnlyCompared(id)) return;
  Add("js-dynamic-import", id, "require", "'require' is handed on, and may load anything");
}

void Judge::JudgeMember(NodeId id) {
  const NodeId owner = syntax_.Field(id, kFieldObject);
  const ValuePtr object = evaluator_.Eval(owner);
  JudgeConstructor(id);
  if (syntax_.Is(id, Js::kSubscript)) JudgeMadeUpMember(id);
  const bool is_empty = syntax_.Is(owner, Js::kArray) && syntax_.Named(owner, 0) == kNoNode;
  if (is_empty && evaluator_.KeysOf(id).empty()) {
    Add("js-obfuscation", id, "[]", "a method is taken from an empty list by a made-up name");
  }
  if (object == nullptr) JudgeUnknownOwner(id);
  if (object == nullptr || IsOnlyCompared(id)) return;
  JudgeAccess(id, object, id);
}

// Reports members of unknown objects that have a name typical of modules which give access to the
// system.
void Judge::JudgeUnknownOwner(NodeId id) {
  static constexpr std::string_view kTelling[] = {
      "execSync", "spawnSync",      "execFileSync", "getBuiltinModule", "dlopen",
      "_load",    "_linkedBinding", "mainModule",   "execve",           "getThis"};
  for (const std::string& key : evaluator_.KeysOf(id)) {
    if (std::find(std::begin(kTelling), std::end(kTelling), key) == std::end(kTelling)) continue;
    Add("js-unclear", id, key, fmt::format("'{}' is taken of an object that is not known", key));
  }
}

// Reports access to the Function constructor, by name or through the member `constructor`.
void Judge::JudgeConstructor(NodeId id) {
  const std::vector<std::string> keys = evaluator_.KeysOf(id);
  if (std::find(keys.begin(), keys.end(), "constructor") == keys.end()) return;
  if (!Has(evaluator_.Eval(id), "Function") || IsOnlyCompared(id)) return;
  const NodeId parent = syntax_.at(Wrapped(syntax_, id)).parent;
  if (syntax_.Is(parent, Js::kMember) && syntax_.Is(id, Js::kMember)) {
    const std::string_view member = scopes_.NameOf(syntax_.Field(parent, kFieldProperty));
    if (member == "name" || member == "prototype" || member == "length") return;
  }
  if (IsDecoded(evaluator_.KeyValue(id))) {
    Add("js-obfuscation", id, "constructor", "the name 'constructor' is decoded before it is used");
  }
  JudgeDanger(id, "js-eval", "Function");
}

void Judge::JudgePattern(NodeId id) {
  const NodeId parent = syntax_.at(id).parent;
  const bool has_default = syntax_.Is(parent, Js::kObjectAssignmentPattern);
  const NodeId pattern = has_default ? syntax_.at(parent).parent : parent;
  if (!syntax_.Is(pattern, Js::kObjectPattern)) return;
  const ValuePtr object = evaluator_.Stored(pattern);
  const std::vector<std::string> keys = evaluator_.KeysOf(id);
  const bool asks_maker = std::find(keys.begin(), keys.end(), "constructor") != keys.end() ||
                          (keys.empty() && scopes_.NameOf(id) == "constructor");
  if (asks_maker && Has(evaluator_.Member(object, "constructor"), "Function")) {
    JudgeDanger(id, "js-eval", "Function");
  }
  JudgeAccess(id, object, id);
}

// Judges a member access, by a member expression or a destructuring pattern.
void Judge::JudgeAccess(NodeId place, ValuePtr object, NodeId access) {
  if (object == nullptr || object->names.empty()) return;
  if (syntax_.Is(access, Js::kShorthandPattern)) {
    const std::string key(scopes_.NameOf(access));
    for (const std::string& name : object->names) JudgeKeyOf(place, name, key, nullptr);
    return;
  }
  const ValuePtr key = evaluator_.KeyValue(access);
  const bool is_cut = key != nullptr && key->texts.size() >= kMaxAlternatives;
  if (is_cut || evaluator_.KeysOf(access).empty()) JudgeLookup(place, object, access);
  JudgeKey(place, object, key);
}

void Judge::JudgeKey(NodeId place, ValuePtr object, ValuePtr key) {
  if (object == nullptr || key == nullptr) return;
  for (const std::string& name : object->names) {
    for (const std::string& text : key->texts) JudgeKeyOf(place, name, text, key);
  }
}

void Judge::JudgeKeyOf(NodeId place, const std::string& name, const std::string& key,
                       ValuePtr from) {
  const auto danger = DangerOfName(RawMember(name, key));
  if (danger) JudgeDanger(place, danger->rule, danger->subject);
  if (IsDecoded(from) && (danger || IsGate(name))) {
    Add("js-obfuscation", place, key, fmt::format("the name '{}' is decoded before use", key));
  }
  if (name == "process.env" && IsSecretVariable(key)) {
    Add("js-environment", place, key, fmt::format("'{}' is a credential", key));
  }
}

// Reports a computed member name that is unknown, on an object from which everything can be
// reached.
void Judge::JudgeLookup(NodeId place, ValuePtr object, NodeId access) {
  if (object == nullptr) return;
  if (access != kNoNode) {
    const NodeId index = Bare(syntax_, syntax_.Field(access, kFieldIndex));
    const bool is_symbol =
        syntax_.Is(index, Js::kCall) && syntax_.Text(index).starts_with("Symbol");
    if (is_symbol || Has(evaluator_.KeyValue(access), "Symbol.iterator")) return;
  }
  for (const std::string& name : object->names) {
    if (!IsGate(name)) continue;
    Add("js-global-lookup", place, Shown(name),
        fmt::format("a member of '{}' is chosen while the program runs", Shown(name)));
  }
}

void Judge::JudgeWrite(NodeId target) {
  target = Bare(syntax_, target);
  if (target == kNoNode) return;
  if (syntax_.Is(target, Js::kIdentifier)) {
    if (scopes_.BindingOf(target) == nullptr) {
      JudgeWriteTo(target, "globalThis", std::string(scopes_.NameOf(target)));
    }
    return;
  }
  if (!syntax_.Is(target, Js::kMember) && !syntax_.Is(target, Js::kSubscript)) return;
  const ValuePtr object = evaluator_.Eval(syntax_.Field(target, kFieldObject));
  std::vector<std::string> keys = evaluator_.KeysOf(target);
  for (const std::string& key : keys) {
    if (key != "__proto__") continue;
    Add("js-prototype", target, key, "an object's prototype is replaced through '__proto__'");
  }
  if (object == nullptr) return;
  if (keys.empty()) keys.emplace_back("…");
  for (const std::string& name : object->names) {
    for (const std::string& key : keys) JudgeWriteTo(target, name, key);
  }
}

void Judge::JudgeWriteTo(NodeId place, const std::string& name, const std::string& key) {
  const std::string raw = RawMember(name, key);
  const std::string_view whole =
      raw.starts_with('?') ? std::string_view(raw).substr(1) : Shown(raw);
  if (name == "process.env") {
    if (!IsSteeringVariable(key)) return;
    Add("js-environment-write", place, key,
        fmt::format("'{}' changes how programs are started", key));
    return;
  }
  const bool is_limit = name == "Error" && (key == "stackTraceLimit" || key == "prepareStackTrace");
  const bool is_shared = IsGlobalObject(name) ? IsShared(key) : IsShared(name);
  const bool is_module = name.starts_with("node:") && !name.starts_with("node:.") &&
                         name.find('.') == std::string::npos;
  if (is_limit || (!is_shared && !is_module && !IsLibraryPrototype(name))) return;
  Add("js-prototype", place, whole, fmt::format("'{}' is changed for all of the program", whole));
}

void Judge::JudgeSpread(NodeId expression) {
  if (expression == kNoNode || !Has(evaluator_.Eval(expression), "process.env")) return;
  Add("js-environment", expression, "process.env", "the whole environment is read");
}

}  // namespace belljar::judgement::analysis::javascript
