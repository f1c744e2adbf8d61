#include "run/audit_entry.h"

namespace belljar::run {

record::Entry EntryFrom(record::Event event, const Origin& origin, json::object detail) {
  record::Entry entry;
  entry.event = event;
  entry.caller = origin.caller;
  entry.run_id = origin.run_id;
  entry.session_id = origin.session_id;
  entry.correlation_id = origin.correlation_id;
  entry.traceparent = origin.traceparent;
  entry.detail = std::move(detail);
  return entry;
}

}  // namespace belljar::run
