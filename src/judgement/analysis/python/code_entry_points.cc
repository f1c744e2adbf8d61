// Library functions that import a module or run code, where an argument gives the module's name or
// the source text.
#include <algorithm>
#include <unordered_map>

#include "judgement/analysis/python/check.h"
#include "judgement/analysis/python/names.h"
#include "judgement/analysis/python/python.h"

namespace belljar::judgement::analysis::python {
namespace {

enum class Opens : std::uint8_t {
  kModule,  // a module name or a list of them
  kText,    // source text only
  kEither,  // source text or a function
};
struct Door {
  std::string_view name;
  Opens opens;
  std::size_t position;
  std::string_view keyword;
};
constexpr Door kDoors[] = {
    {"pydoc.safeimport", Opens::kModule, 0, "path"},
    {"pydoc.importfile", Opens::kModule, 0, "path"},
    {"pydoc.resolve", Opens::kModule, 0, "thing"},
    {"pydoc.writedoc", Opens::kModule, 0, "thing"},
    {"unittest.defaultTestLoader.loadTestsFromName", Opens::kModule, 0, "name"},
    {"unittest.defaultTestLoader.loadTestsFromNames", Opens::kModule, 0, "names"},
    {"unittest.TestLoader.loadTestsFromName", Opens::kModule, 0, "name"},
    {"unittest.TestLoader.loadTestsFromNames", Opens::kModule, 0, "names"},
    {"unittest.main", Opens::kModule, 0, "module"},
    {"xml.sax.make_parser", Opens::kModule, 0, "parser_list"},
    {"doctest.testsource", Opens::kModule, 0, "module"},
    {"doctest.debug", Opens::kModule, 0, "module"},
    {"cProfile.run", Opens::kText, 0, "statement"},
    {"cProfile.runctx", Opens::kText, 0, "statement"},
    {"cProfile.Profile.run", Opens::kText, 0, "cmd"},
    {"cProfile.Profile.runctx", Opens::kText, 0, "cmd"},
    {"profile.run", Opens::kText, 0, "statement"},
    {"profile.runctx", Opens::kText, 0, "statement"},
    {"profile.Profile.run", Opens::kText, 0, "cmd"},
    {"profile.Profile.runctx", Opens::kText, 0, "cmd"},
    {"trace.Trace.run", Opens::kText, 0, "cmd"},
    {"trace.Trace.runctx", Opens::kText, 0, "cmd"},
    {"typing.ForwardRef", Opens::kText, 0, "arg"},
    {"timeit.timeit", Opens::kEither, 0, "stmt"},
    {"timeit.timeit", Opens::kEither, 1, "setup"},
    {"timeit.repeat", Opens::kEither, 0, "stmt"},
    {"timeit.repeat", Opens::kEither, 1, "setup"},
    {"timeit.Timer", Opens::kEither, 0, "stmt"},
    {"timeit.Timer", Opens::kEither, 1, "setup"},
};

// Functions that evaluate annotations given as strings. All but the first do so only if an argument
// requests it.
bool ReadsAnnotations(std::string_view name) {
  return name == "typing.get_type_hints" || name == "inspect.get_annotations" ||
         name == "inspect.signature" || name == "annotationlib.get_annotations";
}

Few<std::string> TextsIn(ValuePtr value) {
  if (value == nullptr) return {};
  Few<std::string> texts = value->texts;
  for (const ValuePtr item : value->items) {
    if (item != nullptr) texts.insert(texts.end(), item->texts.begin(), item->texts.end());
  }
  return texts;
}

}  // namespace

bool IsDoor(std::string_view name) {
  const auto is_this = [&](const Door& door) { return door.name == name; };
  return std::ranges::any_of(kDoors, is_this) || ReadsAnnotations(name);
}

void Checks::Doors(NodeId call, std::string_view name) {
  for (const Door& door : kDoors) {
    if (door.name != name) continue;
    const NodeId argument = evaluator_.ArgumentNode(call, door.position, door.keyword);
    if (argument == kNoNode) continue;
    if (door.opens == Opens::kModule) {
      ModuleDoor(call, name, argument);
    } else {
      TextDoor(call, name, argument, door.opens == Opens::kText ? Given::kText : Given::kEither);
    }
  }
  if (ReadsAnnotations(name)) Annotations(call, name);
}

// An import function passed to another function is assumed to be called with the other arguments:
// map(__import__, names), pool.submit(__import__, "socket").
void Checks::HandedImporter(NodeId call) {
  const Arguments& arguments = evaluator_.Given(call);
  const auto is_importer = [](ValuePtr value) {
    return value != nullptr && std::ranges::any_of(value->names, [](const std::string& name) {
             return name == "builtins.__import__" || name == "importlib.import_module";
           });
  };
  if (std::ranges::none_of(arguments.positional, is_importer)) return;
  for (const ValuePtr argument : arguments.positional) {
    if (is_importer(argument)) continue;
    const Few<std::string> texts = TextsIn(argument);
    if (std::ranges::none_of(texts, [](const std::string& text) { return IsWhole(text); })) {
      report_.Add("py-dynamic-import", syntax_.PlaceOf(call), "__import__");
    }
    for (const std::string& text : texts) {
      if (IsWhole(text)) OneName(call, Canonical(text));
    }
  }
}

void Checks::ModuleDoor(NodeId call, std::string_view name, NodeId argument) {
  const ValuePtr given = evaluator_.Eval(argument);
  if (IsDecoded(given)) report_.Add("py-obfuscation", syntax_.PlaceOf(call), std::string(name));
  const bool nothing = syntax_.Is(argument, Py::kNone) ||
                       (syntax_.Is(argument, Py::kList) && syntax_.NamedChildren(argument).empty());
  const Few<std::string> texts = TextsIn(given);
  const bool itself = texts.size() == 1 && texts[0] == "__main__";
  // The argument is a module or another object, and not a name to be imported.
  const bool at_hand = given != nullptr && texts.empty() && given->items.empty() &&
                       (!given->names.empty() || !given->functions.empty());
  if (nothing || itself || at_hand) return;
  report_.Add("py-dynamic-import", syntax_.PlaceOf(call), std::string(name));
  for (const std::string& text : texts) {
    if (IsWhole(text)) OneName(call, Canonical(text));
  }
}

void Checks::TextDoor(NodeId call, std::string_view name, NodeId argument, Given given) {
  const ValuePtr value = evaluator_.Eval(argument);
  if (IsDecoded(value)) report_.Add("py-obfuscation", syntax_.PlaceOf(call), std::string(name));
  const bool has_text = value != nullptr && !value->texts.empty();
  const bool all_known =
      has_text && std::all_of(value->texts.begin(), value->texts.end(),
                              [](const std::string& text) { return IsWhole(text); });
  // Strings that are entirely known have been analysed as code by TextCall or CodeCall already.
  if (all_known) return;
  if (given == Given::kText || has_text)
    report_.Add("py-eval", syntax_.PlaceOf(call), std::string(name));
}

// Analyses annotations that are evaluated as code: def f(x: "__import__('os').system('id')").
void Checks::Annotations(NodeId call, std::string_view name) {
  const NodeId asked = evaluator_.ArgumentNode(call, 99, "eval_str");
  const bool evaluates = name == "typing.get_type_hints" || syntax_.Is(asked, Py::kTrue);
  if (!evaluates || report_.level() >= kMaxTextLevels) return;
  std::string code;
  for (NodeId node = 0; node < syntax_.size(); ++node) {
    if (!syntax_.Is(node, Py::kType)) continue;
    const ValuePtr value = evaluator_.Eval(syntax_.Named(node, 0));
    if (value == nullptr) continue;
    for (const std::string& text : value->texts) {
      if (IsWhole(text) && text.find('(') != std::string::npos) code += text + "\n";
    }
  }
  if (code.empty()) return;
  report_.IncludeDangers(AnalyseText(code, report_.level() + 1), syntax_.PlaceOf(call));
}

}  // namespace belljar::judgement::analysis::python
