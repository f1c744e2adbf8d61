// Commands that git runs for the user: in settings, options and URLs, and after "bisect run".
#include "judgement/analysis/shell/judge.h"
#include "judgement/analysis/shell/text.h"

namespace belljar::judgement::analysis::shell {
namespace {

// Settings whose value is a command. "*" means all settings of the section. For kMarked, only a
// value that begins with "!" or "/" is a command; others name git's own aliases and helpers.
enum class GitRuns : std::uint8_t { kAlways, kMarked };
struct GitSetting {
  std::string_view section;
  std::string_view names;
  GitRuns runs = GitRuns::kAlways;
};
constexpr GitSetting kSettings[] = {
    {"core", "pager editor sshcommand fsmonitor askpass gitproxy alternaterefscommand"},
    {"sequence", "editor"},
    {"pager", "*"},
    {"diff", "external command textconv"},
    {"filter", "clean smudge process"},
    {"merge", "driver"},
    {"difftool", "cmd path"},
    {"mergetool", "cmd path"},
    {"browser", "cmd path"},
    {"man", "cmd path"},
    {"guitool", "cmd"},
    {"gpg", "program defaultkeycommand"},
    {"interactive", "difffilter"},
    {"trailer", "cmd command"},
    {"tar", "command"},
    {"uploadpack", "packobjectshook"},
    {"remote", "uploadpack receivepack"},
    {"sendemail", "tocmd cccmd headercmd sendmailcmd"},
    {"alias", "*", GitRuns::kMarked},
    {"credential", "helper", GitRuns::kMarked},
    {"submodule", "update", GitRuns::kMarked},
};

void RunGitSetting(Context& context, std::string_view key, const Word& value, Place place) {
  const std::string lower = LowerCase(key);
  const std::string_view all = lower;
  const std::string_view section = all.substr(0, all.find('.'));
  const std::string_view name = all.substr(all.rfind('.') + 1);
  for (const GitSetting& setting : kSettings) {
    if (setting.section != section) continue;
    if (setting.names != "*" && !IsListed(setting.names, name)) continue;
    const bool marked = value.StartsWith("!");
    if (setting.runs == GitRuns::kMarked && !marked && !value.StartsWith("/")) continue;
    RunText(context, marked ? WithoutLead(value, 1) : value, place, Stream());
  }
}

// Runs the command in a setting such as "core.pager=less -R".
void RunGitPair(Context& context, const Word& pair, Place place) {
  const std::string lead = pair.Lead();
  const std::size_t equals = lead.find('=');
  if (equals == std::string::npos) return;
  RunGitSetting(context, lead.substr(0, equals), WithoutLead(pair, equals + 1), place);
}

// Options of git subcommands whose value is a command.
struct GitOption {
  std::string_view names;
  OptionSpec options;
  std::string_view texts;
};
constexpr GitOption kGitOptions[] = {
    {"rebase", {"xsXC", "--exec --onto --strategy --strategy-option"}, "-x --exec"},
    {"filter-branch",
     {"d",
      "--env-filter --tree-filter --index-filter --parent-filter --msg-filter --commit-filter "
      "--tag-name-filter --setup --subdirectory-filter --original"},
     "--env-filter --tree-filter --index-filter --parent-filter --msg-filter --commit-filter "
     "--tag-name-filter --setup"},
    {"difftool", {"xt", "--extcmd --tool"}, "-x --extcmd"},
    {"grep", {"efABCm", ""}, "--open-files-in-pager"},
    {"clone", {"ubcoj", "--upload-pack --branch --config --origin --depth"}, "-u --upload-pack"},
    {"fetch pull ls-remote fetch-pack",
     {"oj", "--upload-pack --exec --depth"},
     "--upload-pack --exec"},
    {"push send-pack archive", {"o", "--receive-pack --exec"}, "--receive-pack --exec"},
    {"send-email",
     {"", "--to-cmd --cc-cmd --header-cmd --sendmail-cmd"},
     "--to-cmd --cc-cmd --header-cmd --sendmail-cmd"},
    {"instaweb", {"dpb", "--httpd --browser"}, "-d --httpd -b --browser"},
};

void RunGitOptions(Context& context, const Call& call, std::string_view command,
                   std::span<const Word> words) {
  static const auto rows = ByName<GitOption>({kGitOptions});
  const GitOption* row = RowNamed(rows, command);
  if (row == nullptr) return;
  const Arguments arguments(words, row->options);
  for (const Option& option : arguments.options()) {
    if (IsListed(row->texts, option.name)) RunText(context, option.value, call.place, Stream());
    const bool is_setting = option.name == "-c" || option.name == "--config";
    if (is_setting && command == "clone") RunGitPair(context, option.value, call.place);
  }
  for (const Word& word : words) {
    // The ext:: transport runs a command as the remote end.
    if (word.StartsWith("ext::")) {
      RunText(context, WithoutLead(word, 5), call.place, Stream());
    }
    if (command == "grep" && word.StartsWith("-O") && !word.Is("-O")) {
      RunText(context, WithoutLead(word, 2), call.place, Stream());
    }
  }
}

// git bisect run and git submodule foreach run their further arguments as a command.
void RunRest(Context& context, const Call& call, const std::vector<Word>& operands) {
  if (operands.size() < 3) return;
  std::vector<Word> rest(operands.begin() + 2, operands.end());
  if (operands[0].Is("bisect") && operands[1].Is("run")) {
    Judge(context, WithWords(call, std::move(rest)));
  }
  Word text;
  bool is_foreach = false;
  for (const Word& word : std::span(operands).subspan(1)) {
    if (is_foreach && !(text.empty() && word.StartsWith("-"))) {
      if (!text.empty()) text.AddText(" ");
      text.Add(word);
    }
    is_foreach = is_foreach || word.Is("foreach");
  }
  if (operands[0].Is("submodule") && !text.empty()) RunText(context, text, call.place, Stream());
}

// git config core.pager 'less -R': later git commands run the value.
void RunConfigured(Context& context, const Call& call, std::span<const Word> words) {
  const Arguments arguments(words, {"ft", "--file --type --blob --default --comment"});
  auto operands = std::span(arguments.operands());
  if (!operands.empty() && operands[0].Is("set")) operands = operands.subspan(1);
  if (operands.size() < 2) return;
  const Level before = context.level;
  RunGitSetting(context, operands[0].Lead(), operands[1], call.place);
  context.level = before;  // it has only been configured
}

}  // namespace

void RunByGit(Context& context, const Call& call, const Arguments& outer,
              std::string_view command) {
  for (const Option& option : outer.options()) {
    if (option.name == "-c") RunGitPair(context, option.value, call.place);
  }
  const auto& operands = outer.operands();
  if (operands.empty()) return;
  const std::span<const Word> rest = std::span(operands).subspan(1);
  RunGitOptions(context, call, command, rest);
  RunRest(context, call, operands);
  if (command == "config") RunConfigured(context, call, rest);
}

}  // namespace belljar::judgement::analysis::shell
