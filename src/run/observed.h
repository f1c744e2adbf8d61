// Observed: what the supervisor saw of a run, from which its verdict is made.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/safe_text.h"
#include "guest/session_dialogue.h"
#include "guest/wire.h"
#include "monitor/meter.h"
#include "monitor/watch.h"
#include "redact/redactor.h"
#include "result/capture.h"
#include "result/clean.h"
#include "result/workspace.h"

namespace belljar::engine {

// `report`, `displays` and `said_exit_code` are the guest's own word.
struct Observed {
  explicit Observed(const policy::Limits& limits,
                    std::shared_ptr<const redact::Redactor> redactor = nullptr,
                    TextMode text = TextMode::kRaw)
      : capture(limits), cleaner(std::move(redactor), text) {}

  monitor::WatchEnd end;
  monitor::Reading reading;
  bool sampled = false;  // without counters: what the kernel refuses, nobody counts
  result::Capture capture;
  result::Cleaner cleaner;
  std::array<std::string, 2> shown;  // of the two streams, what may leave
  guest::GuestReport report;
  std::vector<guest::Display> displays;         // in a session
  std::optional<std::uint64_t> processes_left;  // beside the program, when it ended by itself
  std::uint64_t network_requests = 0;
  std::uint64_t used_before = 0;                 // bytes of the workspace that are not this run's
  std::optional<int> said_exit_code;             // in a session, whose process has not ended
  std::optional<result::Listing> left;           // what its workspace held after it
  std::optional<std::uint64_t> size_when_empty;  // of the workspace: result::SizeWhenEmpty
};

}  // namespace belljar::engine
