#include "foundation/schema/pattern.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <optional>

#include "foundation/schema/schema.h"
#include "foundation/schema/value.h"

namespace belljar::schema {
namespace {

// JavaScript's \s and \S as contents of a bracket expression.
constexpr std::string_view kBlanks =
    R"(\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff})";
constexpr std::string_view kNoBlanks =
    R"(\x{0}-\x{8}\x{e}-\x{1f}!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027})"
    R"(\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff})";
constexpr std::string_view kAnyButLineEnds = R"([^\n\r\x{2028}\x{2029}])";
constexpr std::size_t kMostMemory = 1 << 20;

bool IsLetterOrDigit(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

std::optional<unsigned> HexOf(std::string_view digits) {
  unsigned number = 0;
  if (digits.empty() || digits.size() > 6) return std::nullopt;
  for (const char c : digits) {
    const std::size_t value = std::string_view("0123456789abcdef")
                                  .find(c >= 'A' && c <= 'F' ? static_cast<char>(c + 32) : c);
    if (value == std::string_view::npos) return std::nullopt;
    number = number * 16 + static_cast<unsigned>(value);
  }
  return number;
}

class Translation {
 public:
  explicit Translation(std::string_view ecma) : rest_(ecma) {}

  Result<std::string> Run() {
    while (!rest_.empty()) {
      if (in_brackets_) {
        BJ_TRY(InBrackets());
      } else {
        BJ_TRY(Outside());
      }
    }
    if (in_brackets_) return Bad("has a [ without its ]");
    return std::move(re2_);
  }

 private:
  static Error Bad(std::string_view what) {
    return Error(Kind::kInvalid, "the pattern " + std::string(what));
  }
  char Next() {
    const char c = rest_.front();
    rest_.remove_prefix(1);
    return c;
  }
  bool Eat(std::string_view text) {
    if (!rest_.starts_with(text)) return false;
    rest_.remove_prefix(text.size());
    return true;
  }

  // The next `count` characters, or "" if fewer are left.
  std::string_view Digits(std::size_t count) const {
    return rest_.size() < count ? "" : rest_.substr(0, count);
  }

  Result<> Outside() {
    if (Eat("\\")) return Escape();
    if (Eat("(?")) return Group();
    if (Eat("[]") || Eat("[^]")) return Bad("has empty brackets; write [\\s\\S] for anything");
    if (Eat("[^")) return OpenBrackets("[^");
    if (Eat("[")) return OpenBrackets("[");
    if (Eat(".")) {
      re2_ += kAnyButLineEnds;
      return {};
    }
    re2_ += Next();
    return {};
  }

  Result<> OpenBrackets(std::string_view opening) {
    in_brackets_ = true;
    re2_ += opening;
    return {};
  }

  Result<> InBrackets() {
    if (Eat("\\")) return Escape();
    const char c = Next();
    in_brackets_ = c != ']';
    // Escaped, because RE2 would read [[:alpha:]] as a POSIX class.
    if (c == '[') re2_ += '\\';
    re2_ += c;
    return {};
  }

  Result<> Group() {
    if (Eat(":")) {
      re2_ += "(?:";
      return {};
    }
    if (rest_.starts_with("<=") || rest_.starts_with("<!") || !Eat("<")) {
      return Bad("looks ahead or behind, or sets flags, which this version cannot do");
    }
    re2_ += "(?P<";
    return {};
  }

  Result<> Escape() {
    if (rest_.empty()) return Bad("ends with a backslash");
    const char c = Next();
    if (static_cast<unsigned char>(c) >= 0x80 || !IsLetterOrDigit(c)) {
      // A non-ASCII character is copied unescaped: a backslash would split its bytes.
      if (static_cast<unsigned char>(c) < 0x80) re2_ += '\\';
      re2_ += c;
      return {};
    }
    if (c == 's' || c == 'S') return Blank(c == 's' ? kBlanks : kNoBlanks);
    if (c == 'u') return Unicode();
    if (c == 'x') return Add(HexOf(Digits(2)), 2, "\\x");
    if (c == 'b' && in_brackets_) return Add(8U, 0, "\\b");
    if (c == '0' && (rest_.empty() || rest_[0] < '0' || rest_[0] > '9')) return Add(0U, 0, "\\0");
    if (c == 'c' && !rest_.empty() && IsLetterOrDigit(rest_[0]) && rest_[0] > '9') {
      return Add(static_cast<unsigned>(rest_[0]) % 32, 1, "\\c");
    }
    constexpr std::string_view kSame = "dDwWnrtfvpP";
    const bool edge = !in_brackets_ && (c == 'b' || c == 'B');
    if (!edge && kSame.find(c) == std::string_view::npos) {
      return Bad(fmt::format("has the escape \\{}, which this version does not know", c));
    }
    re2_ += '\\';
    re2_ += c;
    return {};
  }

  Result<> Blank(std::string_view set) {
    re2_ += in_brackets_ ? std::string(set) : fmt::format("[{}]", set);
    return {};
  }

  Result<> Add(std::optional<unsigned> point, std::size_t used, std::string_view what) {
    if (!point || *point > 0x10FFFF || (*point >= 0xD800 && *point <= 0xDFFF)) {
      return Bad(fmt::format("has {} without a character after it", what));
    }
    rest_.remove_prefix(std::min(used, rest_.size()));
    re2_ += fmt::format("\\x{{{:x}}}", *point);
    return {};
  }

  Result<> Unicode() {
    if (rest_.starts_with("{")) {
      const std::size_t end = std::min(rest_.find('}'), rest_.size());
      return Add(HexOf(rest_.substr(1, end - 1)), end + 1, "\\u{");
    }
    const auto first = HexOf(Digits(4));
    if (!first || *first < 0xD800 || *first > 0xDBFF) return Add(first, 4, "\\u");
    const bool more = rest_.size() >= 10 && rest_.substr(4, 2) == "\\u";
    const auto second = more ? HexOf(rest_.substr(6, 4)) : std::nullopt;
    if (!second || *second < 0xDC00 || *second > 0xDFFF) return Add(std::nullopt, 0, "\\u");
    return Add(0x10000 + ((*first - 0xD800) << 10) + (*second - 0xDC00), 10, "\\u");
  }

  std::string_view rest_;
  std::string re2_;
  bool in_brackets_ = false;
};

}  // namespace

Pattern::Pattern(std::string text, std::unique_ptr<re2::RE2> compiled)
    : text_(std::move(text)), compiled_(std::move(compiled)) {}
Pattern::Pattern(Pattern&&) noexcept = default;
Pattern& Pattern::operator=(Pattern&&) noexcept = default;
Pattern::~Pattern() = default;

Result<Pattern> Pattern::Create(std::string_view ecma) {
  if (ecma.size() > kMaxPatternBytes) {
    return Error(Kind::kInvalid, fmt::format("the pattern has {} bytes; at most {} are allowed",
                                             ecma.size(), kMaxPatternBytes));
  }
  const std::string translated = BJ_TRY(Translation(ecma).Run());
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(kMostMemory);
  auto compiled = std::make_unique<re2::RE2>(translated, options);
  if (!compiled->ok()) {
    return Error(Kind::kInvalid, fmt::format("the pattern {} cannot be used: {}", Shown(ecma),
                                             OneLine(compiled->error().substr(0, 200))));
  }
  return Pattern(std::string(ecma), std::move(compiled));
}

bool Pattern::Finds(std::string_view text) const {
  return re2::RE2::PartialMatch({text.data(), text.size()}, *compiled_);
}

std::size_t Pattern::CostOf(std::size_t bytes) const {
  const auto size = static_cast<std::size_t>(std::max(compiled_->ProgramSize(), 1));
  return 1 + bytes / 2 * (1 + size / 64);
}

}  // namespace belljar::schema
