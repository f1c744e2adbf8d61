#include "judgement/redaction/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>

namespace belljar::judgement::redaction {
namespace {

constexpr std::uint32_t kMaxAnchorBytes = 12;
// Anchors stop after this many literal bytes: more literals cost nothing, but character classes
// cost automaton states.
constexpr std::uint32_t kEnoughLiteralBytes = 5;

struct Macro {
  std::string_view name;
  std::string_view text;
};
constexpr Macro kMacros[] = {
    {"%x", "[0-9a-f]"},
    {"%X", "[0-9A-Fa-f]"},
    {"%w", "[A-Za-z0-9]"},
    {"%u", "[A-Za-z0-9_-]"},
    {"%6", "[A-Za-z0-9+/]"},
    {"%d", "[0-9]"},
    {"%U", "[A-Z0-9]"},
    {"%i", "[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"},
    {"%=", R"([A-Za-z0-9_.-]{0,32}["'\]\\`]{0,4}\s{0,16}[:=][>=]{0,1}\s{0,16}["'\\`]{0,4})"},
    {"%q", R"([A-Za-z0-9_.-]{0,32}["'\]\\`]{0,4}\s{0,16}[:=][>=]{0,1}\s{0,16}[\\]{0,3}["'`])"},
    {"%!", R"((?: |:|=|"|'|_)[\s"'\]\\`:=>,\(#]{0,15})"},
    {"%~", R"([A-Za-z0-9_.-]{0,32}[\s"'\]\\`:=>,\(]{1,16})"},
};

std::string ExpandMacros(std::string_view pattern) {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const auto macro = std::find_if(std::begin(kMacros), std::end(kMacros), [&](const Macro& m) {
      return pattern.substr(i).starts_with(m.name);
    });
    if (macro == std::end(kMacros) || (i > 0 && pattern[i - 1] == '\\')) {
      text += pattern[i];
    } else {
      text += macro->text;
      ++i;
    }
  }
  return text;
}

void AddRange(ByteSet& set, unsigned char first, unsigned char last) {
  for (unsigned byte = first; byte <= last; ++byte) set.Add(static_cast<unsigned char>(byte));
}

// Parses a pattern; reports its first mistake.
class Parser {
 public:
  Parser(std::string_view text, Case letter_case) : text_(text), case_(letter_case) {}

  Result<std::vector<Sequence>> Run() {
    std::vector<Sequence> all = {Sequence{}};
    while (at_ < text_.size() && problem_.empty()) ReadPart(all);
    if (all.size() > 64) problem_ = "too many alternatives";
    if (!problem_.empty()) {
      return Error(Kind::kInternal, fmt::format("pattern {}: {}", text_, problem_));
    }
    for (Sequence& sequence : all) {
      if (sequence.secret_last == 0) sequence.secret_last = sequence.items.size();
    }
    return all;
  }

