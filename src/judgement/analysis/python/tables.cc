// Checks accesses to module dictionaries (vars(m), m.__dict__): changes of their entries, and
// lookups with computed names.
#include <algorithm>

#include "judgement/analysis/name_set.h"
#include "judgement/analysis/python/check.h"
#include "judgement/analysis/python/names.h"

namespace belljar::judgement::analysis::python {
namespace {

constexpr std::string_view kTable = ".__dict__";

bool Changes(std::string_view method) {
  return method == "update" || method == "setdefault" || method == "pop" || method == "popitem" ||
         method == "clear" || method == "__setitem__" || method == "__delitem__" ||
         method == "__ior__";
}

bool Looks(std::string_view method) {
  return method == "get" || method == "pop" || method == "__getitem__";
}

}  // namespace

// Standard modules that other code relies on.
bool IsReliedOn(std::string_view module) {
  static const NameSet modules = {
      "builtins", "os",        "os.path",     "sys",     "json",     "re",        "io",
      "types",    "importlib", "subprocess",  "socket",  "ssl",      "hashlib",   "hmac",
      "secrets",  "random",    "pickle",      "inspect", "warnings", "shutil",    "tempfile",
      "site",     "codecs",    "functools",   "struct",  "base64",   "threading", "time",
      "datetime", "math",      "collections", "requests"};
  return modules.contains(module);
}

// Methods of os.environ that only read or remove variables are not included.
bool SetsVariables(std::string_view name) {
  return name == "os.putenv" || name == "os.environ.update" || name == "os.environ.setdefault" ||
         name == "os.environ.__setitem__";
}

bool MayTouchTable(std::string_view method) {
  return Looks(method) || Changes(method) || method == "__getattribute__" ||
         method == "__setattr__" || method == "__delattr__";
}

bool IsModuleTable(std::string_view name) {
  const bool table = name.ends_with(kTable) && name.size() > kTable.size();
  return name == "builtins" || (table && !name.starts_with('@'));
}

// Checks methods that read or change a module's dictionary: vars(json).update(loads=f),
// __builtins__.__dict__.get(name), json.__setattr__("loads", f), object.__setattr__(json, "loads",
// f)
void Checks::TableMethod(NodeId call, std::string_view method) {
  if (method == "__getattribute__") GottenByClass(call);
  const NodeId function = syntax_.Field(call, kFunction);
  const ValuePtr object = evaluator_.Eval(syntax_.Field(function, kObject));
  if (object == nullptr) return;
  if (Looks(method)) TableKey(call, object, evaluator_.ArgumentNode(call, 0, ""));
  if (method == "__setattr__" || method == "__delattr__") {
    StoredAttribute(call, object, method);
    StoredAttribute(call, evaluator_.ArgumentsOf(call).at(0), method);
  }
  if (!Changes(method)) return;
  // The dictionary may be an argument instead of the receiver: dict.update(vars(json), loads=f)
  const ValuePtr first = evaluator_.ArgumentsOf(call).at(0);
  const bool by_class = std::ranges::find(object->names, "builtins.dict") != object->names.end();
  const ValuePtr table = by_class ? first : object;
  if (table == nullptr) return;
  for (const std::string& name : table->names) {
    if (IsModuleTable(name)) report_.Add("py-tampering", syntax_.PlaceOf(call), name);
  }
}

// Checks attribute lookups through a class: type(os).__getattribute__(os, "system"),
// super(type(os), os).__getattribute__("system")
void Checks::GottenByClass(NodeId call) {
  const Arguments arguments = evaluator_.ArgumentsOf(call);
  if (const std::string* name = OnlyText(arguments.at(0)); name != nullptr) {
    if (IsDangerousMember(*name)) report_.Add("py-unclear", syntax_.PlaceOf(call), *name);
  }
  const std::string* name = OnlyText(arguments.at(1));
  if (name == nullptr || arguments.at(0) == nullptr) return;
  const ValuePtr member = evaluator_.AttributeOf(arguments.at(0), *name);
  if (member == nullptr) return;
  for (const std::string& one : member->names) OneName(call, one);
}

// vars(json)[name], where the value of the name is unknown or computed.
void Checks::TableKey(NodeId at, ValuePtr table, NodeId key) {
  if (table == nullptr || table->names.empty() || key == kNoNode) return;
  if (HasWholeText(evaluator_.Eval(key)) && IsWrittenOut(key)) return;
  for (const std::string& name : table->names) {
    if (!IsModuleTable(name)) continue;
    const std::string module =
        name.substr(0, name.size() - (name == "builtins" ? 0 : kTable.size()));
    if (IsReliedOn(module))
      report_.Add("py-unclear", syntax_.PlaceOf(at), "any member of " + module);
  }
}

}  // namespace belljar::judgement::analysis::python
