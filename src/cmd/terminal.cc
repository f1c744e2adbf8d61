#include "cmd/terminal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "base/sys.h"
#include "base/text.h"

namespace belljar::cmd {
namespace {

// How many bytes at the end may be the beginning of a character.
std::size_t OpenEnd(std::string_view bytes) {
  const std::size_t bad = FindInvalidUtf8(bytes);
  if (bad == std::string_view::npos || bytes.size() - bad > 3) return 0;
  const bool all_tail = std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(bad) + 1,
                                    bytes.end(), [](char c) { return (c & 0xC0) == 0x80; });
  const auto lead = static_cast<unsigned char>(bytes[bad]);
  return all_tail && lead >= 0xC2 && lead <= 0xF4 ? bytes.size() - bad : 0;
}

// Marks and overrides of direction, and the line separators no terminal agrees on.
bool TurnsText(char32_t point) {
  return (point >= 0x200E && point <= 0x200F) || (point >= 0x2028 && point <= 0x202E) ||
         (point >= 0x2066 && point <= 0x2069) || point == 0x061C;
}

bool IsControl(char32_t point) {
  return (point < 0x20 && point != '\n' && point != '\t') || (point >= 0x7F && point < 0xA0);
}

char32_t Decode(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return lead;
  char32_t point = lead & (0xFFU >> (character.size() + 1));
  for (const char tail : character.substr(1)) {
    point = (point << 6) | (static_cast<unsigned char>(tail) & 0x3FU);
  }
  return point;
}

std::size_t LengthOf(char lead) {
  const auto byte = static_cast<unsigned char>(lead);
  if (byte < 0x80) return 1;
  if (byte < 0xE0) return 2;
  return byte < 0xF0 ? 3 : 4;
}

}  // namespace

std::string MakeVisible(std::string_view bytes) {
  const std::string clean = ToValidUtf8(bytes).text;
  std::string visible;
  for (std::size_t i = 0; i < clean.size();) {
    const std::string_view character = std::string_view(clean).substr(i, LengthOf(clean[i]));
    const char32_t point = Decode(character);
    if (IsControl(point)) {
      visible += fmt::format("\\x{:02x}", static_cast<std::uint32_t>(point));
    } else if (TurnsText(point)) {
      visible += fmt::format("\\u{:04x}", static_cast<std::uint32_t>(point));
    } else {
      visible += character;
    }
    i += character.size();
  }
  return visible;
}

TerminalOutput::TerminalOutput() {
  for (int fd = 1; fd <= 2; ++fd) is_terminal_[static_cast<std::size_t>(fd)] = ::isatty(fd) == 1;
}

void TerminalOutput::Flush(int fd, std::string_view text) {
  const Fd out(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
  // A reader that has gone does not end the run; its result still counts.
  static_cast<void>(static_cast<bool>(WriteAll(out, text, "output")));
}

void TerminalOutput::Write(int fd, std::string_view bytes) {
  const auto index = static_cast<std::size_t>(fd);
  if (!is_terminal_[index]) {
    Flush(fd, bytes);
    return;
  }
  std::string all = std::move(held_[index]) + std::string(bytes);
  const std::size_t open = OpenEnd(all);
  held_[index] = all.substr(all.size() - open);
  all.resize(all.size() - open);
  Flush(fd, MakeVisible(all));
}

void TerminalOutput::Finish() {
  for (int fd = 1; fd <= 2; ++fd) {
    const std::string rest = std::exchange(held_[static_cast<std::size_t>(fd)], {});
    if (!rest.empty()) Flush(fd, MakeVisible(rest));
  }
}

}  // namespace belljar::cmd
