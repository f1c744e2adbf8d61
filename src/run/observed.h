// Observed: the supervisor's observations of a run, from which the verdict is made.
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

// `report`, `displays` and `said_exit_code` come from the guest and are not trusted.
struct Observed {
  explicit Observed(const request::Limits& limits,
                    std::shared_ptr<const judgement::redaction::Redactor> redactor = nullptr,
                    TextMode text = TextMode::kRaw)
      : capture(limits), cleaner(std::move(redactor), text) {}

  cell::limits::WatchEnd end;
  cell::limits::Reading reading;
  // No cgroup counters: usage was sampled, and refusals by the kernel are not counted.
  bool sampled = false;
  Capture capture;
  Cleaner cleaner;
  std::array<std::string, 2> shown;  // redacted text of the two streams
  cell::guest::GuestReport report;
  std::vector<cell::guest::Display> displays;  // in a session
  // Other processes left when the program ended by itself.
  std::optional<std::uint64_t> processes_left;
  std::uint64_t network_requests = 0;
  std::uint64_t used_before = 0;                 // bytes used in the workspace before the run
  std::optional<int> said_exit_code;             // in a session, where the process goes on
  std::optional<Listing> left;                   // workspace contents after the run
  std::optional<std::uint64_t> size_when_empty;  // of the workspace, from SizeWhenEmpty()
};

}  // namespace belljar::run
