#include "judgement/analysis/shell/injection.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "judgement/analysis/shell/call.h"
#include "judgement/analysis/shell/expand.h"
#include "judgement/analysis/shell/programs.h"

namespace belljar::judgement::analysis::shell {
namespace {

constexpr std::size_t kMaxArgument = 16 * 1024;

// Program names that are also common English words: "fix; make it so".
bool IsPlainWord(std::string_view name) {
  static const std::set<std::string_view> kNames = {
      "cat",     "less",   "more",     "cut",   "head",   "tail",    "who",    "last",
      "top",     "time",   "make",     "test",  "sort",   "find",    "file",   "date",
      "host",    "sleep",  "kill",     "split", "join",   "paste",   "link",   "install",
      "type",    "read",   "echo",     "exit",  "wait",   "patch",   "look",   "at",
      "as",      "yes",    "watch",    "set",   "let",    "local",   "start",  "stop",
      "restart", "open",   "fold",     "size",  "tree",   "go",      "true",   "false",
      "command", "do",     "then",     "else",  "if",     "while",   "until",  "export",
      "shift",   "help",   "history",  "w",     "mail",   "service", "mount",  "eject",
      "init",    "batch",  "serve",    "route", "fetch",  "port",    "script", "exec",
      "return",  "break",  "continue", "users", "groups", "free",    "env",    "nice",
      "column",  "expand", "scrub",    "node",  "stack",  "mix",     "snap",   "alternatives",
      "convert", "R"};
  return kNames.contains(name);
}

bool LooksLikeArgument(std::string_view text) {
  return !text.empty() && (text[0] == '-' || text[0] == '/' || text[0] == '~' || text[0] == '$' ||
                           text[0] == '.' || text[0] == '\'' || text[0] == '"');
}

bool IsCommandOf(const Syntax& syntax, NodeId command) {
  const NodeId name = syntax.Field(command, kNameField);
  if (name == kNoNode) return false;
  std::string_view text = syntax.Text(name);
  if (text.starts_with('/')) text = text.substr(text.rfind('/') + 1);
  if (!IsKnown(text)) return false;
  if (!IsPlainWord(text)) return true;
  for (NodeId child = syntax.at(command).first; child != kNoNode; child = syntax.at(child).next) {
    if (syntax.at(child).field == kArgumentField && LooksLikeArgument(syntax.Text(child)))
      return true;
  }
  return false;
}

// True if only a line break separates the command from the text before: plain text may have several
// lines.
bool FollowsLineEnd(const Syntax& syntax, NodeId command) {
  std::uint32_t at = syntax.at(command).start;
  while (at > 0 && (syntax.source()[at - 1] == ' ' || syntax.source()[at - 1] == '\t')) --at;
  return at > 0 && syntax.source()[at - 1] == '\n';
}

// The part of the text that a shell would run as a separate command; "" if there is none.
std::string_view CommandIn(const Syntax& syntax, std::size_t prefix) {
  for (NodeId id = 0; id < syntax.size(); ++id) {
    if (syntax.at(id).end <= prefix) continue;
    if (syntax.Is(id, Part::kCommandSubstitution)) {
      const bool dollar = syntax.Text(id).starts_with("$(");
      const NodeId inside = syntax.Named(id, 0);
      if (dollar || (syntax.Is(inside, Part::kCommand) && IsCommandOf(syntax, inside))) {
        return syntax.Text(id);
      }
    }
    const bool further = syntax.Is(id, Part::kCommand) && syntax.at(id).start >= prefix;
    if (further && !FollowsLineEnd(syntax, id) && IsCommandOf(syntax, id)) return syntax.Text(id);
    if (syntax.Is(id, Part::kFileRedirect)) {
      const NodeId file = syntax.Field(id, kDestinationField);
      const bool away = file != kNoNode && syntax.at(id).start >= prefix &&
                        (syntax.Text(file).starts_with('/') || syntax.Text(file).starts_with('~'));
      if (away) return syntax.Text(id);
    }
  }
  return "";
}

// The injected command, if the argument is parsed after `before`, which stands for the preceding
// part of the command line.
std::string InjectedAfter(Context& context, const std::string& before,
                          const std::string& argument) {
  const std::string line = before + argument;
  const auto syntax = context.Parse(line);
  return syntax ? std::string(CommandIn(*syntax, before.size())) : "";
}

}  // namespace

Word WordOfArgument(const std::string& argument) {
  Context unused;
  Fields fields;
  Word word;
  std::string escaped;
  for (const char c : argument) {
    if (c == '\\' || c == '{' || c == ',' || c == '}') escaped.push_back('\\');
    escaped.push_back(c);
  }
  fields.AddLiteral(escaped);
  for (const Word& part : fields.Take(unused)) word.Add(part);
  return word;
}

void CheckPlain(Context& context, Place place, std::string_view program,
                const std::string& argument) {
  // Fast path: most arguments contain no characters that are special to a shell.
  if (argument.size() > kMaxArgument) return;
  if (argument.find_first_of(";|&`$<>") == std::string::npos) return;
  if (!context.Spend(place, 20 + static_cast<int>(argument.size() / 16))) return;
  std::string found = InjectedAfter(context, "x ", argument);
  if (found.empty() && argument.find('\'') != std::string::npos) {
    found = InjectedAfter(context, "x '", argument);
  }
  if (found.empty() && argument.find('"') != std::string::npos) {
    found = InjectedAfter(context, "x \"", argument);
  }
  if (found.empty()) return;
  context.Find("sh-injection", place, found,
               fmt::format("An argument of \"{}\" holds a command: \"{}\".", program, found));
}

// For grep, the pattern may contain anything, so only the file operands are checked.
static void CheckGreppedFiles(Context& context, std::string_view name,
                              std::span<const std::string> arguments) {
  bool awaits_pattern = true;
  bool awaits_value = false;
  for (const std::string& argument : arguments) {
    if (std::exchange(awaits_value, false)) continue;
    if (argument.size() > 1 && argument[0] == '-') {
      const bool is_long = argument[1] == '-';
      const char last = argument.back();
      awaits_value = !is_long && std::string_view("efABCmdD").find(last) != std::string_view::npos;
      const bool brings = is_long
                              ? argument.starts_with("--regexp") || argument.starts_with("--file")
                              : last == 'e' || last == 'f' || argument[1] == 'e';
      awaits_pattern &= !brings;
    } else if (!std::exchange(awaits_pattern, false)) {
      CheckPlain(context, {}, name, argument);
    }
  }
}

void CheckInjection(Context& context, std::span<const std::string> command) {
  std::size_t first = 0;
  // Skip wrappers: env ls "; id".
  while (first < command.size() && FindWrapper(command[first]) != nullptr) ++first;
  if (first >= command.size()) return;
  std::string_view name = command[first];
  name = name.substr(name.rfind('/') == std::string_view::npos ? 0 : name.rfind('/') + 1);
  const auto arguments = command.subspan(first + 1);
  if (IsListed("grep egrep fgrep zgrep", name)) return CheckGreppedFiles(context, name, arguments);
  if (HasPatterns(name)) return;
  for (const std::string& argument : arguments) CheckPlain(context, {}, name, argument);
}

}  // namespace belljar::judgement::analysis::shell
