#include "door/cli/terminal.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "foundation/base/sys.h"
#include "foundation/base/text.h"

namespace belljar::door::cli {
namespace {

// The number of bytes at the end that may be the beginning of a character.
std::size_t OpenEnd(std::string_view bytes) {
  const std::size_t bad = FindInvalidUtf8(bytes);
  if (bad == std::string_view::npos || bytes.size() - bad > 3) return 0;
  const bool all_tail = std::all_of(bytes.begin() + static_cast<std::ptrdiff_t>(bad) + 1,
                                    bytes.end(), [](char c) { return (c & 0xC0) == 0x80; });
  const auto lead = static_cast<unsigned char>(bytes[bad]);
  return all_tail && lead >= 0xC2 && lead <= 0xF4 ? bytes.size() - bad : 0;
}

}  // namespace

TerminalOutput::TerminalOutput() {
  for (int fd = 1; fd <= 2; ++fd) is_terminal_[static_cast<std::size_t>(fd)] = ::isatty(fd) == 1;
}

void TerminalOutput::Flush(int fd, std::string_view text) {
  const Fd out(::fcntl(fd, F_DUPFD_CLOEXEC, 3));
  // Write errors do not end the run; its result still counts.
  auto done = WriteAll(out, text, fd == 1 ? "standard output" : "standard error");
  if (!done && done.error().sys() != EPIPE && written_) written_ = std::move(done);
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

}  // namespace belljar::door::cli
