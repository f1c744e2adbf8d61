// A run in a session of the daemon: what of the flags makes the session, and what each run.
#pragma once

#include "door/cli/command.h"
#include "door/cli/daemon_link.h"
#include "foundation/base/json.h"
#include "foundation/base/result.h"
#include "request/request.h"

namespace belljar::door::cli {

// Whether this can be a session's name or id.
Result<> CheckHandle(std::string_view handle);

// "/v1/sessions/NAME", with `rest` after it.
std::string SessionPath(std::string_view handle, std::string_view rest = "");

// Makes the session that the flags name, if it is not there. One that is there keeps what it was
// made with: flags that say otherwise are a mistake.
Result<> EnsureSession(DaemonLink& daemon, const RunFlags& flags, const request::Request& request);

// The body of POST /v1/sessions: what was typed, and the daemon's defaults for the rest.
json::object SessionPart(const RunFlags& flags, const request::Request& request);

// Whether a session that the daemon tells of is what the flags say. The mistake names the flag.
Result<> CheckFits(const json::object& session, const RunFlags& flags);

// The body of a run in it.
json::object RunPart(const request::Request& request);

}  // namespace belljar::door::cli
