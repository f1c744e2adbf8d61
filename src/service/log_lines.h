// Lines: journal entries about requests, sessions and the daemon itself.
//
// Entries about a request carry its trace context (trace_context.h).
#pragma once

#include <string_view>

#include "foundation/http/server/shared.h"
#include "foundation/log/logger.h"
#include "run/session/info.h"

namespace belljar::service {

// The key under which a handler stores its run's id in the request.
inline constexpr std::string_view kRunMark = "run";

// One line per request; at a low detail setting, only for requests that failed through Belljar's
// fault.
void LogServed(log::Journal& journal, const http::server::Served& served);
void LogFault(log::Journal& journal, const std::string& fault,
              const http::server::Headers& headers);
void LogSessionEnd(log::Journal& journal, const run::SessionInfo& info);
// A line about the daemon itself; written at every detail setting.
void LogDaemonEvent(log::Journal& journal, log::Level level, std::string_view event,
                    json::object more);

}  // namespace belljar::service
