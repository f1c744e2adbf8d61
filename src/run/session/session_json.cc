#include "run/session/session_json.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <string>

namespace belljar::run {
namespace {

// Formats a time: "2026-01-02T03:04:05.678Z".
std::string TimeText(std::chrono::system_clock::time_point time) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(time);
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(time - whole).count();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(whole)), millis);
}

}  // namespace

json::object ToJson(const CheckpointInfo& info) {
  return {{"id", info.id},
          {"created", TimeText(info.created)},
          {"runs", info.runs},
          {"memory_bytes", info.memory_bytes},
          {"file_bytes", info.file_bytes},
          {"files", info.files}};
}

json::object ToJson(const SessionInfo& info) {
  json::object object = {
      {"id", info.id},
      {"lang", request::LangName(info.lang)},
      {"image", info.image},
      {"backend", request::BackendName(info.backend)},
      {"state", SessionStateName(info.state)},
      {"created", TimeText(info.created)},
      {"last_used", TimeText(info.last_used)},
      {"runs", info.runs},
      {"usage", {{"wall_ms", info.wall_used.count()}, {"cpu_ms", info.cpu_used.count()}}},
  };
  if (!info.name.empty()) object["name"] = info.name;
  if (!info.level.empty()) object["level"] = info.level;
  if (!info.ended_because.empty()) object["reason"] = info.ended_because;
  return object;
}

}  // namespace belljar::run
