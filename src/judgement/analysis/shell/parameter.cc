// Expansion of variables: $x, "$@", ${x:-y} and the other operators.
#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "judgement/analysis/shell/expand.h"
#include "judgement/analysis/shell/programs.h"
#include "judgement/analysis/shell/text.h"

namespace belljar::judgement::analysis::shell {
namespace {

constexpr std::size_t kMaxTrimmed = 512;

// Variables that the shell or its environment sets before a script starts, and that are not empty.
bool IsAlwaysSet(std::string_view name) {
  static const std::set<std::string_view> kNames = {
      "PWD",        "PATH",     "USER",        "LOGNAME",
      "SHELL",      "UID",      "EUID",        "HOSTNAME",
      "PPID",       "SHLVL",    "RANDOM",      "SECONDS",
      "LINENO",     "BASH",     "OSTYPE",      "EPOCHSECONDS",
      "0",          "$",        "?",           "#",
      "!",          "-",        "_",           "BASH_VERSION",
      "LANG",       "TERM",     "BASH_SOURCE", "FUNCNAME",
      "PIPESTATUS", "MACHTYPE", "SRANDOM",     "BASHPID",
      "REPLY",      "OPTARG",   "OPTIND"};
  return kNames.contains(name);
}

bool IsPositional(std::string_view name) {
  return name == "@" || name == "*" ||
         (!name.empty() && name != "0" &&
          std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; }));
}

Value Scalar(Word word) {
  Value value;
  value.items.push_back(std::move(word));
  return value;
}

Word NeverEmpty(const Word& word) {
  Word sure;
  for (Piece piece : word.pieces()) {
    piece.may_be_empty = piece.unset = false;
    sure.Add(std::move(piece));
  }
  return sure;
}

bool MayBeEmpty(const Word& word) {
  return std::all_of(word.pieces().begin(), word.pieces().end(), [](const Piece& piece) {
    return piece.may_be_empty || (piece.kind == Piece::Kind::kText && piece.text.empty());
  });
}

// ${CC:-gcc}, ${PYTHON:-python3}: the variable exists to override the tool, so the default stands
// for its value.
bool NamesTool(std::string_view name, const Word& value, const Word& otherwise) {
  const auto& pieces = value.pieces();
  const bool from_outside = pieces.empty() || (pieces.size() == 1 && pieces[0].text == name &&
                                               pieces[0].kind == Piece::Kind::kUnknown);
  const auto program = otherwise.Constant();
  if (!from_outside || !program || !IsKnown(*program)) return false;
  if (name == "CC" || name == "CXX" || name == "LD" || name == "EDITOR" || name == "PAGER") {
    return true;
  }
  std::string tool = LowerCase(name);
  for (const std::string_view end : {"_bin", "_cmd", "_exe", "_command", "_program"}) {
    if (tool.ends_with(end)) tool.resize(tool.size() - end.size());
  }
  return tool.size() > 1 && program->find(tool) != std::string::npos;
}

std::optional<long> NumberOf(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  long value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::string> TrimmedText(std::string_view text, std::string_view operation,
                                       const std::string& pattern) {
  if (text.size() > kMaxTrimmed || pattern.size() > kMaxTrimmed) return std::nullopt;
  const bool at_start = operation.starts_with('#');
  const bool longest = operation.size() == 2;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const std::size_t length = longest ? text.size() - i : i;
    const std::string part(at_start ? text.substr(0, length) : text.substr(text.size() - length));
    if (::fnmatch(pattern.c_str(), part.c_str(), 0) != 0) continue;
    return std::string(at_start ? text.substr(length) : text.substr(0, text.size() - length));
  }
  return std::string(text);
}

std::optional<std::string> SubText(std::string_view text, std::string_view range) {
  const std::size_t colon = range.find(':');
  const auto offset = NumberOf(range.substr(0, colon));
  if (!offset) return std::nullopt;
  const auto size = static_cast<long>(text.size());
  const long start = std::clamp(*offset < 0 ? size + *offset : *offset, 0L, size);
  long length = size - start;
  if (colon != std::string_view::npos) {
    const auto wanted = NumberOf(range.substr(colon + 1));
    if (!wanted) return std::nullopt;
    length = std::clamp(*wanted < 0 ? length + *wanted : *wanted, 0L, length);
  }
  return std::string(
      text.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(length)));
}

std::string ReplacedText(std::string_view text, std::string_view operation,
                         std::string_view pattern, std::string_view with) {
  std::string out;
  while (!pattern.empty()) {
    const std::size_t found = text.find(pattern);
    if (found == std::string_view::npos || out.size() > kMaxWord) break;
    out += text.substr(0, found);
    out += with;
    text.remove_prefix(found + pattern.size());
    if (operation != "//") break;
  }
  return out += text;
}

