// What an engine is made with, and where its requests come from. Plain values.
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

// What requests are judged by.
struct Terms {
  std::optional<judgement::policy::Policy>
      own;  // of requests that name no level; none: the default preset
  std::vector<std::string> levels{request::kLevels.begin(), request::kLevels.end()};  // to be named
};

// Where a request came from, for the record.
struct Origin {
  std::string caller;
  std::string run_id;
  std::string session_id;
  std::string correlation_id;
  std::string traceparent;
  std::string skill;  // that it is a run of; empty: of none
  std::int64_t skill_version = 0;
};

// That a run did not end well, for those whom the policy names.
struct Alert {
  std::vector<std::string> places;  // "log", and addresses of webhooks
  Origin origin;
  json::object says;
};

struct Options {
  std::string state_dir;
  Terms terms;                             // what requests are judged by
  std::size_t pool_target = 0;             // 0: no pool; each cell is built for its request
  WallOptions walls;                       // besides the kernel's
  std::string switch_off;                  // names of controls, comma-separated; belljar-loose only
  std::set<std::string> allow_unenforced;  // limits that may be missing on this machine
  record::Log* log = nullptr;              // null: nothing is recorded; must outlive the engine
  ApprovalSource* approvals = nullptr;     // null: nobody can be asked; likewise
  // Each cell is built while its request is judged: for a process that has one request to run.
  bool build_ahead = false;
  std::function<std::string(const Alert&)> on_alert;  // what became of it; null: nobody is told
  // What one that ended without order had left, and what became of it: at the start, and when a
  // backend is first used that keeps anything. Null: nobody is told. Any thread.
  std::function<void(const std::string& sentence)> on_recovered;
  // What programs that serve tools write to their standard error; null: nobody is told.
  std::function<void(const std::string& server, std::string_view line)> on_tool_log;
};

}  // namespace belljar::run
