#include "judgement/analysis/shell/expand.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "judgement/analysis/shell/call.h"

namespace belljar::judgement::analysis::shell {
namespace {

constexpr int kMaxRange = 64;

std::string_view Inner(std::string_view text, std::size_t front, std::size_t back) {
  return text.size() >= front + back ? text.substr(front, text.size() - front - back)
                                     : std::string_view();
}

std::string_view WithoutNewlines(std::string_view text) {
  while (text.ends_with('\n')) text.remove_suffix(1);
  return text;
}

std::optional<int> NumberIn(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Removes one level of escaping inside backquotes: "\`" becomes a backquote for the inner command.
std::string UnquoteBackquotes(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool escapes = text[at] == '\\' && at + 1 < text.size() &&
                         (text[at + 1] == '`' || text[at + 1] == '\\' || text[at + 1] == '$');
    if (escapes) ++at;
    out.push_back(text[at]);
  }
  return out;
}

// The index of the next unescaped backquote from `at` on.
std::size_t BackquoteEnd(std::string_view text, std::size_t at) {
  for (; at < text.size() && text[at] != '`'; ++at) {
    if (text[at] == '\\') ++at;
  }
  return std::min(at, text.size());
}

}  // namespace

Fields Expander::NewFields() const {
  Fields fields;
  const VariablePtr separators = context_.scope.Find("IFS");
  if (separators && separators->values.size() == 1 && !separators->values[0].items.empty()) {
    if (auto text = separators->values[0].items[0].Constant()) {
      fields.SeparateAt(*std::move(text));
    }
  }
  return fields;
}

std::vector<Word> Expander::Words(NodeId id) {
  Fields fields = NewFields();
  Visit(id, Quoting::kNone, fields);
  return fields.Take(context_);
}

std::vector<Word> Expander::Words(const std::vector<NodeId>& joined) {
  Fields fields = NewFields();
  for (std::size_t i = 0; i < joined.size(); ++i) {
    // In $"text", a string to be translated, the dollar is not part of the value.
    const bool translates = i + 1 < joined.size() && syntax_.Text(joined[i]) == "$" &&
                            syntax_.Is(joined[i + 1], Part::kString);
    if (!translates) Visit(joined[i], Quoting::kNone, fields);
  }
  return fields.Take(context_);
}

Word Expander::Single(NodeId id) {
  Word all;
  for (const Word& word : Words(id)) {
    if (!all.empty()) all.AddText(" ");
    all.Add(word);
  }
  return all;
}

Value Expander::ValueOf(NodeId id) {
  if (id == kNoNode) return {{Word()}, false};
  if (!syntax_.Is(id, Part::kArray)) {
    Fields fields;
    // The shell does not expand patterns and braces in an assignment; doing so here does no harm.
    Visit(id, Quoting::kNone, fields);
    Word all;
    for (const Word& word : fields.Take(context_)) {
      if (!all.empty()) all.AddText(" ");
      all.Add(word);
    }
    return {{std::move(all)}, false};
  }
  Value list{{}, true};
  for (const NodeId child : syntax_.NamedChildren(id)) {
    for (Word& word : Words(child)) {
      // For "[key]=value", only the value is kept.
      const std::string lead = word.Lead();
      const std::size_t equals = lead.starts_with('[') ? lead.find("]=") : std::string::npos;
      if (equals != std::string::npos) word = WithoutLead(word, equals + 2);
      list.items.push_back(std::move(word));
    }
  }
  return list;
}

// The start of an expansion without leading blanks: in "$a $b" the grammar counts the blank as part
// of the second expansion.
std::uint32_t Expander::StartOf(NodeId expansion) const {
  std::uint32_t start = syntax_.at(expansion).start;
  const std::string_view source = syntax_.source();
  while (start < syntax_.at(expansion).end &&
         std::string_view(" \t\n").find(source[start]) != std::string_view::npos) {
    ++start;
  }
  return start;
}

// Runs backquoted commands in text where the grammar does not parse them.
void Expander::AddBackquoted(std::string_view text, NodeId at, Fields& out) {
  for (std::size_t tick = BackquoteEnd(text, 0); tick < text.size(); tick = BackquoteEnd(text, 0)) {
    const std::size_t close = BackquoteEnd(text, tick + 1);
    out.AddUnescaped(text.substr(0, tick));
    const Stream printed =
        run_text_(UnquoteBackquotes(text.substr(tick + 1, close - tick - 1)), at);
    out.AddQuoted(printed.text ? Word::OfText(WithoutNewlines(*printed.text))
                               : Word::Unknown("(command)", printed.origins));
    text = close < text.size() ? text.substr(close + 1) : std::string_view();
  }
  out.AddUnescaped(text);
}

Word Expander::Heredoc(NodeId body) {
  Fields fields;
  std::uint32_t at = syntax_.at(body).start;
  const auto add_text = [&](std::uint32_t end) {
    AddBackquoted(syntax_.source().substr(at, end - at), body, fields);
  };
  for (const NodeId child : syntax_.NamedChildren(body)) {
    if (syntax_.Is(child, Part::kHeredocContent)) continue;
    add_text(StartOf(child));
    Visit(child, Quoting::kQuoted, fields);
    at = syntax_.at(child).end;
  }
  add_text(syntax_.at(body).end);
  Word all;
  for (const Word& word : fields.Take(context_)) all.Add(word);
  return all;
}

// Handles a dollar that the grammar took for a literal, although a name follows.
void Expander::VisitDollar(NodeId id, Quoting quoting, Fields& out) {
  const std::uint32_t start = syntax_.at(id).end;
  std::uint32_t end = start;
  const std::string_view source = syntax_.source();
  const auto is_name = [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  while (end < source.size() && is_name(source[end])) ++end;
  if (end == start) return out.AddQuoted("$");
  skip_to_ = end;
  const std::string_view name = source.substr(start, end - start);
  PutValue(name, Lookup(name), quoting, out);
}

void Expander::Visit(NodeId id, Quoting quoting, Fields& out) {
  const Deeper deeper(context_.depth);
  if (context_.depth > kMaxDepth) {
    context_.GiveUp(syntax_.PlaceOf(id), "The script is nested too deep to be followed.");
    return;
  }
  const std::string_view text = syntax_.Text(id);
  switch (static_cast<Part>(syntax_.at(id).kind)) {
    case Part::kRawString:
      return out.AddQuoted(Inner(text, 1, 1));
    case Part::kAnsiCString:
      return out.AddQuoted(Unescape(Inner(text, 2, 1)));
    case Part::kString:
    case Part::kTranslated:
      return VisitString(id, out);
    case Part::kSimpleExpansion:
      return VisitSimple(id, quoting, out);
    case Part::kExpansion:
      return VisitExpansion(id, quoting, out);
    case Part::kCommandSubstitution:
      return VisitSubstitution(id, quoting, out);
    case Part::kProcessSubstitution:
      return VisitProcess(id, out);
    case Part::kBrace:
      return VisitBrace(id, out);
    case Part::kArithmetic:
      return VisitArithmetic(id, out);
    case Part::kConcatenation:
    case Part::kCommandName:
      return VisitChildren(id, quoting, out);
    default:
      return VisitLeaf(id, quoting, out);
  }
}

void Expander::VisitArithmetic(NodeId id, Fields& out) {
  if (const auto number = Number(syntax_.Named(id, 0))) {
    return out.AddQuoted(std::to_string(*number));
  }
  Fields operands;
  VisitChildren(id, Quoting::kQuoted, operands);
  Put(Word::Unknown("(number)"), Quoting::kQuoted, out);
}

void Expander::VisitLeaf(NodeId id, Quoting quoting, Fields& out) {
  const std::string_view text = syntax_.Text(id);
  if (syntax_.at(id).first != kNoNode && !syntax_.Is(id, Part::kWord)) {
    return VisitChildren(id, quoting, out);
  }
  if (!syntax_.at(id).named && text == "$") return VisitDollar(id, quoting, out);
  if (!syntax_.at(id).named && text.starts_with('`')) return;  // an empty substitution
  const std::uint32_t start = syntax_.at(id).start;
  const std::size_t skipped =
      skip_to_ > start ? std::min<std::size_t>(skip_to_ - start, text.size()) : 0;
  if (quoting == Quoting::kQuoted) {
    out.AddUnescaped(text.substr(skipped));
  } else {
    out.AddLiteral(text.substr(skipped));
  }
}

// The value of an arithmetic expression, if it is constant.
std::optional<long> Expander::Number(NodeId id) {
  const Deeper deeper(context_.depth);
  if (id == kNoNode || context_.depth > kMaxDepth) return std::nullopt;
  if (syntax_.Is(id, Part::kNumber)) {
    const auto number = NumberIn(syntax_.Text(id));
    return number ? std::optional<long>(*number) : std::nullopt;
  }
  if (syntax_.Is(id, Part::kParenthesized)) return Number(syntax_.Named(id, 0));
  if (syntax_.Is(id, Part::kVariableName) || syntax_.Is(id, Part::kSimpleExpansion)) {
    std::string_view name = syntax_.Text(id);
    if (name.starts_with('$')) name.remove_prefix(1);
    const Value value = Lookup(name);
    const auto text = value.items.empty() ? std::nullopt : value.items[0].Constant();
    const auto number = text ? NumberIn(*text) : std::nullopt;
    return number ? std::optional<long>(*number) : std::nullopt;
  }
  if (!syntax_.Is(id, Part::kBinary)) return std::nullopt;
  const NodeId op = syntax_.Field(id, kOperatorField);
  const auto left = Number(syntax_.Named(id, 0));
  const auto right = Number(syntax_.Named(id, 1));
  if (!left || !right || op == kNoNode) return std::nullopt;
  if (std::abs(*left) > INT32_MAX || std::abs(*right) > INT32_MAX) return std::nullopt;
  const std::string_view sign = syntax_.Text(op);
  if (sign == "+") return *left + *right;
  if (sign == "-") return *left - *right;
  if (sign == "*") return *left * *right;
  if (*right == 0) return std::nullopt;
  if (sign == "/") return *left / *right;
  return sign == "%" ? std::optional<long>(*left % *right) : std::nullopt;
}

void Expander::VisitChildren(NodeId id, Quoting quoting, Fields& out) {
  std::uint32_t at = syntax_.at(id).start;
  for (NodeId child = syntax_.at(id).first; child != kNoNode; child = syntax_.at(child).next) {
    // The gap between parts of one word is empty, an escaped line break, or an escaped character
    // that the grammar skipped.
    const std::string_view gap = syntax_.source().substr(at, syntax_.at(child).start - at);
    if (gap.size() == 2 && gap[0] == '\\' && gap[1] != '\n') out.AddQuoted(gap.substr(1));
    Visit(child, quoting, out);
    at = syntax_.at(child).end;
  }
}

void Expander::VisitString(NodeId id, Fields& out) {
  const auto& node = syntax_.at(id);
  // The grammar omits blanks and line breaks, so the text is taken from between the expansions.
  std::uint32_t at = node.start + (syntax_.Text(id).starts_with('$') ? 2 : 1);
  out.AddQuoted("");
  for (NodeId child = node.first; child != kNoNode; child = syntax_.at(child).next) {
    switch (static_cast<Part>(syntax_.at(child).kind)) {
      case Part::kSimpleExpansion:
      case Part::kExpansion:
      case Part::kCommandSubstitution:
      case Part::kArithmetic:
        break;
      default:
        continue;
    }
    const std::uint32_t start = StartOf(child);
    if (start > at) out.AddUnescaped(syntax_.source().substr(at, start - at));
    Visit(child, Quoting::kQuoted, out);
    at = syntax_.at(child).end;
  }
  std::uint32_t end = node.end;
  if (end > at && syntax_.source()[end - 1] == '"') --end;
  if (end > at) out.AddUnescaped(syntax_.source().substr(at, end - at));
}

void Expander::VisitBrace(NodeId id, Fields& out) {
  const auto children = syntax_.ListOfNamedChildren(id);
  const auto from = children.empty() ? std::nullopt : NumberIn(syntax_.Text(children[0]));
  const auto to = children.size() < 2 ? std::nullopt : NumberIn(syntax_.Text(children[1]));
  if (!from || !to || std::abs(static_cast<long>(*to) - *from) > kMaxRange) {
    return Put(Word::Unknown("(range)"), Quoting::kQuoted, out);
  }
  std::string list = "{";
  for (int number = *from;; number += *from < *to ? 1 : -1) {
    list += std::to_string(number);
    if (number == *to) break;
    list += ",";
  }
  out.AddLiteral(*from == *to ? std::to_string(*from) : list + "}");
}

void Expander::VisitSubstitution(NodeId id, Quoting quoting, Fields& out) {
  const std::string_view text = syntax_.Text(id).substr(StartOf(id) - syntax_.at(id).start);
  const bool backquoted = text.starts_with('`');
  const bool escaped = backquoted && text.find('\\') != std::string_view::npos;
  const Stream stream = escaped ? run_text_(UnquoteBackquotes(Inner(text, 1, 1)), id) : run_(id);
  if (stream.text) return Put(Word::OfText(WithoutNewlines(*stream.text)), quoting, out);
  if (stream.parts) return Put(*stream.parts, quoting, out);
  Word word;
  word.Add(Piece{Piece::Kind::kUnknown, !stream.never_empty, false, stream.origins,
                 fmt::format("({})", syntax_.at(id).start)});
  Put(word, quoting, out);
}

void Expander::VisitProcess(NodeId id, Fields& out) {
  const Stream stream = run_(id);
  const bool reads = syntax_.Text(id).starts_with('<');
  const Word word = Word::Unknown(fmt::format("{}({})", reads ? '<' : '>', syntax_.at(id).start),
                                  reads ? stream.origins : Origins{kPlain});
  if (reads) {
    context_.files[word.Shown()] = stream;
  } else {
    context_.sinks[word.Shown()] = {&syntax_, id, std::nullopt, kNoNode};
  }
  Put(word, Quoting::kQuoted, out);
}

void Expander::Put(const Word& word, Quoting quoting, Fields& out) {
  if (quoting == Quoting::kQuoted) {
    out.AddQuoted(word);
  } else {
    out.AddSplit(word);
  }
}

}  // namespace belljar::judgement::analysis::shell
