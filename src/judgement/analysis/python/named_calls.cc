// Dispatches the checks of calls by the name of the called function or method.
#include <algorithm>

#include "judgement/analysis/name_memory.h"
#include "judgement/analysis/name_set.h"
#include "judgement/analysis/python/check.h"
#include "judgement/analysis/python/names.h"

namespace belljar::judgement::analysis::python {
namespace {

bool RunsText(std::string_view name) {
  return name == "builtins.eval" || name == "builtins.exec" || name == "builtins.compile" ||
         name == "code.InteractiveInterpreter.runsource";
}

// Functions and methods that run source text given as one of their arguments, though running code
// is not their main purpose.
bool MayRunText(std::string_view name) {
  static const NameSet names = {
      "timeit.timeit",     "timeit.repeat", "timeit.Timer",    "cProfile.run",  "cProfile.runctx",
      "profile.runctx",    "profile.run",   "pandas.eval",     "sympy.sympify", "numexpr.evaluate",
      "typing.ForwardRef", "cython.inline", "sympy.parse_expr"};
  return names.contains(name);
}

bool ImportsByText(std::string_view name) {
  return name == "builtins.__import__" || name.starts_with("importlib.import_module") ||
         name == "importlib.__import__";
}

bool TakesMember(std::string_view name) {
  return name == "builtins.getattr" || name == "builtins.setattr" || name == "builtins.delattr" ||
         name.ends_with("__getattribute__");
}

bool RunsExamples(std::string_view name) { return name.starts_with("doctest."); }
bool ConfiguresLogging(std::string_view name) { return name == "logging.config.dictConfig"; }
bool FormatsText(std::string_view name) { return name == "builtins.str.format"; }

bool MakesGetter(std::string_view name) {
  return name == "operator.attrgetter" || name == "operator.methodcaller";
}

bool TakesFormat(std::string_view name) {
  return name == "logging.basicConfig" || name == "logging.Formatter";
}

bool MakesTemporary(std::string_view name) { return name.starts_with("tempfile."); }
bool OnlySoundsLikeOpening(std::string_view name) {
  return !TakesPath(name) && SoundsLikeOpening(name);
}

bool Formats(std::string_view method) {
  return method == "format" || method == "format_map" || method == "vformat";
}

bool IsTextRunner(std::string_view method) {
  return method == "run" || method == "runeval" || method == "runctx" || method == "eval" ||
         method == "query" || method == "evaluate" || method == "runsource" ||
         method == "run_string" || method == "sympify";
}

bool GetsField(std::string_view method) { return method == "get_field"; }
bool ExecutesSql(std::string_view method) {
  return method == "execute" || method == "executescript";
}
bool LoadsExtension(std::string_view method) {
  return method == "load_extension" || method == "enable_load_extension";
}

// Methods whose first argument usually is a path, for receivers of unknown type.
bool IsFileMethod(std::string_view method) {
  static const NameSet methods = {"read",     "extractall", "extract",    "add",    "to_csv",
                                  "to_json",  "to_excel",   "savefig",    "save",   "to_parquet",
                                  "writestr", "to_pickle",  "symlink_to", "rename", "hardlink_to"};
  return methods.contains(method);
}

}  // namespace

void Checks::LoggingConfig(NodeId call, std::string_view) {
  Factories(call, evaluator_.ArgumentsOf(call).at(0), kMaxNesting);
}

void Checks::FormatCall(NodeId call, std::string_view) {
  HiddenFormat(call, evaluator_.ArgumentsOf(call).at(0));
}

void Checks::LogFormat(NodeId call, std::string_view) {
  HiddenFormat(call, evaluator_.Eval(evaluator_.ArgumentNode(call, 0, "format")));
}

void Checks::TemporaryIn(NodeId call, std::string_view) {
  PathIn(call, evaluator_.ArgumentNode(call, 99, "dir"));
}

// A check, and the predicate for the names to which it applies. Most names have no check.
struct Checks::NamedCheck {
  bool (*concerns)(std::string_view name);
  void (Checks::*look)(NodeId call, std::string_view name);
};

const Checks::NamedCheck Checks::kNamedChecks[] = {
    {RunsText, &Checks::CodeCall},
    {ImportsByText, &Checks::ImportCall},
    {TakesMember, &Checks::Plainly<&Checks::AttributeCall>},
    {MayRunText, &Checks::Plainly<&Checks::TextCall>},
    {IsDoor, &Checks::Doors},
    {SetsVariables, &Checks::Plainly<&Checks::LoaderCall>},
    {RunsExamples, &Checks::Plainly<&Checks::Examples>},
    {ConfiguresLogging, &Checks::LoggingConfig},
    {FormatsText, &Checks::FormatCall},
    {MakesGetter, &Checks::Plainly<&Checks::Getter>},
    {TakesFormat, &Checks::LogFormat},
    {MakesTemporary, &Checks::TemporaryIn},
    {MayDeserialise, &Checks::Deserialising},
    {TakesPath, &Checks::Paths},
    {OnlySoundsLikeOpening, &Checks::Opened},
    {MayBeBomb, &Checks::BombCall},
};

// The same for methods, whatever the receiver.
const Checks::NamedCheck Checks::kMethodChecks[] = {
    {Formats, &Checks::Plainly<&Checks::Format>},
    {MayBeBombMethod, &Checks::BombMethod},
    {MayTouchTable, &Checks::TableMethod},
    {IsTextRunner, &Checks::Plainly<&Checks::TextCall>},
    {GetsField, &Checks::Plainly<&Checks::Getter>},
    {ExecutesSql, &Checks::Plainly<&Checks::Attached>},
    {LoadsExtension, &Checks::ExtensionLoaded},
    {IsPathMethod, &Checks::PathMethod},
    {IsFileMethod, &Checks::FileMethod},
};

// The set of `checks` that apply to a name, as a bit mask.
std::uint32_t Checks::Concerned(std::span<const NamedCheck> checks, std::string_view name) {
  std::uint32_t concerned = 0;
  for (std::size_t i = 0; i < checks.size(); ++i) {
    if (checks[i].concerns(name)) concerned |= 1U << i;
  }
  return concerned;
}

void Checks::LookInto(const NamedCheck* check, std::uint32_t concerned, NodeId call,
                      std::string_view name) {
  for (; concerned != 0; ++check, concerned >>= 1U) {
    if ((concerned & 1U) != 0) (this->*check->look)(call, name);
  }
}

void Checks::NamedCall(NodeId call, std::string_view name) {
  thread_local NameMemory<std::uint32_t> remembered;
  const auto find = [](std::string_view asked) { return Concerned(kNamedChecks, asked); };
  LookInto(kNamedChecks, remembered.Get(name, find), call, name);
}

void Checks::MethodCall(NodeId call, std::string_view method) {
  thread_local NameMemory<std::uint32_t> remembered;
  const auto find = [](std::string_view asked) { return Concerned(kMethodChecks, asked); };
  LookInto(kMethodChecks, remembered.Get(method, find), call, method);
}

}  // namespace belljar::judgement::analysis::python
