// Tokens: a modest reading of program texts in other languages that stand in a command's
// arguments (perl -e, awk, SQL), enough to tell names from texts and comments.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

namespace belljar::judgement::analysis::shell {

struct Token {
  enum class Kind { kName, kText, kBackquoted, kSign };
  Kind kind = Kind::kSign;
  std::string text;  // of a text without its quotes
};

enum class Comments { kHash, kDashes };  // "# …" or "-- …" and "/* … */"
std::vector<Token> TokensOf(std::string_view text, Comments comments);

// One of the names is in it, as a name or as a word of a text.
bool HasName(const std::vector<Token>& tokens, std::initializer_list<std::string_view> names);

std::string LowerCase(std::string_view text);

}  // namespace belljar::judgement::analysis::shell
