// The options an engine is created with, and the origin of its requests. Plain values.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/json.h"
#include "judgement/policy/policy.h"
#include "record/log.h"
#include "run/approval_source.h"
#include "run/walls.h"

namespace belljar::run {

// The policies that requests are judged by.
struct Terms {
  std::optional<judgement::policy::Policy>
      own;  // for requests that name no level; unset: the default preset
  // Levels a request may name.
  std::vector<std::string> levels{request::kLevels.begin(), request::kLevels.end()};
};

// Where a request came from; written into its record.
struct Origin {
  std::string caller;
  std::string run_id;
  std::string session_id;
  std::string correlation_id;
  std::string traceparent;
  std::string skill;  // the skill that this run executes; empty: none
  std::int64_t skill_version = 0;
};

// A notice that a run failed, for the recipients named in the policy.
struct Alert {
  std::vector<std::string> places;  // "log", and addresses of webhooks
  Origin origin;
  json::object says;
};

struct Options {
  std::string state_dir;
  Terms terms;                             // policies that requests are judged by
  std::size_t pool_target = 0;             // 0: no pool; each cell is built for its request
  WallOptions walls;                       // options of the gVisor and Docker backends
  std::string switch_off;                  // names of controls, comma-separated; belljar-loose only
  std::set<std::string> allow_unenforced;  // limits that may be missing on this machine
  record::Log* log = nullptr;              // null: nothing is recorded; must outlive the engine
  ApprovalSource* approvals = nullptr;  // null: approvals are unavailable; must outlive the engine
  // Builds the cell while its request is judged; for a process that runs a single request.
  bool build_ahead = false;
  // Returns the delivery result; null: no alerts are sent.
  std::function<std::string(const Alert&)> on_alert;
  // Receives one sentence for each leftover of a crashed process and how it was cleaned up. Called
  // at startup, and when a backend that keeps state is first used. May be null. Called on any
  // thread.
  std::function<void(const std::string& sentence)> on_recovered;
  // Receives the standard error of MCP servers, line by line; null: it is dropped.
  std::function<void(const std::string& server, std::string_view line)> on_tool_log;
};

}  // namespace belljar::run
