// Service: the parts of a daemon that its front doors share.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "approval/approvals.h"
#include "audit/log.h"
#include "base/json.h"
#include "base/result.h"
#include "callers/admission.h"
#include "callers/token_store.h"
#include "engine/engine.h"
#include "engine/sessions.h"
#include "engine/stored_skills.h"
#include "http/router.h"
#include "journal/journal.h"
#include "server/event_streams.h"
#include "server/events.h"
#include "server/live.h"
#include "server/marks.h"
#include "server/metrics.h"

namespace belljar::server {

struct Service {
  engine::Engine& engine;
  engine::Sessions& sessions;
  approval::Approvals& approvals;
  engine::SessionArchive& archive;
  callers::TokenStore& tokens;
  callers::Admission& admission;
  audit::Log& log;
  Events& events;
  EventStreams& listeners;
  Metrics& metrics;
  Live& live;
  journal::Journal& journal;
  engine::StoredSkills& skills;
  std::chrono::milliseconds session_idle;  // the time to live of sessions that do not say
};

// Who sends a request: by its token, or by the uid behind a Unix socket.
Result<callers::Caller> CallerOf(callers::TokenStore& tokens, const http::Request& request);
inline Result<callers::Caller> CallerOf(Service& service, const http::Request& request) {
  return CallerOf(service.tokens, request);
}
Result<http::Principal> Authenticate(Service& service, const http::Request& request);

// Records what a request to a session ("{id}" of its route) has done; durable when this returns.
Result<> Note(Service& service, const http::Exchange& exchange, audit::Event event,
              json::object detail);

// The id of that session, which may have been called by its name.
std::string SessionIdIn(Service& service, const http::Exchange& exchange);

// The id of a session of the caller's that is called `handle`: by its id or its name, of those that
// live first, then of the newest that is kept. Where there is none, the handle.
std::string IdOfSessionNamed(Service& service, const std::string& caller,
                             const std::string& handle);

// Tells of skills that their health has disabled: a warning in the journal, and an event.
engine::SkillWatch WatchSkills(Events& events, journal::Journal& journal);

}  // namespace belljar::server
