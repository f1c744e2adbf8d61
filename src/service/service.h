// Service: the parts of a daemon that its front doors share.
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
  std::chrono::milliseconds session_idle;  // the time to live of sessions that do not say
};

// Who sends a request: by its token, or by the uid behind a Unix socket.
Result<callers::Caller> CallerOf(callers::TokenStore& tokens, const http::server::Request& request);
inline Result<callers::Caller> CallerOf(Service& service, const http::server::Request& request) {
  return CallerOf(service.tokens, request);
}
Result<http::server::Principal> Authenticate(Service& service,
                                             const http::server::Request& request);

// Records what a request to a session ("{id}" of its route) has done; durable when this returns.
Result<> Note(Service& service, const http::server::Exchange& exchange, record::Event event,
              json::object detail);

// The id of that session, which may have been called by its name.
std::string SessionIdIn(Service& service, const http::server::Exchange& exchange);

// The id of a session of the caller's that is called `handle`: by its id or its name, of those that
// live first, then of the newest that is kept. Where there is none, the handle.
std::string IdOfSessionNamed(Service& service, const std::string& caller,
                             const std::string& handle);

// Tells of skills that their health has disabled: a warning in the journal, and an event.
run::SkillWatch WatchSkills(Events& events, log::Journal& journal);

}  // namespace belljar::service
