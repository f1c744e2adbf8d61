// Lines: what the journal is told of requests, sessions and of the daemon itself.
//
// Whatever belongs to a request carries its marks (marks.h).
#pragma once

#include <string_view>

#include "foundation/http/server/shared.h"
#include "foundation/log/logger.h"
#include "run/session/info.h"

namespace belljar::service {

// The name under which a handler marks its request with the id of the run that it is.
inline constexpr std::string_view kRunMark = "run";

// One line for each request; where little is wanted, only for those that Belljar failed.
void LogServed(log::Journal& journal, const http::server::Served& served);
void LogFault(log::Journal& journal, const std::string& fault,
              const http::server::Headers& headers);
void LogSessionEnd(log::Journal& journal, const run::SessionInfo& info);
// Of nobody's request, at any detail.
void LogDaemonEvent(log::Journal& journal, log::Level level, std::string_view event,
                    json::object more);

}  // namespace belljar::service
