// Parses the body of POST /v1/sessions, and of a run in a session.
#pragma once

#include <string_view>
#include <vector>

#include "foundation/base/result.h"
#include "run/session/info.h"

namespace belljar::door::api {

// {"name","lang","image","backend","level","memory","cpus","processes","workspace",
//  "workspace_inodes","open_files","file_size","env","files","allow_hosts","artefacts",
//  "idle_timeout","wall_budget","cpu_budget"}; an empty body is a Python session with the defaults.
// `idle` is the time to live between runs of one that does not say.
Result<run::SessionWish> ParseSessionWish(std::string_view body,
                                          const request::Limits& defaults = request::Limits(),
                                          std::chrono::milliseconds idle = run::SessionWish().idle);

// The keys above that belong to the session itself; the others are those of a request.
std::vector<std::string_view> SessionWishKeys();

// A request for a run in a session. Properties of the cell (memory, image, language …) were fixed
// at the session's creation and are an error here. Limits that were not named are `shape`'s.
Result<request::Request> ParseSessionRun(std::string_view body, const request::Request& shape,
                                         const request::Limits& defaults = request::Limits());

}  // namespace belljar::door::api
