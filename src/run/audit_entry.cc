#include "engine/audit_entry.h"

namespace belljar::engine {

audit::Entry EntryFrom(audit::Event event, const Origin& origin, json::object detail) {
  audit::Entry entry;
  entry.event = event;
  entry.caller = origin.caller;
  entry.run_id = origin.run_id;
  entry.session_id = origin.session_id;
  entry.correlation_id = origin.correlation_id;
  entry.traceparent = origin.traceparent;
  entry.detail = std::move(detail);
  return entry;
}

}  // namespace belljar::engine
