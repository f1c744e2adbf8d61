// Fields: word splitting and brace expansion.
#include <charconv>
#include <optional>
#include <string>

#include "judgement/analysis/shell/expand.h"

namespace belljar::judgement::analysis::shell {
namespace {

// Markers for braces and commas of the source, until they are expanded.
constexpr char kOpenMark = '\x01';
constexpr char kCommaMark = '\x02';
constexpr char kCloseMark = '\x03';
constexpr std::size_t kMaxUnits = 4096;
constexpr std::size_t kMaxExpanded = 256;

// A character, or a piece that is not text.
struct Unit {
  char c = 0;
  const Piece* piece = nullptr;
};
using Units = std::vector<Unit>;

Units UnitsOf(const Word& word) {
  Units units;
  for (const Piece& piece : word.pieces()) {
    if (piece.kind != Piece::Kind::kText) {
      units.push_back({0, &piece});
    } else {
      for (const char c : piece.text) units.push_back({c, nullptr});
    }
  }
  return units;
}

Word WordOf(const Units& units) {
  Word word;
  std::string text;
  for (const Unit& unit : units) {
    if (unit.piece != nullptr) {
      if (!text.empty()) word.AddText(text);
      text.clear();
      word.Add(*unit.piece);
    } else if (unit.c == kOpenMark) {
      text.push_back('{');
    } else if (unit.c == kCommaMark) {
      text.push_back(',');
    } else {
      text.push_back(unit.c == kCloseMark ? '}' : unit.c);
    }
  }
  if (!text.empty()) word.AddText(text);
  return word;
}

// The first brace group that contains a comma.
struct BraceParts {
  std::size_t open = 0;
  std::size_t close = 0;
  std::vector<std::size_t> commas;
};

std::optional<BraceParts> BraceAt(const Units& units, std::size_t open) {
  BraceParts parts{open, 0, {}};
  int depth = 0;
  for (std::size_t at = open; at < units.size(); ++at) {
    const char c = units[at].c;
    if (c == kOpenMark) ++depth;
    if (c == kCommaMark && depth == 1) parts.commas.push_back(at);
    if (c == kCloseMark && --depth == 0) {
      parts.close = at;
      return parts;
    }
  }
  return std::nullopt;
}

std::optional<BraceParts> FirstBrace(const Units& units) {
  int tries = 0;
  for (std::size_t at = 0; at < units.size() && tries < 16; ++at) {
    if (units[at].c != kOpenMark) continue;
    ++tries;
    auto parts = BraceAt(units, at);
    if (parts && !parts->commas.empty()) return parts;
  }
  return std::nullopt;
}

}  // namespace

std::vector<Word> ExpandBraces(const Word& word) {
  std::vector<Units> todo{UnitsOf(word)};
  std::vector<Word> done;
  if (todo[0].size() > kMaxUnits) return {WordOf(todo[0])};
  while (!todo.empty()) {
    const Units units = std::move(todo.back());
    todo.pop_back();
    const auto brace = FirstBrace(units);
    if (!brace || todo.size() + done.size() > kMaxExpanded) {
      done.push_back(WordOf(units));
      continue;
    }
    std::vector<std::size_t> ends = brace->commas;
    ends.push_back(brace->close);
    const auto from = [&](std::size_t at) { return units.begin() + static_cast<long>(at); };
    for (std::size_t i = ends.size(); i-- > 0;) {  // a stack: the first alternative is pushed last
      const std::size_t start = (i == 0 ? brace->open : ends[i - 1]) + 1;
      Units one(units.begin(), from(brace->open));
      one.insert(one.end(), from(start), from(ends[i]));
      one.insert(one.end(), from(brace->close + 1), units.end());
      todo.push_back(std::move(one));
    }
  }
  return done;
}

void Fields::AddQuoted(std::string_view text) {
  started_ = true;
  if (!text.empty()) current_.AddText(text);
}

void Fields::AddQuoted(const Word& word) {
  started_ = true;
  for (Piece piece : word.pieces()) {
    if (piece.kind == Piece::Kind::kGlob && !piece.matched) piece.kind = Piece::Kind::kText;
    current_.Add(std::move(piece));
  }
}

void Fields::AddPattern(char c) {
  started_ = true;
  const std::string_view one(&c, 1);
  if (c == '*' || c == '?' || c == '[' || c == ']') {
    current_.AddGlob(one);
  } else {
    current_.AddText(one);
  }
}

std::string_view Fields::TakeTilde(std::string_view text) {
  if (started_ || text.empty() || text[0] != '~') return text;
  const std::size_t end = std::min(text.find('/'), text.size());
  const std::string_view user = text.substr(1, end - 1);
  started_ = true;
  if (user.empty()) {
    current_.Add(Piece{.kind = Piece::Kind::kHome});
  } else if (user == "+" || user == "-") {
    current_.Add(Word::Unknown("PWD"));
  } else {
    current_.AddText(user == "root" ? "/root" : "/home/" + std::string(user));
  }
  return text.substr(end);
}

void Fields::AddLiteral(std::string_view text) {
  text = TakeTilde(text);
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == '\\' && at + 1 < text.size()) {
      if (text[++at] != '\n') AddQuoted(text.substr(at, 1));
    } else if (c == '{') {
      AddQuoted(std::string_view(&kOpenMark, 1));
    } else if (c == ',') {
      AddQuoted(std::string_view(&kCommaMark, 1));
    } else if (c == '}') {
      AddQuoted(std::string_view(&kCloseMark, 1));
    } else {
      AddPattern(c);
    }
  }
}

void Fields::AddUnescaped(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] == '\\' && at + 1 < text.size()) {
      const char next = text[at + 1];
      if (next == '\n' || next == '"' || next == '\\' || next == '$' || next == '`') ++at;
      if (next == '\n') continue;
    }
    plain.push_back(text[at]);
  }
  AddQuoted(plain);
}

void Fields::AddSplitText(std::string_view text) {
  for (const char c : text) {
    if (separators_.find(c) == std::string::npos) {
      AddPattern(c);
    } else {
      Break();
    }
  }
}

void Fields::AddSplit(const Word& word) {
  for (const Piece& piece : word.pieces()) {
    if (piece.kind == Piece::Kind::kText) {
      AddSplitText(piece.text);
    } else {
      started_ = true;
      current_.Add(piece);
    }
  }
}

void Fields::Break() {
  if (!started_) return;
  done_.push_back(std::move(current_));
  current_ = Word();
  started_ = false;
}

std::vector<Word> Fields::Take(Context& context) {
  Break();
  std::vector<Word> words;
  for (const Word& word : done_) {
    bool has_brace = false;
    for (const Piece& piece : word.pieces()) {
      has_brace |= piece.text.find_first_of("\x01\x02\x03") != std::string::npos;
    }
    if (!has_brace) {
      words.push_back(word);
      continue;
    }
    for (Word& one : ExpandBraces(word)) words.push_back(std::move(one));
  }
  context.budget -= static_cast<int>(words.size() / 16);
  done_.clear();
  return words;
}

}  // namespace belljar::judgement::analysis::shell
