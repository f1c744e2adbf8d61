// Commands that run code: shells and other interpreters, eval, source, and the script's own files.
#include <fmt/format.h>

#include <algorithm>

#include "judgement/analysis/analyse.h"
#include "judgement/analysis/shell/judge.h"

namespace belljar::judgement::analysis::shell {
namespace {

bool IsWholeUnknown(const Word& word) {
  return !word.empty() && word.pieces()[0].kind == Piece::Kind::kUnknown;
}

void ReportDynamic(Context& context, const Call& call, const Word& text) {
  context.Find(
      "sh-dynamic-code", call.place, call.name,
      fmt::format("\"{}\" runs a text that is only known when the script runs.", call.name));
  if (!IsWholeUnknown(text)) return;
  context.Find("sh-unclear", call.place, text.Shown(),
               fmt::format("What \"{}\" runs cannot be told by reading.", call.name));
}

// Runs shell source text that a command takes as an argument.
Stream RunShellText(Context& context, const Call& call, const Word& text, const Stream& in) {
  CheckRun(context, call.place, call.name, text.origins());
  if (!text.IsConstant()) ReportDynamic(context, call, text);
  return RunText(context, text, call.place, in);
}

// Analyses a program in another language, and reports its findings at the place of the argument.
void RunOtherLanguage(Context& context, const Call& call, const std::string& text, Code code) {
  if (!context.Spend(call.place, 50 + static_cast<int>(text.size() / 8))) return;
  const Language language = code == Code::kPython ? Language::kPython : Language::kJavaScript;
  const Analysis analysis = Analyse(language, text);
  for (const Finding& finding : analysis.findings) {
    if (context.findings.size() > 2000) break;
    Finding moved = finding;
    moved.place = call.place;
    const auto same = std::find(context.findings.begin(), context.findings.end(), moved);
    if (same == context.findings.end()) context.findings.push_back(std::move(moved));
  }
  for (Import import : analysis.imports) {
    import.place = call.place;
    const auto same = std::find(context.imports.begin(), context.imports.end(), import);
    if (same == context.imports.end()) context.imports.push_back(std::move(import));
  }
}

// Runs a program that is read from standard input: a pipe, a redirection or a here-document.
Stream RunInput(Context& context, const Call& call, Code code) {
  if (!call.in.fed) return Stream::Of(code == Code::kShell ? kShellOutput : kPlain);
  CheckRun(context, call.place, call.name, call.in.origins);
  const Word text = call.in.text ? Word::OfText(*call.in.text) : call.in.parts.value_or(Word());
  if (code != Code::kShell) {
    CheckProgramText(context, call, text, code);
    return Stream::Of(kPlain);
  }
  if (!text.empty() || call.in.text) {
    if (!text.IsConstant()) ReportDynamic(context, call, text);
    return RunText(context, text, call.place, Stream::OfText(""));
  }
  ReportDynamic(context, call, Word::OfText(""));
  return Stream::Of(kShellOutput);
}

// Runs a program in a file, which the script itself may have written.
Stream RunFile(Context& context, const Call& call, const Word& file, Code code) {
  const Stream* known = KnownFile(context, file);
  const Origins origins = known != nullptr ? known->origins : Origins{kPlain};
  CheckRun(context, call.place, call.name, static_cast<Origins>(file.origins() | origins));
  if (file.StartsWith("/dev/stdin") || file.StartsWith("/dev/fd/0") ||
      file.StartsWith("/proc/self/fd/0")) {
    return RunInput(context, call, code);
  }
  if (known == nullptr || !known->text) return Stream::Of(kPlain);
  const Word text = Word::OfText(*known->text);
  if (code == Code::kShell) return RunText(context, text, call.place, call.in);
  CheckProgramText(context, call, text, code);
  return Stream::Of(kPlain);
}

Stream RunShell(Context& context, const Call& call, const Arguments& arguments) {
  const auto& operands = arguments.operands();
  if (arguments.Has("-c") || arguments.Has("--command")) {
    if (operands.empty()) return Stream::Of(kPlain);
    std::vector<Word> parameters;
    if (operands.size() > 2) parameters.assign(operands.begin() + 2, operands.end());
    context.scope.parameters.emplace_back(std::move(parameters));
    if (operands.size() > 1) context.scope.Set("0", Value{{operands[1]}, false});
    Stream out = RunShellText(context, call, operands[0], call.in);
    context.scope.parameters.pop_back();
    context.scope.Unset("0");
    return out;
  }
  if (operands.empty() || operands[0].Is("-") || arguments.Has("-s")) {
    return RunInput(context, call, Code::kShell);
  }
  return RunFile(context, call, operands[0], Code::kShell);
}

// python -m pip install … is judged as a call of pip.
bool RunModule(Context& context, const Call& call, const Arguments& arguments, Stream& out) {
  const Option* module = arguments.Find("-m");
  if (module == nullptr) return false;
  std::vector<Word> words{module->value};
  const auto& all = call.words;
  const auto at = std::find(all.begin(), all.end(), module->value);
  if (at != all.end()) words.insert(words.end(), at + 1, all.end());
  const std::string name = module->value.Constant().value_or("");
  out = Stream::Of(kPlain);
  if (name == "pip" || name == "pipx" || name == "conda" || name == "ensurepip") {
    out = Judge(context, WithWords(call, std::move(words)));
  }
  return true;
}

// Runs programs in the interpreter's options: python -c, perl -e. False if there are none.
bool RunOptions(Context& context, const Call& call, const Interpreter& row,
                const Arguments& arguments, Stream& out) {
  bool has_text = false;
  const auto names = SplitAt(row.text_options, " ");
  for (const Option& option : arguments.options()) {
    if (std::find(names.begin(), names.end(), option.name) == names.end()) continue;
    has_text = true;
    CheckRun(context, call.place, call.name, option.value.origins());
    CheckProgramText(context, call, option.value, row.code);
    out = OutputOfProgram(option.value.Lead());
  }
  const auto& operands = arguments.operands();
  const bool in_place = row.code == Code::kOther && arguments.Has("-i");
  for (std::size_t i = has_text ? 0 : 1; in_place && i < operands.size(); ++i) {
    CheckWritten(context, operands[i], call.place, call.name);
  }
  return has_text;
}

Stream RunOther(Context& context, const Call& call, const Interpreter& row,
                const Arguments& arguments) {
  Stream out = Stream::Of(kPlain);
  if (row.code == Code::kPython && RunModule(context, call, arguments, out)) return out;
  if (RunOptions(context, call, row, arguments, out)) return out;
  const auto& operands = arguments.operands();
  if (operands.empty() || operands[0].Is("-")) {
    const bool only_asks = arguments.Has("--version -V -v --help");
    return only_asks ? out : RunInput(context, call, row.code);
  }
  if (operands[0].Is("setup.py") && arguments.Operand(1) == "install") {
    context.Find("sh-package-install", call.place, "setup.py",
                 "\"setup.py install\" installs a package.");
  }
  const std::string file = operands[0].Lead();
  if (file.ends_with("manage.py") || file.ends_with("artisan")) {
    CheckMigration(context, call, arguments);
  }
  return RunFile(context, call, operands[0], row.code);
}

}  // namespace

bool JudgeInterpreter(Context& context, const Call& call, Stream& out) {
  const Interpreter* row = FindInterpreter(call.name);
  if (row == nullptr) return false;
  const Arguments arguments(call.arguments(), row->options, Arguments::Order::kOptionsFirst);
  context.Need(Level::kRunsCode);
  out = row->code == Code::kShell ? RunShell(context, call, arguments)
                                  : RunOther(context, call, *row, arguments);
  return true;
}

bool JudgeEval(Context& context, const Call& call, Stream& out) {
  const auto arguments = call.arguments();
  if (call.name == "eval") {
    Word text;
    for (const Word& word : arguments) {
      if (!text.empty()) text.AddText(" ");
      text.Add(word);
    }
    out = text.empty() ? Stream::OfText("") : RunShellText(context, call, text, call.in);
    return true;
  }
  if (call.name != "source" && call.name != ".") return false;
  context.Need(Level::kRunsCode);
  out = Stream::Of(kPlain);
  if (!arguments.empty()) out = RunFile(context, call, arguments[0], Code::kShell);
  return true;
}

// Runs one of the script's own files, by its path.
bool JudgeFile(Context& context, const Call& call, Stream& out) {
  const Word& file = call.words[0];
  const std::string text = file.Lead();
  const bool is_path = text.find('/') != std::string::npos;
  if (!is_path || !call.name.empty()) {
    return false;
  }
  context.Need(Level::kRunsCode);
  const Stream* known = KnownFile(context, file);
  Code code = Code::kShell;
  if (known != nullptr && known->text && known->text->starts_with("#!")) {
    const std::string_view first(known->text->data(),
                                 std::min(known->text->find('\n'), known->text->size()));
    if (first.find("python") != std::string_view::npos) code = Code::kPython;
    if (first.find("node") != std::string_view::npos) code = Code::kJavaScript;
  }
  Call named = call;
  named.name = text;
  if (text.starts_with("/etc/init.d/") || text.starts_with("/etc/rc.d/")) {
    context.Find("sh-service", call.place, text, fmt::format("\"{}\" controls a service.", text));
  }
  out = RunFile(context, named, file, code);
  return true;
}

void CheckProgramText(Context& context, const Call& call, const Word& text, Code code) {
  if (code == Code::kTcl) RunTcl(context, call, text.Lead());
  CheckReverseProgram(context, call, text.Lead());
  CheckProgramFlow(context, call, text.Lead());
  CheckShellOut(context, call, text.Lead(), code);
  const auto constant = text.Constant();
  if (!constant) {
    if (!text.empty()) ReportDynamic(context, call, Word::OfText(""));
    return;
  }
  if (constant->empty()) return;
  if (code == Code::kPython || code == Code::kJavaScript) {
    RunOtherLanguage(context, call, *constant, code);
  }
}

}  // namespace belljar::judgement::analysis::shell
