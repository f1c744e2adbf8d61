// Tokens: a simple lexer for programs of other languages in arguments (perl -e, awk, SQL),
// sufficient to tell names from string literals and comments.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace belljar::judgement::analysis::shell {

struct Token {
  enum class Kind { kName, kText, kBackquoted, kSign };
  Kind kind = Kind::kSign;
  std::string text;  // without the quotes for a string literal
};

enum class Comments { kHash, kDashes };  // "# …" or "-- …" and "/* … */"
std::vector<Token> TokensOf(std::string_view text, Comments comments);

// True if one of the names occurs as an identifier or as a word of a string literal.
bool HasName(const std::vector<Token>& tokens, std::initializer_list<std::string_view> names);

std::string LowerCase(std::string_view text);

}  // namespace belljar::judgement::analysis::shell
