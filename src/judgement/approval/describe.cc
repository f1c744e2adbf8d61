#include "judgement/approval/describe.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "foundation/base/text.h"
#include "record/entry.h"

namespace belljar::judgement::approval {
namespace {

struct Span {
  char32_t first, last;
};

// Sorted ranges: characters that terminals act on, that reverse text, or that have no width.
constexpr std::array<Span, 26> kHidden = {{
    {0x00, 0x1F},        // C0
    {0x7F, 0x9F},        // DEL, C1
    {0xAD, 0xAD},        // soft hyphen
    {0x34F, 0x34F},      // grapheme joiner
    {0x61C, 0x61C},      // Arabic letter mark
    {0x115F, 0x1160},    // Hangul fillers
    {0x17B4, 0x17B5},    // Khmer inherent vowels
    {0x180B, 0x180F},    // Mongolian selectors
    {0x200B, 0x200F},    // zero width, directional marks
    {0x2028, 0x202E},    // separators, embeddings and overrides
    {0x2060, 0x206F},    // joiners, isolates, invisible operators
    {0x2800, 0x2800},    // empty Braille pattern
    {0x3164, 0x3164},    // Hangul filler
    {0xE000, 0xF8FF},    // private use
    {0xFE00, 0xFE0F},    // variation selectors
    {0xFEFF, 0xFEFF},    // byte order mark
    {0xFFA0, 0xFFA0},    // Hangul filler
    {0xFFF0, 0xFFFC},    // annotations
    {0xFFFE, 0xFFFF},    // noncharacters
    {0x13430, 0x1345F},  // format controls of hieroglyphs
    {0x1BCA0, 0x1BCA3},  // shorthand format controls
    {0x1D159, 0x1D159},  // empty note head
    {0x1D173, 0x1D17A},  // musical format controls
    {0xE0000, 0xE0FFF},  // tags, more variation selectors
    {0xF0000, 0xFFFFF},  // private use
    {0x100000, 0x10FFFF},
}};

bool IsHidden(char32_t point) {
  const auto* const at =
      std::lower_bound(kHidden.begin(), kHidden.end(), point,
                       [](const Span& span, char32_t value) { return span.last < value; });
  return at != kHidden.end() && at->first <= point;
}

struct Character {
  char32_t point;
  std::size_t bytes;
};

// Decodes the first character of a valid, non-empty UTF-8 text.
Character FirstOf(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (byte(0) < 0x80) return {byte(0), 1};
  const std::size_t bytes = byte(0) < 0xE0 ? 2 : byte(0) < 0xF0 ? 3 : 4;
  char32_t point = byte(0) & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) point = (point << 6) | (byte(i) & 0x3FU);
  return {point, bytes};
}

void AppendVisible(std::string& visible, std::string_view valid) {
  while (!valid.empty()) {
    const Character c = FirstOf(valid);
    const auto number = static_cast<std::uint32_t>(c.point);
    if (!IsHidden(c.point)) {
      visible += valid.substr(0, c.bytes);
    } else if (number < 0x100) {
      visible += fmt::format("\\x{:02x}", number);
    } else if (number < 0x10000) {
      visible += fmt::format("\\u{:04x}", number);
    } else {
      visible += fmt::format("\\U{:08x}", number);
    }
    valid.remove_prefix(c.bytes);
  }
}

// Tabs become four spaces, because a tab's width depends on the terminal.
std::string VisibleLine(std::string_view line) {
  std::string text;
  for (std::size_t tab = line.find('\t'); tab != std::string_view::npos; tab = line.find('\t')) {
    text += Visible(line.substr(0, tab)) + "    ";
    line.remove_prefix(tab + 1);
  }
  return text + Visible(line);
}

void AppendField(std::string& out, std::string_view name, std::string_view text) {
  if (!text.empty()) out += fmt::format("{:<10} {}\n", name, Visible(text));
}

void AppendList(std::string& out, std::string_view name, const std::vector<std::string>& items) {
  if (items.empty()) return;
  out += fmt::format("{}\n", name);
  for (const std::string& item : items) out += fmt::format("  - {}\n", Visible(item));
}

void AppendBlock(std::string& out, std::string_view name, std::string_view text) {
  out += fmt::format("{}\n", name);
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    out += fmt::format("  | {}\n", VisibleLine(text.substr(0, end)));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
}

}  // namespace

std::string Visible(std::string_view text) {
  std::string visible;
  while (!text.empty()) {
    const std::size_t good = std::min(FindInvalidUtf8(text), text.size());
    AppendVisible(visible, text.substr(0, good));
    text.remove_prefix(good);
    if (text.empty()) break;
    visible += fmt::format("\\x{:02x}", static_cast<unsigned char>(text[0]));
    text.remove_prefix(1);
  }
  return visible;
}

std::string Describe(const Question& question) {
  std::string out;
  AppendField(out, "Question", question.id);
  AppendField(out, "State", StateName(question.state));
  AppendField(out, "Why", WhyOf(question));
  AppendField(out, "Caller", question.caller);
  AppendField(out, "Session", question.session);
  AppendField(out, "Level", question.level);
  AppendField(out, "Language", question.lang);
  AppendField(out, "Digest", question.digest);
  AppendField(out, "Asked", record::TimeText(question.created_ms));
  AppendField(out, "Expires", record::TimeText(question.expires_ms));
  if (question.answer && question.answer->grant) {
    AppendField(out, "Grant",
                fmt::format("{}, until {}", GrantName(*question.answer->grant),
                            record::TimeText(question.answer->grant_expires_ms)));
  }
  AppendList(out, "Risks", question.risks);
  AppendList(out, "Touches", question.touches);
  AppendList(out, "Wishes", question.wishes);
  AppendBlock(out, "Reason, in the caller's words",
              question.reason.empty() ? "(none)" : question.reason);
  AppendBlock(out, question.subject_kind == SubjectKind::kCode ? "Code" : "Command",
              question.subject);
  if (question.cut_bytes > 0) {
    out += fmt::format("CUT: {} more bytes are not shown, and would be approved with the rest.\n",
                       question.cut_bytes);
  }
  return out;
}

std::string Summarize(const Question& question) {
  constexpr std::size_t kShownBytes = 60;
  std::string subject = Visible(question.subject.substr(0, kShownBytes));
  if (question.subject.size() > kShownBytes) subject += "...";
  return fmt::format("{}  {:<9}  {:<2}  {}  {}  {}", Visible(question.id),
                     StateName(question.state), Visible(question.level),
                     record::TimeText(question.created_ms), Visible(question.caller), subject);
}

}  // namespace belljar::judgement::approval
