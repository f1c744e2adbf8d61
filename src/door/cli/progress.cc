#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "door/cli/command.h"

namespace belljar::door::cli {

cell::image::OnProgress ProgressLine() {
  using Clock = std::chrono::steady_clock;
  struct State {
    bool terminal = ::isatty(2) == 1;
    Clock::time_point last{};
    std::string stage;
  };
  return [state = std::make_shared<State>()](const cell::image::Progress& progress) {
    const auto now = Clock::now();
    const bool new_stage = state->stage != progress.stage;
    const auto pause = state->terminal ? std::chrono::milliseconds(100) : std::chrono::seconds(2);
    const bool last = progress.total_files > 0 && progress.files == progress.total_files;
    if (!new_stage && !last && now - state->last < pause) return;
    state->last = now;
    state->stage = progress.stage;
    const std::string count =
        progress.total_files > 0
            ? fmt::format(" {} of {} files", progress.files, progress.total_files)
            : std::string();
    fmt::print(stderr, "{}image: {}{}, {:.0f} MB{}", state->terminal ? "\r\x1b[K" : "",
               progress.stage, count, static_cast<double>(progress.bytes) / 1e6,
               state->terminal && !progress.is_last ? "" : "\n");
    std::fflush(stderr);
  };
}

}  // namespace belljar::door::cli
