// Checks that depend on the arguments of a call, or on the target of an assignment.
#include <algorithm>

#include "judgement/analysis/name_set.h"
#include "judgement/analysis/paths.h"
#include "judgement/analysis/python/check.h"
#include "judgement/analysis/python/names.h"
#include "judgement/analysis/python/python.h"

namespace belljar::judgement::analysis::python {
namespace {

// Attributes of sys that ordinary programs assign to.
bool IsOrdinaryOfSys(std::string_view attribute) {
  static const NameSet names = {"stdout",         "stderr", "stdin", "argv",
                                "tracebacklimit", "ps1",    "ps2",   "dont_write_bytecode"};
  return names.contains(attribute);
}

// A format such as "{:>99999999999}" pads its value to that many characters.
bool HasHugeWidth(std::string_view format) {
  std::size_t digits = 0;
  for (const char c : format.substr(0, 4096)) {
    digits = c >= '0' && c <= '9' ? digits + 1 : 0;
    if (digits >= 9 && format.find_first_of("{%") != format.npos) return true;
  }
  return false;
}

// Environment variables that make programs started later load other code.
bool IsLoaderVariable(std::string_view name) {
  return name.starts_with("LD_") || name == "PYTHONPATH" || name == "PYTHONSTARTUP" ||
         name == "BASH_ENV" || name == "NODE_OPTIONS" || name == "PYTHONHOME";
}

// A format field without trailing attributes that only describe a class, which are harmless:
// "<{self.__class__.__name__}>".
std::string_view WithoutItsName(std::string_view field) {
  field = field.substr(0, field.find_first_of(":!"));
  for (const std::string_view last : {".__name__", ".__qualname__", ".__module__", ".__doc__"}) {
    if (!field.ends_with(last)) continue;
    field.remove_suffix(last.size());
    if (field.ends_with(".__class__")) field.remove_suffix(10);
    break;
  }
  return field;
}

bool NamesHidden(std::string_view format) {
  std::size_t at = 0;
  while ((at = format.find('{', at)) != std::string_view::npos) {
    if (format.substr(at).starts_with("{{")) {
      at += 2;
      continue;
    }
    const std::size_t end = format.find('}', at);
    if (end == std::string_view::npos) return false;
    const std::string_view field = WithoutItsName(format.substr(at, end - at));
    if (field.find(".__") != field.npos || field.find("[__") != field.npos) return true;
    at = end;
  }
  return false;
}

}  // namespace

void Checks::Call(NodeId call) {
  const NodeId function = syntax_.Field(call, kFunction);
  if (function == kNoNode) return;
  const ValuePtr callee = evaluator_.Eval(function);
  if (callee != nullptr) {
    if (!callee->names.empty()) BombStarred(call);
    for (const std::string& name : callee->names) NamedCall(call, name);
  }
  HandedGetter(call);
  HandedImporter(call);
  if (!syntax_.Is(function, Py::kAttribute)) return;
  const NodeId method = syntax_.Field(function, kAttributeField);
  if (method != kNoNode) MethodCall(call, syntax_.Text(method));
}

// getattr passed as a function: reduce(getattr, ["__class__", "__base__"], x).
void Checks::HandedGetter(NodeId call) {
  const Arguments& arguments = evaluator_.Given(call);
  const auto is_getter = [](ValuePtr value) {
    return value != nullptr &&
           std::ranges::find(value->names, "builtins.getattr") != value->names.end();
  };
  if (std::ranges::none_of(arguments.positional, is_getter)) return;
  for (const ValuePtr argument : arguments.positional) {
    for (const ValuePtr part : Elements(evaluator_.store(), argument)) {
      const std::string* name = OnlyText(part);
      const Rule* const rule = name == nullptr ? nullptr : RuleOfAttribute(*name);
      if (rule != nullptr) report_.Add(*rule, syntax_.PlaceOf(call), *name);
    }
  }
}

void Checks::CodeCall(NodeId call, std::string_view name) {
  const Place place = syntax_.PlaceOf(call);
  const ValuePtr text = evaluator_.Eval(evaluator_.ArgumentNode(call, 0, "source"));
  if (text == nullptr) return;
  if (text->decoded) report_.Add("py-obfuscation", place, std::string(name));
  if (report_.level() >= kMaxTextLevels) {
    report_.Add("py-unclear", place, "texts that run texts that run texts");
    return;
  }
  for (const std::string& source : text->texts) {
    if (IsWhole(source)) report_.Include(AnalyseText(source, report_.level() + 1), place);
  }
}

// Analyses string arguments as code.
void Checks::TextCall(NodeId call) {
  if (report_.level() >= kMaxTextLevels) return;
  const Arguments arguments = evaluator_.ArgumentsOf(call);
  std::vector<ValuePtr> given(arguments.positional.begin(), arguments.positional.end());
  for (const auto& [name, value] : arguments.named) given.push_back(value);
  for (const ValuePtr value : given) {
    if (value == nullptr) continue;
    for (std::string text : value->texts) {
      if (!IsWhole(text) || text.find('(') == std::string::npos) continue;
      std::erase(text, '@');
      report_.IncludeDangers(AnalyseText(text, report_.level() + 1), syntax_.PlaceOf(call));
    }
  }
}

void Checks::ExtensionLoaded(NodeId call, std::string_view method) {
  report_.Add("py-native", syntax_.PlaceOf(call), std::string(method));
}

void Checks::PathMethod(NodeId call, std::string_view) {
  const ValuePtr object = evaluator_.Eval(syntax_.Field(syntax_.Field(call, kFunction), kObject));
  if (object == nullptr) return;
  for (const std::string& path : object->texts) {
    if (!IsOutside(path, kUnknownPart)) continue;
    report_.Add("py-file-outside", syntax_.PlaceOf(call), ShownPath(path, kUnknownPart));
  }
}

void Checks::FileMethod(NodeId call, std::string_view method) {
  PathIn(call, evaluator_.ArgumentNode(call, 0, "path"));
  PathIn(call, evaluator_.ArgumentNode(call, 99, "path"));
  // The method `extract` of an archive has the path second: extract(m, "/").
  if (method == "extract") PathIn(call, evaluator_.ArgumentNode(call, 1, ""));
}

// Checks getters whose string argument names attributes: attrgetter("a.__b__"),
// get_field("0.__class__")
void Checks::Getter(NodeId call) {
  const ValuePtr names = evaluator_.Eval(evaluator_.ArgumentNode(call, 0, ""));
  if (names == nullptr) return;
  for (const std::string& path : names->texts) {
    std::string_view rest = path;
    while (!rest.empty()) {
      const std::size_t dot = rest.find('.');
      if (const Rule* rule = RuleOfAttribute(rest.substr(0, dot))) {
        report_.Add(*rule, syntax_.PlaceOf(call), path);
      }
      rest = dot == std::string_view::npos ? "" : rest.substr(dot + 1);
    }
  }
}

void Checks::ImportCall(NodeId call, std::string_view name) {
  const NodeId argument = evaluator_.ArgumentNode(call, 0, "name");
  const ValuePtr module = evaluator_.Eval(argument);
  const Place place = syntax_.PlaceOf(call);
  if (IsDecoded(module)) report_.Add("py-obfuscation", place, std::string(name));
  if (argument != kNoNode && !(HasWholeText(module) && IsWrittenOut(argument))) {
    report_.Add("py-dynamic-import", place, std::string(name));
  }
}

void Checks::AttributeCall(NodeId call) {
  const NodeId function = syntax_.Field(call, kFunction);
  const bool by_method = syntax_.Is(function, Py::kAttribute);
  const Arguments arguments = evaluator_.ArgumentsOf(call);
  const ValuePtr object =
      by_method ? evaluator_.Eval(syntax_.Field(function, kObject)) : arguments.at(0);
  const ValuePtr names = arguments.at(by_method ? 0 : 1);
  const NodeId asked = evaluator_.ArgumentNode(call, by_method ? 0 : 1, "");
  const Place place = syntax_.PlaceOf(call);
  // The name is the first or second argument: x.__getattribute__("a"), type(x).__getattribute__(x,
  // "a")
  for (const ValuePtr texts : {arguments.at(0), arguments.at(1)}) {
    if (texts == nullptr) continue;
    for (const std::string& name : texts->texts) {
      if (const Rule* rule = RuleOfAttribute(name)) report_.Add(*rule, place, name);
    }
  }
  if (object == nullptr) return;
  for (const std::string& name : object->names) {
    if (IsDecoded(names)) report_.Add("py-obfuscation", place, name);
    if (HidesMember(name, names, asked)) report_.Add("py-unclear", place, "any member of " + name);
    const std::string_view called = syntax_.Text(function);
    const std::string* given = OnlyText(names);
    const bool ordinary = name == "sys" && given != nullptr && IsOrdinaryOfSys(*given);
    if ((called == "setattr" || called == "delattr") && IsReliedOn(name) && !ordinary) {
      report_.Add("py-tampering", place, name);
    }
  }
}

bool MayDeserialise(std::string_view name) {
  return name == "yaml.load" || name == "yaml.load_all" || name == "numpy.load" ||
         name == "ruamel.yaml.YAML";
}

void Checks::Deserialising(NodeId call, std::string_view name) {
  if (name == "yaml.load" || name == "yaml.load_all") {
    const ValuePtr loader = evaluator_.Eval(evaluator_.ArgumentNode(call, 1, "Loader"));
    const bool safe = loader != nullptr && !loader->names.empty() &&
                      loader->names.front().find("Safe") != std::string::npos;
    if (!safe) report_.Add("py-deserialise", syntax_.PlaceOf(call), std::string(name));
  }
  if (name == "ruamel.yaml.YAML") {
    const std::string* kind = OnlyText(evaluator_.Eval(evaluator_.ArgumentNode(call, 0, "typ")));
    if (kind != nullptr && *kind == "unsafe") {
      report_.Add("py-deserialise", syntax_.PlaceOf(call), "ruamel.yaml.YAML");
    }
  }
  if (name == "numpy.load") {
    const NodeId allowed = evaluator_.ArgumentNode(call, 2, "allow_pickle");
    if (allowed != kNoNode && !syntax_.Is(allowed, Py::kFalse)) {
      report_.Add("py-deserialise", syntax_.PlaceOf(call), "numpy.load with allow_pickle");
    }
  }
}

// Checks the format string, which is the receiver or an argument: "…".format(x), str.format("…",
// x), Formatter().format("…", x)
void Checks::Format(NodeId call) {
  const NodeId function = syntax_.Field(call, kFunction);
  HiddenFormat(call, evaluator_.Eval(syntax_.Field(function, kObject)));
  HiddenFormat(call, evaluator_.Eval(evaluator_.ArgumentNode(call, 0, "")));
}

void Checks::HiddenFormat(NodeId at, ValuePtr text) {
  if (text == nullptr) return;
  for (const std::string& one : text->texts) {
    if (HasHugeWidth(one)) report_.Add("py-bomb", syntax_.PlaceOf(at), one);
    if (NamesHidden(one)) report_.Add("py-format-attribute", syntax_.PlaceOf(at), one);
  }
}

// Reports a huge width in the format of an f-string: f"{x:>99999999999}"
void Checks::FormatWidth(NodeId interpolation) {
  NodeId format = kNoNode;
  for (const NodeId part : syntax_.NamedChildren(interpolation)) format = part;
  const std::string_view spec = format == kNoNode ? "" : syntax_.Text(format);
  if (!spec.starts_with(':')) return;
  bool huge = HasHugeWidth("{" + std::string(spec));
  for (const NodeId part : syntax_.NamedChildren(format)) {
    const double* width = OnlyNumber(evaluator_.Eval(syntax_.Named(part, 0)));
    huge = huge || (width != nullptr && *width > 1e8);
  }
  if (huge) report_.Add("py-bomb", syntax_.PlaceOf(interpolation), std::string(spec));
}

void Checks::Stored(NodeId target) {
  if (syntax_.Is(target, Py::kAttribute)) {
    const NodeId attribute = syntax_.Field(target, kAttributeField);
    if (attribute == kNoNode) return;
    StoredAttribute(target, evaluator_.Eval(syntax_.Field(target, kObject)),
                    syntax_.Text(attribute));
  } else if (syntax_.Is(target, Py::kSubscript)) {
    const ValuePtr container = evaluator_.Eval(syntax_.Field(target, kValue));
    if (container == nullptr) return;
    for (const std::string& name : container->names) {
      if (name == "sys.modules" || IsModuleTable(name))
        report_.Add("py-tampering", syntax_.PlaceOf(target), name);
      const std::string* key = OnlyText(evaluator_.Eval(syntax_.Field(target, kSubscriptField)));
      if (name == "os.environ" && key != nullptr && IsLoaderVariable(*key)) {
        report_.Add("py-tampering", syntax_.PlaceOf(target), *key);
      }
    }
  } else if (syntax_.Is(target, Py::kPatternList) || syntax_.Is(target, Py::kTuplePattern)) {
    for (const NodeId part : syntax_.NamedChildren(target)) {
      if (syntax_.Is(part, Py::kAttribute) || syntax_.Is(part, Py::kSubscript)) Stored(part);
    }
  }
}

// Reports loader variables that a call sets: os.environ.update({"LD_PRELOAD": x}),
// os.environ.setdefault("LD_PRELOAD", x)
void Checks::LoaderCall(NodeId call) {
  const Arguments arguments = evaluator_.ArgumentsOf(call);
  const auto look = [&](std::string_view name) {
    if (!IsLoaderVariable(name)) return;
    report_.Add("py-tampering", syntax_.PlaceOf(call), std::string(name));
  };
  for (const auto& [name, value] : arguments.named) look(name);
  const ValuePtr first = arguments.at(0);
  if (first == nullptr) return;
  for (const auto& [key, value] : first->keyed) look(key);
  if (const std::string* name = OnlyText(first);
      arguments.positional.size() > 1 && name != nullptr) {
    look(*name);
  }
}

// Checks the factories ("()") that logging.config calls: {"()": "os.system"}.
void Checks::Factories(NodeId call, ValuePtr config, int depth) {
  if (config == nullptr || depth == 0) return;
  for (const auto& [key, part] : config->keyed) {
    const std::string* name = key == "()" ? OnlyText(part) : nullptr;
    if (name == nullptr) {
      Factories(call, part, depth - 1);
    } else {
      OneName(call, Canonical(*name));
    }
  }
}

void Checks::StoredAttribute(NodeId target, ValuePtr object, std::string_view attribute) {
  const Place place = syntax_.PlaceOf(target);
  if (attribute == "__code__") report_.Add("py-code-object", place, "__code__");
  if (object == nullptr) return;
  for (const std::string& name : object->names) {
    if (!IsReliedOn(name) || (name == "sys" && IsOrdinaryOfSys(attribute))) continue;
    report_.Add("py-tampering", place, name + "." + std::string(attribute));
  }
}

}  // namespace belljar::judgement::analysis::python
