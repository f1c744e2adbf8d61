// Service: references to the parts of a daemon that its front doors share.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "foundation/base/json.h"
#include "foundation/base/result.h"
#include "foundation/http/server/router.h"
#include "foundation/log/logger.h"
#include "judgement/approval/approvals.h"
#include "record/log.h"
#include "run/engine.h"
#include "run/session/sessions.h"
#include "run/stored_skills.h"
#include "service/callers/admission.h"
#include "service/callers/token_store.h"
#include "service/event_streams.h"
#include "service/events.h"
#include "service/metrics.h"
#include "service/reloadable_state.h"
#include "service/trace_context.h"

namespace belljar::service {

struct Service {
  run::Engine& engine;
  run::Sessions& sessions;
  judgement::approval::Approvals& approvals;
  run::SessionArchive& archive;
  callers::TokenStore& tokens;
  callers::Admission& admission;
  record::Log& log;
  Events& events;
  EventStreams& listeners;
  Metrics& metrics;
  ReloadableState& live;
  log::Journal& journal;
  run::StoredSkills& skills;
  std::chrono::milliseconds session_idle;  // the default idle time of sessions
};

// The sender of a request, identified by its token, or by the uid behind a Unix socket.
Result<callers::Caller> CallerOf(callers::TokenStore& tokens, const http::server::Request& request);
inline Result<callers::Caller> CallerOf(Service& service, const http::server::Request& request) {
  return CallerOf(service.tokens, request);
}
Result<http::server::Principal> Authenticate(Service& service,
                                             const http::server::Request& request);

// Records an action on a session ("{id}" of the route); durable when this returns.
Result<> Note(Service& service, const http::server::Exchange& exchange, record::Event event,
              json::object detail);

// The id of that session, which the request may have called by its name.
std::string SessionIdIn(Service& service, const http::server::Exchange& exchange);

// The id of the caller's session with that id or name: among living sessions first, then the newest
// archived one. The handle itself if there is none.
std::string IdOfSessionNamed(Service& service, const std::string& caller,
                             const std::string& handle);

// Reports skills that were disabled because their runs failed: a warning in the journal, and an
// event.
run::SkillWatch WatchSkills(Events& events, log::Journal& journal);

}  // namespace belljar::service
