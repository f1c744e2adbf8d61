#include "judgement/analysis/shell/word.h"

#include <algorithm>
#include <charconv>

namespace belljar::judgement::analysis::shell {
namespace {

constexpr std::string_view kCutOff = "…";

void AppendUtf8(std::string& out, std::uint32_t code) {
  const auto byte = [&](std::uint32_t value) { out.push_back(static_cast<char>(value)); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xC0U | (code >> 6U));
    byte(0x80U | (code & 0x3FU));
  } else {
    if (code >= 0x10000) {
      byte(0xF0U | ((code >> 18U) & 7U));
      byte(0x80U | ((code >> 12U) & 0x3FU));
    } else {
      byte(0xE0U | (code >> 12U));
    }
    byte(0x80U | ((code >> 6U) & 0x3FU));
    byte(0x80U | (code & 0x3FU));
  }
}

// Reads up to `digits` digits and advances `at` past them. False if there is none.
bool ReadNumber(std::string_view text, std::size_t& at, std::size_t digits, int base,
                std::uint32_t& value) {
  const std::string_view rest = text.substr(at, digits);
  const auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value, base);
  if (error != std::errc{}) return false;
  at += static_cast<std::size_t>(end - rest.data());
  return true;
}

// Decodes the escape sequence at text[at], just behind the backslash.
void UnescapeOne(std::string_view text, std::size_t& at, std::string& out) {
  static constexpr std::string_view kLetters = "abeEfnrtv";
  static constexpr std::string_view kMeanings = "\a\b\x1b\x1b\f\n\r\t\v";
  const char c = text[at];
  std::uint32_t value = 0;
  if (c >= '0' && c <= '7') {
    // $'\101' has three octal digits; echo -e '\0101' has a zero before them.
    if (ReadNumber(text, at, c == '0' ? 4 : 3, 8, value)) AppendUtf8(out, value & 0xFFU);
    return;
  }
  ++at;
  if (c == 'x' || c == 'u' || c == 'U') {
    const std::size_t digits = c == 'x' ? 2 : (c == 'u' ? 4 : 8);
    if (ReadNumber(text, at, digits, 16, value)) AppendUtf8(out, value);
    return;
  }
  const std::size_t letter = kLetters.find(c);
  if (letter != std::string_view::npos) {
    out.push_back(kMeanings[letter]);
  } else if (c == 'c' && at < text.size()) {
    out.push_back(static_cast<char>(static_cast<unsigned char>(text[at++]) & 0x1FU));
  } else if (c == '\\' || c == '\'' || c == '"' || c == '?') {
    out.push_back(c);
  } else {
    out.push_back('\\');
    out.push_back(c);
  }
}

}  // namespace

Word Word::OfText(std::string_view text) {
  Word word;
  word.AddText(text);
  return word;
}

Word Word::Unknown(std::string_view name, Origins origins) {
  Word word;
  word.Add(Piece{Piece::Kind::kUnknown, false, false, origins, std::string(name)});
  return word;
}

void Word::AddText(std::string_view text) {
  const bool joins = !pieces_.empty() && pieces_.back().kind == Piece::Kind::kText;
  if (!joins || size_ + text.size() > kMaxWord) {
    Add(Piece{.text = std::string(text)});
    return;
  }
  size_ += text.size();
  pieces_.back().text += text;
}

void Word::AddGlob(std::string_view text) {
  Add(Piece{.kind = Piece::Kind::kGlob, .text = std::string(text)});
}

bool IsCut(const Piece& piece) {
  return piece.kind == Piece::Kind::kUnknown && piece.text == kCutOff;
}

void Word::Add(Piece piece) {
  if (size_ > kMaxWord) return;
  size_ += piece.text.size() + 1;
  if (size_ > kMaxWord) piece = Piece{.kind = Piece::Kind::kUnknown, .text = std::string(kCutOff)};
  const bool joins = !pieces_.empty() && piece.kind == Piece::Kind::kText &&
                     pieces_.back().kind == Piece::Kind::kText;
  if (joins) {
    pieces_.back().text += piece.text;
  } else {
    pieces_.push_back(std::move(piece));
  }
}

