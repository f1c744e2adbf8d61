#include "judgement/analysis/shell/context.h"

#include "judgement/analysis/rule.h"

extern "C" const TSLanguage* tree_sitter_bash();

namespace belljar::judgement::analysis::shell {
namespace {

constexpr std::string_view kKindNames[] = {
    "program",
    "ansi_c_string",
    "arithmetic_expansion",
    "array",
    "binary_expression",
    "brace_expression",
    "c_style_for_statement",
    "case_item",
    "case_statement",
    "command",
    "command_name",
    "command_substitution",
    "compound_statement",
    "concatenation",
    "declaration_command",
    "do_group",
    "elif_clause",
    "else_clause",
    "expansion",
    "file_redirect",
    "for_statement",
    "function_definition",
    "heredoc_body",
    "heredoc_content",
    "heredoc_end",
    "heredoc_redirect",
    "heredoc_start",
    "herestring_redirect",
    "if_statement",
    "list",
    "negated_command",
    "number",
    "parenthesized_expression",
    "pipeline",
    "process_substitution",
    "raw_string",
    "redirected_statement",
    "simple_expansion",
    "string",
    "subscript",
    "subshell",
    "test_command",
    "test_operator",
    "translated_string",
    "unary_expression",
    "unset_command",
    "variable_assignment",
    "variable_assignments",
    "variable_name",
    "special_variable_name",
    "while_statement",
    "word",
    "file_descriptor",
    "regex",
    "extglob_pattern",
};
constexpr std::string_view kFieldNames[] = {"name",     "argument", "body",        "redirect",
                                            "value",    "variable", "destination", "descriptor",
                                            "operator", "right",    "condition",   "index"};

constexpr std::size_t kMaxFindings = 2000;
constexpr std::size_t kMaxSubject = 80;
constexpr std::size_t kMaxPipe = 4000;
constexpr std::chrono::seconds kMaxParsing{1};

// An upper estimate of the number of pipes in the longest pipeline. Parse time is quadratic in it,
// and tree-sitter does not check its deadline there, so it is bounded before parsing.
std::size_t LongestPipe(std::string_view text) {
  std::size_t longest = 0;
  std::size_t pipes = 0;
  char before = 0;  // the last non-blank character
  for (const char c : text) {
    if (c == '|') ++pipes;
    if (c == ';' || (c == '\n' && before != '|')) pipes = 0;
    if (pipes > longest) longest = pipes;
    if (c != ' ' && c != '\t' && c != '\n') before = c;
  }
  return longest;
}

bool IsBlank(char c) { return c == ' ' || c == '\t'; }

// True if the character at `at` is an operand of a test: it follows "-d" or "=" and precedes "]",
// "-a"…
bool IsOperandOfTest(std::string_view text, std::size_t at) {
  std::size_t before = at;
  while (before > 0 && IsBlank(text[before - 1])) --before;
  std::size_t after = at + 1;
  while (after < text.size() && IsBlank(text[after])) ++after;
  if (before == at || before < 2 || after == at + 1 || after >= text.size()) return false;
  const bool is_letter = (text[before - 1] | 0x20) >= 'a' && (text[before - 1] | 0x20) <= 'z';
  const bool is_operator = (text[before - 2] == '-' && is_letter) || text[before - 1] == '=';
  const std::string_view rest = text.substr(after);
  return is_operator && (rest.starts_with("]") || rest.starts_with("-") || rest.starts_with("&&") ||
                         rest.starts_with("||"));
}

bool IsNamePart(char c) {
  return c == '_' || (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z');
}

// True if a command may begin at `at`.
bool BeginsCommand(std::string_view text, std::size_t at) {
  std::string_view before = text.substr(0, at);
  while (!before.empty() && IsBlank(before.back())) before.remove_suffix(1);
  if (before.empty() || std::string_view("\n;&|({`").find(before.back()) != before.npos)
    return true;
  if (before.size() == at) return false;
  return before.ends_with("then") || before.ends_with("do") || before.ends_with("else");
}

// The position of the blank before "do" in "for i do", a loop over "$@" whose name starts at or
// after `at`; npos if it is another kind of loop.
std::size_t BlankBeforeDo(std::string_view text, std::size_t at) {
  while (at < text.size() && IsBlank(text[at])) ++at;
  const std::size_t name = at;
  while (at < text.size() && IsNamePart(text[at])) ++at;
  const std::size_t end = at;
  while (at < text.size() && IsBlank(text[at])) ++at;
  const bool is_do = text.substr(at).starts_with("do") &&
                     (at + 2 == text.size() || IsBlank(text[at + 2]) || text[at + 2] == '\n');
  return end > name && at > end && is_do ? at - 1 : text.npos;
}

// The text for the parser, with two gaps of the grammar worked around: in tests it takes "/" and
// "~" for operators ("[ -d / ]"), and it lacks "for i do". The parser sees a letter instead of "/",
// and "for i;do". Words are taken from the original text, so this hides nothing.
std::string ForParser(std::string_view text) {
  std::string masked(text);
  for (const std::string_view loop : {"for ", "select "}) {
    for (std::size_t at = text.find(loop); at != text.npos; at = text.find(loop, at + 1)) {
      const std::size_t blank = BlankBeforeDo(text, at + loop.size());
      if (blank != text.npos && BeginsCommand(text, at)) masked[blank] = ';';
    }
  }
  for (std::size_t at = text.find_first_of("/~"); at != text.npos;
       at = text.find_first_of("/~", at + 1)) {
    if (IsOperandOfTest(text, at)) masked[at] = 'a';
  }
  return masked;
}

std::string ShortSubject(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  if (text.size() <= kMaxSubject) return std::string(text);
  std::size_t end = kMaxSubject;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return std::string(text.substr(0, end)) + "…";
}

}  // namespace

const Grammar& ShellGrammar() {
  static const Grammar grammar(tree_sitter_bash(), kKindNames, kFieldNames);
  return grammar;
}

void Context::Find(std::string_view rule, Place place, std::string_view subject,
                   std::string message) {
  if (findings.size() >= kMaxFindings && rule != "sh-unclear") {
    GiveUp(place, "There are more findings than are listed.");
    return;
  }
  std::string name = ShortSubject(subject);
  if (!found.emplace(RuleNamed(rule).id, place.line, place.column, name).second) return;
  findings.push_back({&RuleNamed(rule), place, std::move(name), std::move(message)});
}

bool Context::Spend(Place place, int cost) {
  if (gave_up) return false;
  budget -= cost;
  if (budget >= 0 && !deadline_.HasPassed()) return true;
  GiveUp(place, "The script repeats itself so much that it cannot be followed to its end.");
  return false;
}

Result<Syntax> Context::Parse(std::string_view text) {
  using Clock = std::chrono::steady_clock;
  if (parsing_ > kMaxParsing) return Error(Kind::kExhausted, "it takes too long to read");
  if (LongestPipe(text) > kMaxPipe) return Error(Kind::kExhausted, "its pipes are too long");
  const Clock::time_point start = Clock::now();
  auto syntax = Syntax::Parse(ShellGrammar(), text, ForParser(text));
  parsing_ += Clock::now() - start;
  return syntax;
}

void Context::GiveUp(Place place, std::string_view why) {
  if (gave_up) return;
  gave_up = true;
  Need(Level::kRunsCode);
  Find("sh-unclear", place, "script", std::string(why));
}

}  // namespace belljar::judgement::analysis::shell
