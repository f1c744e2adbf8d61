#include "door/cli/output_pump.h"

#include <limits.h>

#include <algorithm>
#include <string_view>

namespace belljar::door::cli {

void OutputPump::Push(int fd, std::string bytes) {
  if (!bytes.empty()) pieces_.emplace_back(fd, std::move(bytes));
}

void OutputPump::WriteSome() {
  if (pieces_.empty()) return;
  const auto& [fd, bytes] = pieces_.front();
  const std::string_view piece = std::string_view(bytes).substr(written_, PIPE_BUF);
  terminal_.Write(fd, piece);
  written_ += piece.size();
  if (written_ < bytes.size()) return;
  pieces_.pop_front();
  written_ = 0;
}

void OutputPump::Finish() {
  while (!pieces_.empty()) WriteSome();
  terminal_.Finish();
}

}  // namespace belljar::door::cli
