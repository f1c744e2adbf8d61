// Lines: what the journal is told of requests, sessions and of the daemon itself.
//
// Whatever belongs to a request carries its marks (marks.h).
#pragma once

#include <string_view>

#include "engine/session_info.h"
#include "http/shared.h"
#include "journal/journal.h"

namespace belljar::server {

// The name under which a handler marks its request with the id of the run that it is.
inline constexpr std::string_view kRunMark = "run";

// One line for each request; where little is wanted, only for those that Belljar failed.
void TellServed(journal::Journal& journal, const http::Served& served);
void TellFault(journal::Journal& journal, const std::string& fault, const http::Headers& headers);
void TellEnded(journal::Journal& journal, const engine::SessionInfo& info);
// Of nobody's request, at any detail.
void TellOwn(journal::Journal& journal, journal::Level level, std::string_view event,
             json::object more);

}  // namespace belljar::server
