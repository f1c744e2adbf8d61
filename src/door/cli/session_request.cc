#include "door/cli/session_request.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <tuple>

#include "foundation/base/quote.h"
#include "foundation/base/safe_text.h"
#include "request/request_json.h"

namespace belljar::door::cli {
namespace {

// Properties of a session's cell, by request key.
constexpr std::array<std::string_view, 7> kShape = {
    "memory", "cpus", "processes", "workspace", "workspace_inodes", "open_files", "file_size"};
constexpr std::array<std::string_view, 19> kOfEachRun = {
    "id",           "code",          "args",         "stdin",           "stdin_base64",
    "files",        "fetch",         "reason",       "correlation_id",  "timeout",
    "cpu_time",     "output_lines",  "output_bytes", "file_operations", "input",
    "input_schema", "output_schema", "text",         "writes"};

bool Typed(const RunFlags& flags, std::string_view key) {
  const auto found = flags.limits.find(std::string(key));
  return found != flags.limits.end() && !found->second.empty();
}

// A text member of the daemon's description of a session, or "".
std::string_view Said(const json::object& session, std::string_view key) {
  const json::value* const said = session.if_contains(key);
  if (said == nullptr || !said->is_string()) return {};
  return {said->get_string().data(), said->get_string().size()};
}

// The first flag that an existing session cannot honour, among properties that its description
// lacks.
std::string FlagOfTheShape(const RunFlags& flags) {
  for (const std::string_view key : kShape) {
    if (!Typed(flags, key)) continue;
    std::string flag(key);
    std::replace(flag.begin(), flag.end(), '_', '-');
    return "--" + flag;
  }
  if (!flags.allow_hosts.empty()) return "--allow-host";
  if (!flags.artefacts.empty()) return "--artefact";
  return flags.env.empty() ? "" : "--env";
}

// Flags for properties in the description are allowed if they have the same value.
Result<> CheckWalls(const json::object& session, const RunFlags& flags) {
  const std::string image = flags.image == "default" ? "" : flags.image;
  for (const auto& [key, flag, asked] : {std::tuple{"image", "--image", &image},
                                         {"backend", "--backend", &flags.backend},
                                         {"level", "--level or BELLJAR_LEVEL", &flags.level}}) {
    const std::string_view said = Said(session, key);
    if (asked->empty() || *asked == said) continue;
    const std::string made = said.empty() ? fmt::format("without a {} of its own", key)
                                          : fmt::format("with the {} {}", key, said);
    return Error(Kind::kInvalid, fmt::format("session {} was made {}, and {} says {}",
                                             Quote(flags.session), made, flag, Quote(*asked)));
  }
  return {};
}

// Whether the handle has the form of an id. Ids are assigned by the daemon: an unknown id belongs
// to a session that has ended, so no session is created for it.
bool LooksLikeAnId(std::string_view handle) {
  return handle.starts_with("s-") && handle.size() == 26 &&
         handle.find_first_not_of("0123456789abcdef", 2) == std::string_view::npos;
}

// Whether a session of that name has ended. At a terminal the user is told that its variables are
// gone; a program, whose stderr belongs to the code it runs, can query the session.
bool HasEnded(const json::object& session, const RunFlags& flags) {
  if (Said(session, "state") != "ended" || Said(session, "id") == flags.session) return false;
  if (::isatty(STDERR_FILENO) == 1) {
    fmt::print(stderr, "belljar: session {} has ended ({}): this is a new one\n",
               Quote(flags.session), MakeVisible(Said(session, "reason")));
  }
  return true;
}

}  // namespace

Result<> CheckHandle(std::string_view handle) {
  const bool good = !handle.empty() && handle.size() <= 128 && handle[0] != '-' && handle != "." &&
                    handle != ".." && std::ranges::all_of(handle, [](char c) {
                      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                             (c >= '0' && c <= '9') || c == '.' || c == '-' || c == '_';
                    });
  if (good) return {};
  return Error(Kind::kInvalid,
               "a session's name has 1 to 128 letters, digits, dots, dashes and underscores, and "
               "does not begin with a dash; . and .. are none");
}

std::string SessionPath(std::string_view handle, std::string_view rest) {
  return fmt::format("/v1/sessions/{}{}", http::client::EscapeSegment(handle), rest);
}

json::object SessionPart(const RunFlags& flags, const request::Request& request) {
  const json::object all = request::ToJson(request);
  json::object wish = {
      {"name", flags.session}, {"lang", all.at("lang")}, {"image", all.at("image")}};
  for (const std::string_view key : kShape) {
    if (Typed(flags, key)) wish[key] = all.at(key);
  }
  for (const char* const key : {"backend", "level", "env", "allow_hosts", "artefacts"}) {
    if (const json::value* const given = all.if_contains(key)) wish[key] = *given;
  }
  return wish;
}

Result<> CheckFits(const json::object& session, const RunFlags& flags) {
  if (const std::string flag = FlagOfTheShape(flags); !flag.empty()) {
    return Error(Kind::kInvalid,
                 fmt::format("{} is said when a session is made, and {} is there already", flag,
                             Quote(flags.session)));
  }
  BJ_TRY(CheckWalls(session, flags));
  const std::string_view spoken = Said(session, "lang");
  if (spoken.empty() || flags.lang.empty() || spoken == flags.lang) return {};
  return Error(Kind::kInvalid, fmt::format("session {} speaks {}, and this is {}",
                                           Quote(flags.session), spoken, flags.lang));
}

Result<> EnsureSession(DaemonLink& daemon, const RunFlags& flags, const request::Request& request) {
  if (request.deterministic) {
    return Error(Kind::kInvalid, "--deterministic needs a fresh cell: leave out --session");
  }
  if (!flags.switch_off.empty()) {
    return Error(Kind::kInvalid, "--switch-off is for whoever starts the daemon to say");
  }
  const auto session = daemon.AskJson({"GET", SessionPath(flags.session)});
  if (session && !HasEnded(*session, flags)) return CheckFits(*session, flags);
  if (!session && (session.error().kind() != Kind::kNotFound || LooksLikeAnId(flags.session))) {
    return session.error();
  }
  const auto made = daemon.AskJson({"POST", "/v1/sessions", "application/json", "application/json",
                                    json::serialize(SessionPart(flags, request))});
  if (made) return {};
  // A concurrent command may have created it first.
  if (const auto again = daemon.AskJson({"GET", SessionPath(flags.session)})) {
    return CheckFits(*again, flags);
  }
  return made.error();
}

json::object RunPart(const request::Request& request) {
  json::object body;
  for (const auto& [key, value] : request::ToJson(request)) {
    if (std::ranges::find(kOfEachRun, std::string_view(key)) != kOfEachRun.end()) body[key] = value;
  }
  return body;
}

}  // namespace belljar::door::cli