 private:
  bool Take(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  void ReadPart(std::vector<Sequence>& all) {
    if (Take("(?:")) {
      ReadAlternatives(all);
    } else if (Take("(")) {
      for (Sequence& sequence : all) sequence.secret_first = sequence.items.size();
    } else if (Take(")")) {
      for (Sequence& sequence : all) sequence.secret_last = sequence.items.size();
    } else {
      const Item item = ReadItem();
      for (Sequence& sequence : all) sequence.items.push_back(item);
    }
  }

  void ReadAlternatives(std::vector<Sequence>& all) {
    std::vector<std::vector<Item>> choices(1);
    while (at_ < text_.size() && text_[at_] != ')' && problem_.empty()) {
      if (Take("|")) {
        choices.emplace_back();
      } else {
        choices.back().push_back(ReadItem());
      }
    }
    if (!Take(")")) problem_ = "a group is not closed";
    if (Take("?")) choices.emplace_back();
    std::vector<Sequence> longer;
    for (const Sequence& sequence : all) {
      for (const auto& choice : choices) {
        longer.push_back(sequence);
        longer.back().items.insert(longer.back().items.end(), choice.begin(), choice.end());
      }
    }
    all = std::move(longer);
  }

  Item ReadItem() {
    Item item;
    item.set = text_[at_] == '[' ? ReadClass() : ReadByte();
    if (case_ == Case::kAny) item.set = item.set.WithBothCases();
    ReadCount(item);
    return item;
  }

  void ReadCount(Item& item) {
    if (Take("?")) item.least = 0;
    if (Take("*")) item = {item.set, 0, kOpen};
    if (Take("+")) item = {item.set, 1, kOpen};
    if (!Take("{")) return;
    item.least = ReadNumber();
    item.most = item.least;
    if (Take(",")) item.most = text_[at_] == '}' ? kOpen : ReadNumber();
    if (!Take("}") || item.most < item.least || item.most == 0) problem_ = "a bad count";
  }

  std::uint32_t ReadNumber() {
    std::uint32_t number = 0;
    const char* const first = text_.data() + at_;
    const auto read = std::from_chars(first, text_.data() + text_.size(), number);
    if (read.ec != std::errc()) problem_ = "a number is missing";
    at_ += static_cast<std::size_t>(read.ptr - first);
    return number;
  }

  // Reads one byte or one escape.
  ByteSet ReadByte() {
    ByteSet set;
    const char byte = text_[at_++];
    if (byte != '\\') {
      set.Add(static_cast<unsigned char>(byte));
      return set;
    }
    if (at_ >= text_.size()) {
      problem_ = "it ends in a backslash";
      return set;
    }
    const char escape = text_[at_++];
    if (escape == 'd' || escape == 'w') AddRange(set, '0', '9');
    if (escape == 'w') {
      AddRange(set, 'A', 'Z');
      AddRange(set, 'a', 'z');
      set.Add('_');
    }
    if (escape == 's') AddRange(set, ' ', ' ');
    if (escape == 's' || escape == 't') set.Add('\t');
    if (escape == 'n') set.Add('\n');
    if (escape == 'r') set.Add('\r');
    if (escape == '0') set.Add('\0');
    if (escape == 'e') set.Add('\x1b');
    constexpr std::string_view kNamed = "dwstnr0e";
    if (!kNamed.contains(escape)) set.Add(static_cast<unsigned char>(escape));
    return set;
  }

  ByteSet ReadClass() {
    ByteSet set;
    ++at_;
    const bool inverted = Take("^");
    while (at_ < text_.size() && text_[at_] != ']') {
      if (at_ + 2 < text_.size() && text_[at_ + 1] == '-' && text_[at_ + 2] != ']' &&
          text_[at_] != '\\') {
        AddRange(set, static_cast<unsigned char>(text_[at_]),
                 static_cast<unsigned char>(text_[at_ + 2]));
        at_ += 3;
      } else {
        set.Add(ReadByte());
      }
    }
    if (!Take("]")) problem_ = "a class is not closed";
    if (inverted) set.Invert();
    return set;
  }

  std::string_view text_;
  Case case_;
  std::size_t at_ = 0;
  std::string problem_;
};

bool IsLiteral(const Item& item, Case letter_case) {
  return item.set.Count() <= (letter_case == Case::kAny ? 2 : 1);
}

std::string ClassText(const ByteSet& set) {
  std::string text = "[";
  for (unsigned first = 0; first < 256; ++first) {
    if (!set.Has(static_cast<unsigned char>(first))) continue;
    unsigned last = first;
    while (last < 255 && set.Has(static_cast<unsigned char>(last + 1))) ++last;
    text += fmt::format("\\x{:02x}-\\x{:02x}", first, last);
    first = last;
  }
  return text + "]";
}

// Chooses the anchor: the items before the secret if they are specific enough, otherwise also the
// beginning of the secret.
void DeriveAnchor(Sequence& sequence, Case letter_case) {
  const auto& items = sequence.items;
  sequence.has_lead = items[0].least != items[0].most || items[0].least > kMaxAnchorBytes;
  std::uint32_t literal = 0;
  for (std::size_t i = sequence.has_lead ? 1 : 0; i < items.size(); ++i) {
    if (i >= sequence.secret_first && literal >= 3 && sequence.secret_first > 0) break;
    if (literal >= kEnoughLiteralBytes && !IsLiteral(items[i], letter_case)) break;
    // Only such bytes are held back while an anchor is incomplete.
    if (i >= sequence.secret_first && !items[i].set.Within(TokenBytes())) break;
    const std::uint32_t room = kMaxAnchorBytes - sequence.anchor_bytes;
    const std::uint32_t count = std::min(items[i].least, room);
    if (count == 0) break;
    sequence.anchor.push_back({items[i].set, count, count});
    sequence.anchor_bytes += count;
    if (IsLiteral(items[i], letter_case)) literal += count;
    if (items[i].least != items[i].most || count < items[i].least) break;
  }
}

}  // namespace

std::string AnchorText(const std::vector<Item>& anchor) {
  std::string text;
  for (const Item& item : anchor) text += ClassText(item.set) + fmt::format("{{{}}}", item.least);
  return text;
}

ByteSet ByteSet::WithBothCases() const {
  ByteSet both = *this;
  for (unsigned char lower = 'a'; lower <= 'z'; ++lower) {
    const auto upper = static_cast<unsigned char>(lower - 'a' + 'A');
    if (Has(lower)) both.Add(upper);
    if (Has(upper)) both.Add(lower);
  }
  return both;
}

int ByteSet::Count() const {
  int count = 0;
  for (const std::uint64_t word : words_) count += std::popcount(word);
  return count;
}

void ByteSet::Add(const ByteSet& other) {
  for (std::size_t i = 0; i < words_.size(); ++i) words_[i] |= other.words_[i];
}

bool ByteSet::Within(const ByteSet& other) const {
  for (std::size_t i = 0; i < words_.size(); ++i) {
    if ((words_[i] & ~other.words_[i]) != 0) return false;
  }
  return true;
}

Result<std::vector<Sequence>> ParsePattern(std::string_view pattern, Case letter_case) {
  const std::string text = ExpandMacros(pattern);
  auto sequences = BJ_TRY(Parser(text, letter_case).Run());
  for (Sequence& sequence : sequences) {
    if (sequence.items.empty()) return Error(Kind::kInternal, "a pattern is empty");
    DeriveAnchor(sequence, letter_case);
    for (std::size_t i = 0; i < sequence.items.size(); ++i) {
      Item& item = sequence.items[i];
      if (item.most == kOpen && i + 1 < sequence.items.size()) item.most = kMaxInnerBytes;
    }
  }
  return sequences;
}

const ByteSet& TokenBytes() {
  static const ByteSet kSet = [] {
    ByteSet set;
    AddRange(set, '0', '9');
    AddRange(set, 'A', 'Z');
    AddRange(set, 'a', 'z');
    for (const unsigned char byte : {'_', '.', '+', '-', '~', '/', '@', ':'}) set.Add(byte);
    return set;
  }();
  return kSet;
}

}  // namespace belljar::judgement::redaction
