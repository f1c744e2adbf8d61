// What a call means for the name that is called.
#include <algorithm>
#include <unordered_set>

#include "analysis/name_memory.h"
#include "analysis/python_check.h"
#include "analysis/python_names.h"

namespace belljar::analysis::python {
namespace {

bool RunsText(std::string_view name) {
  return name == "builtins.eval" || name == "builtins.exec" || name == "builtins.compile" ||
         name == "code.InteractiveInterpreter.runsource";
}

// Functions that run a text which is given to them for another reason, and methods of that kind.
bool MayRunText(std::string_view name) {
  static const std::unordered_set<std::string_view> names = {
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

// Which names a check is about, and the check: that a name is about none is the rule.
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

std::uint32_t Checks::ChecksFor(std::string_view name) {
  std::uint32_t checks = 0;
  std::uint32_t bit = 1;
  for (const NamedCheck& check : kNamedChecks) {
    if (check.concerns(name)) checks |= bit;
    bit <<= 1U;
  }
  return checks;
}

void Checks::NamedCall(NodeId call, std::string_view name) {
  thread_local NameMemory<std::uint32_t> remembered;
  std::uint32_t checks = remembered.Get(name, ChecksFor);
  for (const NamedCheck* check = kNamedChecks; checks != 0; ++check, checks >>= 1U) {
    if ((checks & 1U) != 0) (this->*check->look)(call, name);
  }
}

}  // namespace belljar::analysis::python
