// Cuts shell source text at its separators.
#include <algorithm>
#include <array>

#include "judgement/analysis/shell/pieces.h"

namespace belljar::judgement::analysis::shell {
namespace {

constexpr std::string_view kBlanks = " \t\r\n";

// Reserved words that precede a command or close a compound one.
bool IsReserved(std::string_view word) {
  static constexpr std::array<std::string_view, 16> kWords = {
      "if", "then", "else", "elif", "do",   "while", "until",  "!",
      "{",  "}",    "fi",   "done", "esac", "time",  "coproc", "]]"};
  return std::ranges::find(kWords, word) != kWords.end() || word.ends_with("()");
}

void SkipBlanks(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
}

std::string_view FirstWord(std::string_view text) {
  return text.substr(0, text.find_first_of(kBlanks));
}

// Removes the header of a loop or case: "for x in a b" leaves "a b", and "case $x in" leaves the
// rest. What remains is expanded, but not run.
bool TakeHeader(std::string_view& text) {
  const std::string_view word = FirstWord(text);
  if (word != "for" && word != "select" && word != "case") return false;
  text.remove_prefix(word.size());
  SkipBlanks(text);
  if (word == "case") return true;
  text.remove_prefix(FirstWord(text).size());
  SkipBlanks(text);
  if (FirstWord(text) == "in") text.remove_prefix(2);
  return true;
}

// Strips reserved words and headers from the start of the text.
std::string_view WithoutReserved(std::string_view text) {
  for (;;) {
    SkipBlanks(text);
    const std::string_view word = FirstWord(text);
    if (word == "function") {
      text.remove_prefix(word.size());
      SkipBlanks(text);
      text.remove_prefix(FirstWord(text).size());
    } else if (!word.empty() && IsReserved(word)) {
      text.remove_prefix(word.size());
    } else {
      return text;
    }
  }
}

class Cutter {
 public:
  Cutter(std::string_view text, Cut cut) : text_(text), cut_(cut) {}

  std::vector<TextPiece> All() {
    while (at_ < text_.size()) {
      if (cut_ == Cut::kLines) {
        if (text_[at_] == '\n')
          End(1);
        else
          ++at_;
      } else {
        Step();
      }
    }
    const bool is_open = !open_.empty();
    End(0);
    if (is_open && !pieces_.empty()) pieces_.back().is_open = true;
    return std::move(pieces_);
  }

 private:
  char At(std::size_t at) const { return at < text_.size() ? text_[at] : '\0'; }
  char Before() const { return at_ > start_ ? text_[at_ - 1] : '\n'; }
  std::string_view Current() const { return text_.substr(start_, at_ - start_); }

  void Open(char closer, std::size_t length) {
    open_.push_back(closer);
    at_ += length;
  }

  // Ends the current piece. The next begins after the separator.
  void End(std::size_t separator) {
    std::string_view text = WithoutReserved(Current());
    at_ = std::min(at_ + separator, text_.size());
    start_ = at_;
    if (text.empty()) return;
    const auto start = static_cast<std::uint32_t>(text.data() - text_.data());
    const bool is_header = TakeHeader(text);
    if (is_header && text.ends_with(" in")) text.remove_suffix(3);
    pieces_.push_back({(is_header ? ": " : "") + std::string(text), start, false});
  }

  void Step() {
    const char c = text_[at_];
    const char inside = open_.empty() ? '\0' : open_.back();
    const char next = At(at_ + 1);
    if (c == '\\') {
      at_ += 2;
    } else if (!open_.empty() && c == inside) {
      open_.pop_back();
      ++at_;
    } else if (c == '$' && (next == '(' || next == '{')) {
      Open(next == '(' ? ')' : '}', 2);
    } else if (c == '`' || (c == '"' && inside != '"')) {
      Open(c, 1);
    } else if (inside == '"') {
      ++at_;
    } else if (c == '\'') {
      SkipSingle();
    } else if (c == '#' && inside != '}' &&
               kBlanksAndSigns.find(Before()) != kBlanksAndSigns.npos) {
      at_ = std::min(text_.find('\n', at_), text_.size());
    } else if (inside != '\0') {
      if (c == '(' && inside == ')') open_.push_back(')');
      ++at_;
    } else {
      Separator(c, next);
    }
  }

  void SkipSingle() {
    const bool has_escapes = at_ > 0 && text_[at_ - 1] == '$';
    for (++at_; at_ < text_.size() && text_[at_] != '\''; ++at_) {
      if (has_escapes && text_[at_] == '\\') ++at_;
    }
    if (at_ >= text_.size()) open_.push_back('\'');
    ++at_;
  }

  void Separator(char c, char next) {
    if (c == '\n') {
      const std::size_t last = Current().find_last_not_of(kBlanks);
      const bool goes_on = last != std::string_view::npos && Current()[last] == '|';
      return goes_on ? void(++at_) : End(1);
    }
    if (c == ';') return End(1);
    if (c == '&' && Before() != '>' && Before() != '<' && next != '>') {
      return End(next == '&' ? 2 : 1);
    }
    if (c == '|' && Before() != '>') {
      if (next == '|') return End(2);
      if (cut_ == Cut::kCommands) return End(next == '&' ? 2 : 1);
    }
    if (c == '(' || c == ')') return Parenthesis(c, next);
    ++at_;
  }

  void Parenthesis(char c, char next) {
    if (c == '(') {
      if (next == '(' || !WithoutReserved(Current()).empty()) return Open(')', 1);
      return End(1);
    }
    // A word with a wildcard before ")" is a pattern of a case. Other labels are read like
    // commands, because they cannot be told from commands with certainty.
    const std::string_view label = WithoutReserved(Current());
    if (label.find_first_of("*?[") != label.npos &&
        label.find_first_of(" \t\n/$`<") == label.npos) {
      start_ = at_;
    }
    End(1);
  }

  static constexpr std::string_view kBlanksAndSigns = " \t\r\n;&|()";
  std::string_view text_;
  Cut cut_;
  std::vector<TextPiece> pieces_;
  std::string open_;  // stack of the closing characters for open quotes and parentheses
  std::size_t at_ = 0;
  std::size_t start_ = 0;
};

}  // namespace

std::vector<TextPiece> CutText(std::string_view text, Cut cut) { return Cutter(text, cut).All(); }

}  // namespace belljar::judgement::analysis::shell
