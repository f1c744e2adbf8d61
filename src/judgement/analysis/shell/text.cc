#include "judgement/analysis/shell/text.h"

#include <algorithm>

#include "judgement/analysis/shell/word.h"

namespace belljar::judgement::analysis::shell {
namespace {

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

// The quoted string that starts at `at`, without its quotes; advances `at` past the closing quote.
std::string TakeQuoted(std::string_view text, std::size_t& at) {
  const char quote = text[at++];
  std::string inside;
  for (; at < text.size() && text[at] != quote; ++at) {
    if (text[at] == '\\' && at + 1 < text.size()) ++at;
    inside.push_back(text[at]);
  }
  ++at;
  return inside;
}

// Skips a comment that starts at `at`, if there is one.
bool SkipComment(std::string_view text, std::size_t& at, Comments comments) {
  const std::string_view rest = text.substr(at);
  if (comments == Comments::kDashes && rest.starts_with("/*")) {
    const std::size_t end = rest.find("*/");
    at = end == std::string_view::npos ? text.size() : at + end + 2;
    return true;
  }
  if (!rest.starts_with(comments == Comments::kHash ? "#" : "--")) return false;
  at = std::min(text.find('\n', at), text.size());
  return true;
}

}  // namespace

std::vector<Token> TokensOf(std::string_view text, Comments comments) {
  std::vector<Token> tokens;
  std::size_t at = 0;
  while (at < text.size()) {
    const char c = text[at];
    if (SkipComment(text, at, comments)) continue;
    if (c == '\'' || c == '"') {
      tokens.push_back({Token::Kind::kText, TakeQuoted(text, at)});
    } else if (c == '`') {
      tokens.push_back({Token::Kind::kBackquoted, TakeQuoted(text, at)});
    } else if (IsNameCharacter(c)) {
      const std::size_t start = at;
      while (at < text.size() && IsNameCharacter(text[at])) ++at;
      tokens.push_back({Token::Kind::kName, std::string(text.substr(start, at - start))});
    } else {
      if (c != ' ' && c != '\t' && c != '\n') tokens.push_back({Token::Kind::kSign, {c}});
      ++at;
    }
  }
  return tokens;
}

bool HasName(const std::vector<Token>& tokens, std::initializer_list<std::string_view> names) {
  const auto is_wanted = [&](std::string_view word) {
    return std::find(names.begin(), names.end(), word) != names.end();
  };
  for (const Token& token : tokens) {
    if (token.kind == Token::Kind::kName && is_wanted(token.text)) return true;
    if (token.kind != Token::Kind::kText && token.kind != Token::Kind::kBackquoted) continue;
    for (const std::string_view word : SplitAt(token.text, " ./:;,()[]<>&|\t\n'\"")) {
      if (is_wanted(word)) return true;
    }
  }
  return false;
}

std::string LowerCase(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

}  // namespace belljar::judgement::analysis::shell