std::string CasedText(std::string_view text, std::string_view operation) {
  std::string out(text);
  const std::size_t count =
      operation.size() == 2 ? out.size() : std::min<std::size_t>(1, out.size());
  for (std::size_t i = 0; i < count; ++i) {
    char& c = out[i];
    if (operation[0] == '^' && c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    if (operation[0] == ',' && c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

Value Expander::Missing(std::string_view name) {
  Word word;
  if (name == "HOME") {
    word.Add(Piece{.kind = Piece::Kind::kHome});
  } else if (name == "PWD") {
    word.AddText(".");
  } else if (name == "SHELL" || name == "BASH") {
    word.AddText("/bin/bash");
  } else if (name == "IFS") {
    word.AddText(" ");
  } else {
    const bool sure = IsAlwaysSet(name) || context_.no_unset || context_.scope.IsChecked(name);
    word.Add(Piece{Piece::Kind::kUnknown, !sure, !sure, kPlain, std::string(name)});
  }
  return Scalar(std::move(word));
}

Value Expander::Parameter(std::string_view name) {
  const auto& known = context_.scope.parameters.back();
  if (name == "@" || name == "*") {
    if (known) return {*known, true};
    Word all;
    all.Add(Piece{Piece::Kind::kUnknown, true, false, kPlain, "@"});
    return Scalar(std::move(all));
  }
  if (!known) return Missing(name);
  const auto number = NumberOf(name).value_or(0);
  if (number < 1 || static_cast<std::size_t>(number) > known->size()) return Scalar(Word());
  return Scalar((*known)[static_cast<std::size_t>(number) - 1]);
}

Value Expander::Lookup(std::string_view name) {
  if (IsPositional(name)) return Parameter(name);
  const VariablePtr variable = context_.scope.Find(name);
  if (!variable || variable->values.empty()) return Missing(name);
  const bool unset = variable->may_be_unset && !context_.scope.IsChecked(name);
  const std::size_t chosen = context_.variant.Choose(variable->values.size() + (unset ? 1 : 0));
  if (chosen >= variable->values.size()) return Missing(name);
  Value value = variable->values[chosen];
  if (context_.scope.IsChecked(name)) {
    for (Word& item : value.items) item = NeverEmpty(item);
  }
  return value;
}

Value Expander::Subscript(NodeId id) {
  const NodeId name = syntax_.Field(id, kNameField);
  const NodeId index = syntax_.Field(id, kIndexField);
  const std::string_view which = index == kNoNode ? "" : syntax_.Text(index);
  Value value = Lookup(name == kNoNode ? "" : syntax_.Text(name));
  if (which == "@" || which == "*") return value;
  const auto number = NumberOf(which);
  if (!number && index != kNoNode) Single(index);
  if (!value.is_list) return value;
  if (number && *number >= 0 && static_cast<std::size_t>(*number) < value.items.size()) {
    return Scalar(value.items[static_cast<std::size_t>(*number)]);
  }
  if (value.items.empty()) return Scalar(Word());
  return Scalar(number ? value.items.back()
                       : value.items[context_.variant.Choose(value.items.size())]);
}

void Expander::PutValue(std::string_view name, const Value& value, Quoting quoting, Fields& out) {
  if (!value.is_list) {
    if (!value.items.empty()) Put(value.items[0], quoting, out);
    return;
  }
  const bool all = name == "@" || name == "*";
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    if (i > 0 && !all) break;
    if (i > 0) out.Break();
    Put(value.items[i], quoting, out);
  }
}

void Expander::VisitSimple(NodeId id, Quoting quoting, Fields& out) {
  const std::string_view name =
      syntax_.Text(id).substr(StartOf(id) - syntax_.at(id).start).substr(1);
  PutValue(name, Lookup(name), quoting, out);
}

void Expander::VisitExpansion(NodeId id, Quoting quoting, Fields& out) {
  NodeId child = syntax_.at(id).first;
  if (child != kNoNode) child = syntax_.at(child).next;  // skip "${"
  std::string_view prefix;
  if (child != kNoNode && syntax_.at(child).field == kOperatorField) {
    prefix = syntax_.Text(child);
    child = syntax_.at(child).next;
  }
  if (child == kNoNode) return Put(Word::Unknown("(…)"), quoting, out);
  const bool listed = syntax_.Is(child, Part::kSubscript);
  const std::string_view name =
      listed ? syntax_.Text(syntax_.at(child).first) : syntax_.Text(child);
  Value value = listed ? Subscript(child) : Lookup(name);
  const NodeId operation = syntax_.at(child).next;
  if (prefix == "!" && !value.is_list && !value.items.empty()) {
    const auto target = value.items[0].Constant();
    value = target ? Lookup(*target) : Scalar(Word::Unknown("(indirect)"));
  } else if (prefix == "#") {
    value = Scalar(Word::Unknown("(length)"));
  }
  const bool operates = operation != kNoNode && syntax_.at(operation).field == kOperatorField;
  if (operates) value = Operate(name, std::move(value), operation);
  const bool whole = listed || name == "@" || name == "*";
  PutValue(whole ? "@" : name, value, quoting, out);
}

Word Expander::RestOf(NodeId first) {
  Word rest;
  NodeId last = first;
  while (last != kNoNode && syntax_.at(last).next != kNoNode) last = syntax_.at(last).next;
  if (last != first) {
    const std::uint32_t start = syntax_.at(first).start;
    const auto text = syntax_.source().substr(start, syntax_.at(last).start - start);
    if (text.starts_with('`') && !syntax_.Is(first, Part::kCommandSubstitution)) {
      Fields fields;
      AddBackquoted(text, first, fields);
      for (const Word& word : fields.Take(context_)) rest.Add(word);
      return rest;
    }
  }
  for (NodeId at = first; at != kNoNode; at = syntax_.at(at).next) {
    if (syntax_.at(at).next == kNoNode) break;  // "}"
    if (syntax_.at(at).field == kOperatorField) {
      rest.AddText(syntax_.Text(at));
    } else {
      rest.Add(Single(at));
    }
  }
  return rest;
}

Value Expander::OrDefault(std::string_view name, Value value, NodeId operation, NodeId rest) {
  const std::string_view op = syntax_.Text(operation);
  const char kind = op.back();
  const Word word = value.items.empty() ? Word() : value.items[0];
  const bool uncertain = MayBeEmpty(word);
  Word other = RestOf(rest);
  if (kind == '?') {
    context_.scope.Check(name);
    for (Word& item : value.items) item = NeverEmpty(item);
    return value;
  }
  if (kind == '+') {
    if (!uncertain) return Scalar(std::move(other));
    return Scalar(context_.variant.Choose(2) == 0 ? std::move(other) : Word());
  }
  if (NamesTool(name, word, other)) {
    if (kind == '=') context_.scope.Set(name, {Scalar(other)});
    return Scalar(std::move(other));
  }
  if (!uncertain) return value;
  // The value from outside the script, or the default.
  const bool taken = word.empty() || context_.variant.Choose(2) == 1;
  // Stored in the order of the choice above, so that later uses of the variable choose
  // consistently.
  if (kind == '=') context_.scope.Set(name, {Scalar(NeverEmpty(word)), Scalar(other)});
  return Scalar(taken ? std::move(other) : NeverEmpty(word));
}

Value Expander::Operate(std::string_view name, Value value, NodeId operation) {
  const std::string_view op = syntax_.Text(operation);
  const NodeId rest = syntax_.at(operation).next;
  if (op.empty()) return value;
  const char last = op.back();
  if (last == '-' || last == '=' || last == '?' || last == '+') {
    return OrDefault(name, std::move(value), operation, rest);
  }
  const Word other = RestOf(rest);
  const auto argument = other.Constant();
  for (Word& item : value.items) {
    const auto text = item.Constant();
    const bool is_path = (name == "PATH" || name == "PWD" || name == "HOME" || name == "SHELL") &&
                         op == ":" && argument == "0:1";
    std::optional<std::string> made;
    if (is_path) made = "/";
    if (text && argument) {
      if (op[0] == '#' || op[0] == '%') made = TrimmedText(*text, op, *argument);
      if (op[0] == ':') made = SubText(*text, *argument);
      if (op[0] == '^' || op[0] == ',') made = CasedText(*text, op);
      if (op[0] == '/') {
        const std::size_t slash = std::min(argument->find('/'), argument->size());
        made =
            ReplacedText(*text, op, std::string_view(*argument).substr(0, slash),
                         std::string_view(*argument).substr(std::min(slash + 1, argument->size())));
      }
    }
    if (made) {
      item = Word::OfText(*made);
    } else if (text || op[0] == ':') {
      item = Word::Unknown(fmt::format("({})", name), item.origins());
    }
  }
  return value;
}

}  // namespace belljar::judgement::analysis::shell
