// Rules about make: the commands that makefiles run, and where "make install" writes.
#include <algorithm>

#include "judgement/analysis/shell/judge.h"

namespace belljar::judgement::analysis::shell {
namespace {

// "make install" writes to /usr/local, unless a variable sets another directory.
void CheckMakeInstall(Context& context, const Call& call, const Arguments& arguments) {
  bool installs = false;
  for (const Word& operand : arguments.operands()) {
    installs = installs || operand.Is("install") || operand.Is("uninstall");
    const bool elsewhere = operand.StartsWith("DESTDIR=") || operand.StartsWith("PREFIX=") ||
                           operand.StartsWith("prefix=");
    if (elsewhere) return;
  }
  if (!installs || arguments.Has("-n --dry-run")) return;
  context.Find("sh-system-write", call.place, call.name,
               "\"make install\" writes to the system's directories unless DESTDIR or PREFIX says "
               "otherwise.");
}

// Runs $(shell command).
void RunShellFunctions(Context& context, const Call& call, std::string_view text) {
  constexpr std::string_view kStart = "(shell ";
  for (std::size_t at = text.find(kStart); at != text.npos; at = text.find(kStart, at + 1)) {
    const std::string_view rest = text.substr(at + kStart.size());
    RunText(context, Word::OfText(rest.substr(0, rest.rfind(')'))), call.place, Stream());
    if (context.gave_up) return;
  }
}

// Runs the recipes of a makefile: indented lines, and commands after "target:;".
void RunMakefile(Context& context, const Call& call, const std::string& text) {
  for (std::string_view line : SplitAt(text, "\n")) {
    RunShellFunctions(context, call, line);
    const std::size_t colon = line.find(':');
    const std::size_t recipe = colon == line.npos ? line.npos : line.find(';', colon);
    const bool indented = line.starts_with('\t');
    if (!indented && recipe == line.npos) continue;
    line.remove_prefix(indented ? 0 : recipe + 1);
    line.remove_prefix(std::min(line.find_first_not_of("\t @-+"), line.size()));
    RunText(context, Word::OfText(line), call.place, Stream());
  }
}

// Runs commands that arguments of make give: make SHELL=…, make --eval=…
void RunGiven(Context& context, const Call& call, const Arguments& arguments) {
  for (const Word& operand : arguments.operands()) {
    constexpr std::string_view kShell = "SHELL=";
    if (operand.StartsWith(kShell)) {
      RunText(context, WithoutLead(operand, kShell.size()), call.place, Stream());
    }
  }
  for (const Option& option : arguments.options()) {
    const bool is_text = option.name == "--eval" || option.name == "-E";
    if (!is_text) continue;
    RunMakefile(context, call, option.value.Lead());
    if (option.value.IsConstant()) continue;
    context.Find("sh-dynamic-code", call.place, call.name,
                 "\"make\" runs a text that is only known when the script runs.");
  }
}

}  // namespace

Level CheckMake(Context& context, const Call& call, const Arguments& arguments) {
  CheckMakeInstall(context, call, arguments);
  RunGiven(context, call, arguments);
  const Option* file = arguments.Find("-f --file");
  const Word name = file != nullptr ? file->value : Word::OfText("Makefile");
  const Stream* known = name.Is("-") ? &call.in : KnownFile(context, name);
  if (known == nullptr) return Level::kRunsCode;
  CheckRun(context, call.place, call.name, known->origins);
  if (!known->text) return Level::kRunsCode;
  RunMakefile(context, call, std::string(*known->text));
  return Level::kRunsCode;
}

}  // namespace belljar::judgement::analysis::shell
