// A run in a daemon's session: splits the flags into those of the session and those of each run.
#pragma once

#include "door/cli/command.h"
#include "door/cli/daemon_link.h"
#include "foundation/base/json.h"
#include "foundation/base/result.h"
#include "request/request.h"

namespace belljar::door::cli {

// Validates a session's name or id.
Result<> CheckHandle(std::string_view handle);

// The path "/v1/sessions/NAME", followed by `rest`.
std::string SessionPath(std::string_view handle, std::string_view rest = "");

// Creates the session that the flags name, if it does not exist. An existing session keeps its
// properties: flags that contradict them are an error.
Result<> EnsureSession(DaemonLink& daemon, const RunFlags& flags, const request::Request& request);

// The body of POST /v1/sessions: the typed values; the daemon fills in its defaults.
json::object SessionPart(const RunFlags& flags, const request::Request& request);

// Checks that the session described by the daemon matches the flags. An error names the flag.
Result<> CheckFits(const json::object& session, const RunFlags& flags);

// The body of a run in the session.
json::object RunPart(const request::Request& request);

}  // namespace belljar::door::cli
