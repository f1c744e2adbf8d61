// Plain values that describe sessions: a caller's wishes, and the information that it gets.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "request/backend.h"
#include "request/request.h"

namespace belljar::run {

// The parameters of a new session, from its caller.
struct SessionWish {
  std::string name;        // optional; another handle, unique among the caller's sessions
  request::Request shape;  // language, image, limits, environment, first files
  std::chrono::milliseconds idle{15 * 60 * 1000};        // time to live between runs
  std::optional<std::chrono::milliseconds> wall_budget;  // for all runs together
  std::optional<std::chrono::milliseconds> cpu_budget;
  std::shared_ptr<void> holds;              // released when the session is gone
  std::string correlation_id, traceparent;  // trace context from the caller
};

enum class SessionState { kIdle, kRunning, kPaused, kEnded };
std::string_view SessionStateName(SessionState state);

struct SessionInfo {
  std::string id;
  std::string name;
  std::string caller;
  request::Lang lang = request::Lang::kPython;
  std::string image;
  request::BackendKind backend = request::BackendKind::kNative;
  std::string level;  // as requested; empty: the policy's
  SessionState state = SessionState::kIdle;
  std::string ended_because;  // one sentence, once it has ended
  bool ended_by_caller = false;
  std::chrono::system_clock::time_point created;
  std::chrono::system_clock::time_point last_used;
  std::uint64_t runs = 0;
  std::chrono::milliseconds wall_used{0};
  std::chrono::milliseconds cpu_used{0};
  std::string correlation_id, traceparent;  // of the request that created or ended it
};

// A state that a session can return to, and that other sessions can start from.
struct CheckpointInfo {
  std::string id;
  std::chrono::system_clock::time_point created;
  std::uint64_t runs = 0;          // runs of the session up to this point
  std::uint64_t memory_bytes = 0;  // of the interpreter
  std::uint64_t file_bytes = 0;    // of the workspace
  std::size_t files = 0;
};

struct SessionBounds {
  std::size_t sessions = 5'000;    // living sessions of all callers
  std::size_t waiting_runs = 16;   // per session
  std::size_t remembered = 1'000;  // ended sessions
  std::size_t checkpoints = 32;    // per session
  std::size_t branches = 100;      // sessions created by one fork
};

}  // namespace belljar::run
