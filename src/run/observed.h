// Observed: what the supervisor saw of a run, from which its verdict is made.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cell/guest/protocol/session_dialogue.h"
#include "cell/guest/protocol/wire.h"
#include "cell/limits/meter.h"
#include "cell/limits/watch.h"
#include "foundation/base/safe_text.h"
#include "judgement/redaction/redactor.h"
#include "run/capture.h"
#include "run/clean.h"
#include "run/workspace.h"

namespace belljar::run {

// `report`, `displays` and `said_exit_code` are the guest's own word.
struct Observed {
  explicit Observed(const request::Limits& limits,
                    std::shared_ptr<const judgement::redaction::Redactor> redactor = nullptr,
                    TextMode text = TextMode::kRaw)
      : capture(limits), cleaner(std::move(redactor), text) {}

  cell::limits::WatchEnd end;
  cell::limits::Reading reading;
  bool sampled = false;  // without counters: what the kernel refuses, nobody counts
  Capture capture;
  Cleaner cleaner;
  std::array<std::string, 2> shown;  // of the two streams, what may leave
  cell::guest::GuestReport report;
  std::vector<cell::guest::Display> displays;   // in a session
  std::optional<std::uint64_t> processes_left;  // beside the program, when it ended by itself
  std::uint64_t network_requests = 0;
  std::uint64_t used_before = 0;                 // bytes of the workspace that are not this run's
  std::optional<int> said_exit_code;             // in a session, whose process has not ended
  std::optional<Listing> left;                   // what its workspace held after it
  std::optional<std::uint64_t> size_when_empty;  // of the workspace: SizeWhenEmpty
};

}  // namespace belljar::run
