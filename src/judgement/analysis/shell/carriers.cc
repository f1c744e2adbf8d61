// Programs with options whose value is a command: man -P, ssh -o ProxyCommand=, zip -TT.
#include <fmt/format.h>

#include <algorithm>

#include "judgement/analysis/shell/judge.h"
#include "judgement/analysis/shell/text.h"

namespace belljar::judgement::analysis::shell {
namespace {

struct Carrier {
  std::string_view names;
  OptionSpec options;      // options that take a value
  std::string_view texts;  // those whose value is shell source text
  // Names of settings, given by options such as -o, whose value is shell source text.
  std::string_view keys = "";
  std::string_view leads = "";  // prefixes that mark a line of a value as a command, also after "+"
};
constexpr std::string_view kSettingOptions = "-o --checkpoint-action";

constexpr Carrier kCarriers[] = {
    {"man",
     {"PTCLRSMepE", "--pager --html --preprocessor --locale --sections --manpath"},
     "-P --pager --html"},
    {"zip", {"bnt", "-TT --unzip-command -x -i"}, "-TT --unzip-command"},
    {"ssh autossh",
     {"bcDEeFIiJLlmOopQRSWwBM", ""},
     "",
     "proxycommand localcommand knownhostscommand"},
    {"scp", {"PioFJSclXD", ""}, "-S -D", "proxycommand localcommand knownhostscommand"},
    {"sftp", {"BbcDFiJloPRSsX", ""}, "-S -D", "proxycommand localcommand knownhostscommand"},
    {"ssh-copy-id", {"iop", ""}, "", "proxycommand localcommand knownhostscommand"},
    {"rsync", {"eBTfM", "--rsh --exclude --include --files-from --rsync-path"}, "-e --rsh"},
    {"mapfile readarray", {"dnOsuCc", ""}, "-C"},
    {"complete compgen", {"oAGWFCXPS", ""}, "-C"},
    {"tar gtar bsdtar",
     {"fCTXbgIFK",
      "--file --directory --exclude --use-compress-program --to-command --info-script "
      "--new-volume-script --rsh-command --checkpoint-action"},
     "-I --use-compress-program --to-command -F --info-script --new-volume-script --rsh-command",
     "exec"},
    {"cpio", {"CEFIO", "--rsh-command --file"}, "--rsh-command"},
    {"split", {"abCln", "--filter --bytes --lines"}, "--filter"},
    {"sort", {"okStT", "--output --compress-program"}, "--compress-program"},
    {"rg", {"efgtTABCmjMr", "--pre --hostname-bin"}, "--pre --hostname-bin"},
    {"fzf", {"qfdn", "--preview --query --filter"}, "--preview"},
    {"wget wget2", {"OoaiPUBTtwQeADRlXI", "--use-askpass"}, "--use-askpass"},
    {"tcpdump", {"BcCEFGiMrsTVwWyz", ""}, "-z"},
    {"gdb lldb", {"xo", "-ex -iex --eval-command --one-line"}, "", "", "shell !"},
    {"psql pgcli", {"cfhpUdovLFPRT", "--command --file"}, "", "", "\\!"},
    {"mysql mariadb", {"ehuPDS", "--execute --host --user"}, "", "", "\\! system"},
    {"sqlite3 sqlite duckdb", {"c", "-cmd -init --cmd"}, "", "", ".shell .system"},
    {"less more vim vi nvim view ex", {"cptS", "--cmd"}, "", "", "! :! %! :%!"},
};

const Carrier* FindCarrier(std::string_view name) {
  static const auto rows = ByName<Carrier>({kCarriers});
  return RowNamed(rows, name);
}

// Runs the command in "ProxyCommand=nc %h" or "ProxyCommand nc %h".
void RunNamedSetting(Context& context, const Call& call, const Carrier& row, const Word& value) {
  const std::string lead = value.Lead();
  const std::size_t end = lead.find_first_of("= ");
  if (end == std::string::npos || !IsListed(row.keys, LowerCase(lead.substr(0, end)))) return;
  RunText(context, WithoutLead(value, end + 1), call.place, Stream());
}

// The prefix that marks the line as a command; "" if it has none.
std::string_view LeadOf(const Carrier& row, std::string_view line) {
  for (const std::string_view lead : SplitAt(row.leads, " ")) {
    if (!line.starts_with(lead)) continue;
    const bool is_name = lead.back() >= 'a' && lead.back() <= 'z';
    if (!is_name || line.substr(lead.size()).starts_with(' ')) return lead;
  }
  return "";
}

// Runs the shell commands among lines in a program's own command language, such as vim's.
void RunEscapes(Context& context, const Call& call, const Carrier& row, const Word& value) {
  const std::string text = value.Lead();
  if (!value.IsConstant()) {
    const std::string_view lead = LeadOf(row, text);
    if (!lead.empty()) RunText(context, WithoutLead(value, lead.size()), call.place, Stream());
    return;
  }
  for (std::string_view line : SplitAt(text, "\n")) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    const std::string_view lead = LeadOf(row, line);
    if (lead.empty()) continue;
    RunText(context, Word::OfText(line.substr(lead.size())), call.place, Stream());
  }
}

// Reports arguments that were cut because of their length and could contain an unread program.
void CheckCut(Context& context, const Call& call) {
  if (!HasPatterns(call.name)) return;
  for (const Word& word : call.arguments()) {
    const auto& pieces = word.pieces();
    const bool cut = std::any_of(pieces.begin(), pieces.end(), IsCut);
    if (!cut) continue;
    context.Find("sh-unclear", call.place, call.name,
                 fmt::format("An argument of \"{}\" is too long to be read.", call.name));
  }
}

}  // namespace

void RunCarried(Context& context, const Call& call) {
  CheckCut(context, call);
  const Carrier* row = FindCarrier(call.name);
  if (row == nullptr) return;
  const Arguments arguments(call.arguments(), row->options);
  for (const Option& option : arguments.options()) {
    if (IsListed(row->texts, option.name)) RunText(context, option.value, call.place, Stream());
    if (IsListed(kSettingOptions, option.name)) RunNamedSetting(context, call, *row, option.value);
    if (!row->leads.empty()) RunEscapes(context, call, *row, option.value);
  }
  if (row->leads.empty()) return;
  for (const Word& operand : arguments.operands()) {
    const std::size_t sign = operand.StartsWith("+") ? 1 : 0;
    RunEscapes(context, call, *row, WithoutLead(operand, sign));
  }
}

}  // namespace belljar::judgement::analysis::shell
