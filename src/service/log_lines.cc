#include "service/log_lines.h"

#include "service/trace_context.h"

namespace belljar::service {

void LogServed(log::Journal& journal, const http::server::Served& served) {
  log::Line line;
  line.event = "request";
  line.caller = served.principal;
  if (served.status >= 500) {
    line.level = log::Level::kError;
    line.from = log::Detail::kMinimal;
  }
  if (!journal.Wants(line.from)) return;
  TraceContext marks = TraceContextOf(served.marks);
  line.id = served.marks.Find(kRunMark).value_or("");
  line.correlation_id = std::move(marks.correlation_id);
  line.traceparent = std::move(marks.traceparent);
  line.more = {{"method", served.method},
               {"route", served.pattern},
               {"status", served.status},
               {"took_us", served.took.count()},
               {"peer", served.peer.CountedAs()}};
  journal.Write(line);
}

void LogFault(log::Journal& journal, const std::string& fault,
              const http::server::Headers& headers) {
  TraceContext marks = TraceContextOf(headers);
  log::Line line;
  line.level = log::Level::kError;
  line.from = log::Detail::kMinimal;
  line.event = "fault";
  line.correlation_id = std::move(marks.correlation_id);
  line.traceparent = std::move(marks.traceparent);
  line.more = {{"message", fault}};
  journal.Write(line);
}

void LogSessionEnd(log::Journal& journal, const run::SessionInfo& info) {
  log::Line line;
  line.event = "session_ended";
  line.id = info.id;
  line.correlation_id = info.correlation_id;
  line.traceparent = info.traceparent;
  line.caller = info.caller;
  line.more = {{"reason", info.ended_because}};
  journal.Write(line);
}

void LogDaemonEvent(log::Journal& journal, log::Level level, std::string_view event,
                    json::object more) {
  log::Line line;
  line.level = level;
  line.from = log::Detail::kMinimal;
  line.event = event;
  line.more = std::move(more);
  journal.Write(line);
}

}  // namespace belljar::service
