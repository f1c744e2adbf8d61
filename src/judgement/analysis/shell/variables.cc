// Variables whose value programs run as a command: PROMPT_COMMAND, LESSOPEN, GIT_SSH_COMMAND.
#include <fmt/format.h>

#include "judgement/analysis/shell/judge.h"

namespace belljar::judgement::analysis::shell {
namespace {

enum class Meaning : std::uint8_t {
  kCommand,      // shell source text, or the name of a program
  kPrompt,       // expanded like a string in double quotes
  kScript,       // a file that every shell runs at start
  kLibrary,      // machine code that every program loads
  kHistoryFile,  // the shell's history file
  kHistorySize,
};
struct CodeVariable {
  std::string_view names;
  Meaning meaning;
};
constexpr CodeVariable kCodeVariables[] = {
    {"PROMPT_COMMAND LESSOPEN LESSCLOSE PAGER MANPAGER GIT_PAGER SYSTEMD_PAGER EDITOR VISUAL "
     "GIT_EDITOR GIT_SEQUENCE_EDITOR SUDO_EDITOR FCEDIT GIT_SSH GIT_SSH_COMMAND GIT_EXTERNAL_DIFF "
     "GIT_PROXY_COMMAND GIT_ASKPASS SSH_ASKPASS SUDO_ASKPASS RSYNC_RSH CVS_RSH BROWSER "
     "TAR_RSH MANROFFSEQ",
     Meaning::kCommand},
    {"PS0 PS1 PS2 PS4", Meaning::kPrompt},
    {"BASH_ENV ENV", Meaning::kScript},
    {"LD_PRELOAD LD_AUDIT DYLD_INSERT_LIBRARIES", Meaning::kLibrary},
    {"HISTFILE", Meaning::kHistoryFile},
    {"HISTSIZE HISTFILESIZE", Meaning::kHistorySize},
};

void ReportNoHistory(Context& context, std::string_view name, Place place) {
  context.Find("sh-history", place, name, "The shell is told to keep no history.");
}

// True for the plain name of a program: EDITOR=vim runs nothing by itself.
bool IsBareName(const Word& value) {
  const auto text = value.Constant();
  return text && text->find_first_of(" /|;&$`") == std::string::npos;
}

void RunVariable(Context& context, const Word& value, Place place) {
  const Level before = context.level;
  const std::string lead = value.Lead();
  // In LESSOPEN='|-lesspipe %s', the prefix tells less to read from a pipe.
  const std::size_t start = lead.starts_with('|') ? lead.find_first_not_of("|-") : 0;
  RunText(context, WithoutLead(value, start == std::string::npos ? lead.size() : start), place,
          Stream());
  if (IsBareName(value)) context.level = before;
}

void ExpandPrompt(Context& context, const Word& value, Place place) {
  Word text = Word::OfText(": \"");
  text.Add(value);
  text.AddText("\"");
  RunText(context, text, place, Stream());
}

void RunScriptFile(Context& context, std::string_view name, const Word& file, Place place) {
  const Stream* known = KnownFile(context, file);
  if (known == nullptr) return;
  const Stream content = *known;
  CheckRun(context, place, name, content.origins);
  if (content.text) RunText(context, Word::OfText(*content.text), place, Stream());
}

void CheckValue(Context& context, std::string_view name, Meaning meaning, const Word& value,
                Place place) {
  switch (meaning) {
    case Meaning::kCommand:
      return RunVariable(context, value, place);
    case Meaning::kPrompt:
      return ExpandPrompt(context, value, place);
    case Meaning::kScript:
      return RunScriptFile(context, name, value, place);
    case Meaning::kLibrary:
      if (value.empty()) return;
      context.Find("sh-unclear", place, value.Shown(),
                   fmt::format("\"{}\" makes every program load machine code.", name));
      return context.Need(Level::kRunsCode);
    case Meaning::kHistoryFile:
      if (value.empty() || value.Is("/dev/null")) ReportNoHistory(context, name, place);
      return;
    case Meaning::kHistorySize:
      if (value.Is("0")) ReportNoHistory(context, name, place);
      return;
  }
}

}  // namespace

void CheckCodeVariable(Context& context, std::string_view name, const std::vector<Value>& values,
                       Place place) {
  static const auto rows = ByName<CodeVariable>({kCodeVariables});
  const CodeVariable* row = RowNamed(rows, name);
  if (row == nullptr) return;
  for (const Value& value : values) {
    if (!value.items.empty()) CheckValue(context, name, row->meaning, value.items[0], place);
  }
}

void CheckUnsetVariable(Context& context, std::string_view name, Place place) {
  if (name == "HISTFILE") ReportNoHistory(context, name, place);
}

}  // namespace belljar::judgement::analysis::shell
