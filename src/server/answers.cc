#include "server/answers.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cerrno>

#include "base/quote.h"
#include "policy/request_scan.h"

namespace belljar::server {

http::Response JsonAnswer(const json::value& value, unsigned status) {
  http::Response response;
  response.status = status;
  response.body = json::serialize(value) + "\n";
  return response;
}

Error ForCaller(const Error& error) {
  switch (error.sys()) {
    case EMFILE:
    case ENFILE:
    case EAGAIN:
    case ENOMEM:
    case EROFS:
    case EPERM:
    case EIO:
      return Error(Kind::kUnavailable, error.message(), error.sys());
    default:
      return error;
  }
}

std::string TimeText(std::chrono::system_clock::time_point time) {
  const auto whole = std::chrono::floor<std::chrono::seconds>(time);
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(time - whole).count();
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z",
                     fmt::gmtime(std::chrono::system_clock::to_time_t(whole)), millis);
}

Result<json::object> ParseBody(std::string_view body) {
  json::value value = BJ_TRY(ParseJson(body.empty() ? "{}" : body));
  if (!value.is_object()) return Error(Kind::kInvalid, "the body must be a JSON object");
  return std::move(value.get_object());
}

Result<json::object> ParseStrictBody(std::string_view body) {
  const auto twice = policy::ScanRequest(body).duplicate_key;
  if (twice) {
    return Error(Kind::kInvalid, fmt::format("the key {} is given twice", Quote(*twice)));
  }
  return ParseBody(body);
}

json::object ToJson(const engine::CheckpointInfo& info) {
  return {{"id", info.id},
          {"created", TimeText(info.created)},
          {"runs", info.runs},
          {"memory_bytes", info.memory_bytes},
          {"file_bytes", info.file_bytes},
          {"files", info.files}};
}

json::object ToJson(const engine::SessionInfo& info) {
  json::object object = {
      {"id", info.id},
      {"lang", policy::LangName(info.lang)},
      {"image", info.image},
      {"backend", policy::BackendName(info.backend)},
      {"state", engine::SessionStateName(info.state)},
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

}  // namespace belljar::server