void Word::Add(const Word& other) {
  for (const Piece& piece : other.pieces_) Add(piece);
}

bool Word::IsConstant() const {
  return std::all_of(pieces_.begin(), pieces_.end(), [](const Piece& piece) {
    return piece.kind == Piece::Kind::kText || piece.kind == Piece::Kind::kGlob;
  });
}

std::optional<std::string> Word::Constant() const {
  if (!IsConstant()) return std::nullopt;
  return Lead();
}

bool Word::Is(std::string_view text) const {
  if (pieces_.empty()) return text.empty();
  if (pieces_.size() == 1 && pieces_[0].text.size() != text.size()) return false;
  return IsConstant() && Lead() == text;
}

std::string Word::Lead() const {
  std::string lead;
  for (const Piece& piece : pieces_) {
    if (piece.kind != Piece::Kind::kText && piece.kind != Piece::Kind::kGlob) break;
    lead += piece.text;
  }
  return lead;
}

bool Word::HasGlob() const {
  return std::any_of(pieces_.begin(), pieces_.end(),
                     [](const Piece& piece) { return piece.kind == Piece::Kind::kGlob; });
}

Origins Word::origins() const {
  Origins all = kPlain;
  for (const Piece& piece : pieces_) all |= piece.origins;
  return all;
}

std::string Word::Shown() const {
  std::string shown;
  for (const Piece& piece : pieces_) {
    if (piece.kind == Piece::Kind::kHome) {
      shown += "~";
    } else if (piece.kind == Piece::Kind::kUnknown) {
      shown += "$" + piece.text;
    } else {
      shown += piece.text;
    }
  }
  return shown;
}

Stream Stream::OfText(std::string text) {
  Stream stream;
  stream.fed = true;
  stream.text = std::move(text);
  return stream;
}

Stream Stream::Of(Origins origins) {
  Stream stream;
  stream.fed = true;
  stream.origins = origins;
  return stream;
}

void Stream::Append(const Stream& other) {
  const bool silent = other.text && other.text->empty();
  if (!fed || (text && text->empty() && !silent)) {
    const bool was_fed = fed;
    *this = other;
    fed |= was_fed;
    return;
  }
  if (!other.fed || silent) return;
  origins |= other.origins;
  parts.reset();
  if (text && other.text && text->size() + other.text->size() < kMaxWord) {
    *text += *other.text;
  } else {
    text.reset();
  }
  never_empty |= other.never_empty;
  if (lead != other.lead) lead.clear();
}

std::string Unescape(std::string_view text) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (text[at] != '\\' || at + 1 == text.size()) {
      out.push_back(text[at++]);
      continue;
    }
    UnescapeOne(text, ++at, out);
  }
  return out;
}

bool IsListed(std::string_view list, std::string_view name) {
  if (name.empty() || name.find(' ') != std::string_view::npos) return false;
  for (std::size_t at = list.find(name); at != std::string_view::npos;
       at = list.find(name, at + 1)) {
    const std::size_t end = at + name.size();
    const bool starts = at == 0 || list[at - 1] == ' ';
    if (starts && (end == list.size() || list[end] == ' ')) return true;
  }
  return false;
}

std::vector<std::string_view> SplitAt(std::string_view text, std::string_view separators) {
  std::vector<std::string_view> parts;
  while (!text.empty()) {
    const std::size_t start = text.find_first_not_of(separators);
    if (start == std::string_view::npos) break;
    text.remove_prefix(start);
    const std::size_t end = std::min(text.find_first_of(separators), text.size());
    parts.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return parts;
}

}  // namespace belljar::judgement::analysis::shell
