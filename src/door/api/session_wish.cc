#include "door/api/session_wish.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "door/api/answers.h"
#include "foundation/base/json.h"
#include "foundation/base/text.h"

namespace belljar::door::api {
namespace {

constexpr std::size_t kMaxNameBytes = 128;
constexpr std::chrono::hours kLongestIdle{24 * 7};

constexpr std::array<std::string_view, 22> kOfRunsOnly{
    "code",     "command",       "args",         "stdin",         "fetch",
    "session",  "input",         "reason",       "deterministic", "id",
    "timeout",  "output_lines",  "stdin_base64", "input_schema",  "output_schema",
    "text",     "writes",        "cpu_time",     "output_bytes",  "file_operations",
    "fallback", "correlation_id"};
constexpr std::array<std::string_view, 15> kOfSessionsOnly{
    "level",     "lang",        "image",         "memory",     "cpus",      "processes",
    "workspace", "backend",     "deterministic", "open_files", "file_size", "workspace_inodes",
    "env",       "allow_hosts", "artefacts"};

bool Holds(const auto& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

// Parses seconds, or a duration such as "2m".
Result<std::chrono::milliseconds> TimeIn(std::string_view key, const json::value& value) {
  if (!value.is_string() && !value.is_number()) {
    return Error(Kind::kInvalid,
                 fmt::format("\"{}\" must be a number of seconds or a time such as \"2m\"", key));
  }
  const std::string text = value.is_string() ? std::string(value.get_string().c_str())
                                             : fmt::format("{}", value.to_number<double>());
  return request::ParseDuration(text).While(fmt::format("\"{}\"", key));
}

// Whether the name has the form of an id ("s-" and 24 digits): such a name could be ambiguous.
bool LooksLikeAnId(std::string_view name) {
  constexpr std::size_t kIdDigits = 24;
  return name.starts_with("s-") && name.size() == 2 + kIdDigits &&
         name.find_first_not_of("0123456789abcdef", 2) == std::string_view::npos;
}

Result<> ReadName(std::string_view, const json::value& value, run::SessionWish& wish) {
  const bool good =
      value.is_string() && !value.get_string().empty() &&
      value.get_string().size() <= kMaxNameBytes &&
      std::ranges::all_of(value.get_string(), [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_' || c == '.';
      });
  if (!good) {
    return Error(Kind::kInvalid,
                 "\"name\" must be 1 to 128 letters, digits, dots, dashes or underscores");
  }
  if (value.get_string() == "." || value.get_string() == "..") {
    return Error(
        Kind::kInvalid,
        "\"name\" cannot be \".\" or \"..\": a session is found under its name as a part of "
        "a path");
  }
  if (LooksLikeAnId(value.get_string())) {
    return Error(Kind::kInvalid, "\"name\" must not look like the id of a session");
  }
  wish.name = value.get_string().c_str();
  return {};
}

Result<> ReadIdle(std::string_view key, const json::value& value, run::SessionWish& wish) {
  wish.idle = BJ_TRY(TimeIn(key, value));
  if (wish.idle <= kLongestIdle) return {};
  return Error(Kind::kInvalid, "\"idle_timeout\" may be 7 days at the most");
}

template <auto member>
Result<> ReadBudget(std::string_view key, const json::value& value, run::SessionWish& wish) {
  wish.*member = BJ_TRY(TimeIn(key, value));
  return {};
}

// The keys that belong to a session; all others are a request's.
struct KeyReader {
  std::string_view key;
  Result<> (*read)(std::string_view key, const json::value& value, run::SessionWish& wish);
};

constexpr std::array kReaders = {
    KeyReader{"name", ReadName},
    KeyReader{"idle_timeout", ReadIdle},
    KeyReader{"wall_budget", ReadBudget<&run::SessionWish::wall_budget>},
    KeyReader{"cpu_budget", ReadBudget<&run::SessionWish::cpu_budget>},
};

// Reads a session's own keys and removes them from `object`.
Result<> TakeOwnKeys(json::object& object, run::SessionWish& wish) {
  for (const KeyReader& reader : kReaders) {
    const auto found = object.find(reader.key);
    if (found == object.end()) continue;
    BJ_TRY(reader.read(reader.key, found->value(), wish));
    object.erase(found);
  }
  return {};
}

}  // namespace

std::vector<std::string_view> SessionWishKeys() {
  std::vector<std::string_view> keys;
  for (const KeyReader& reader : kReaders) keys.push_back(reader.key);
  return keys;
}

Result<run::SessionWish> ParseSessionWish(std::string_view body, const request::Limits& defaults,
                                          std::chrono::milliseconds idle) {
  json::object object = BJ_TRY(ParseStrictBody(body));
  for (const auto& [key, value] : object) {
    if (key == "vaults") {
      return Error(Kind::kInvalid, "\"vaults\" belong to runs, not to a session");
    }
    if (Holds(kOfRunsOnly, key)) {
      return Error(Kind::kInvalid,
                   fmt::format("\"{}\" belongs to a run, not to a session", std::string_view(key)));
    }
  }
  run::SessionWish wish;
  wish.idle = idle;
  BJ_TRY(TakeOwnKeys(object, wish));
  object["code"] = "";  // the request parser reads the rest
  wish.shape = BJ_TRY(request::ParseRequest(json::serialize(object), defaults));
  return wish;
}

Result<request::Request> ParseSessionRun(std::string_view body, const request::Request& shape,
                                         const request::Limits& defaults) {
  json::object object = BJ_TRY(ParseBody(body));
  for (const auto& [key, value] : object) {
    if (Holds(kOfSessionsOnly, key)) {
      return Error(Kind::kInvalid,
                   fmt::format("\"{}\" is said when the session is made, not for each run",
                               std::string_view(key)));
    }
  }
  if (object.contains("vaults")) {
    return Error(Kind::kInvalid, "\"vaults\" belong to runs in a cell of their own");
  }
  if (object.contains("command")) {
    return Error(Kind::kInvalid, "a session runs \"code\"; a \"command\" needs a cell of its own");
  }
  request::Request request = BJ_TRY(request::ParseRequest(body, defaults));
  // It is sent to a session's guest as text.
  if (!IsValidUtf8(request.stdin_bytes)) {
    return Error(Kind::kInvalid, "the standard input of a run in a session must be UTF-8");
  }
  const request::Limits asked = request.limits;
  request.lang = shape.lang;
  request.level = shape.level;
  request.image = shape.image;
  request.backend = shape.backend;
  request.env = shape.env;
  request.allow_hosts = shape.allow_hosts;
  request.artefacts = shape.artefacts;
  request.limits = shape.limits;
  request.limits.wall = asked.wall;
  request.limits.cpu_time = asked.cpu_time;
  request.limits.output_lines = asked.output_lines;
  request.limits.output_bytes = asked.output_bytes;
  request.limits.file_operations = asked.file_operations;
  return request;
}

}  // namespace belljar::door::api
