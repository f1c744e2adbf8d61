#include "server/lines.h"

#include "server/marks.h"

namespace belljar::server {

void TellServed(journal::Journal& journal, const http::Served& served) {
  journal::Line line;
  line.event = "request";
  line.caller = served.principal;
  if (served.status >= 500) {
    line.level = journal::Level::kError;
    line.from = journal::Detail::kMinimal;
  }
  if (!journal.Wants(line.from)) return;
  Marks marks = MarksIn(served.marks);
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

void TellFault(journal::Journal& journal, const std::string& fault, const http::Headers& headers) {
  Marks marks = MarksIn(headers);
  journal::Line line;
  line.level = journal::Level::kError;
  line.from = journal::Detail::kMinimal;
  line.event = "fault";
  line.correlation_id = std::move(marks.correlation_id);
  line.traceparent = std::move(marks.traceparent);
  line.more = {{"message", fault}};
  journal.Write(line);
}

void TellEnded(journal::Journal& journal, const engine::SessionInfo& info) {
  journal::Line line;
  line.event = "session_ended";
  line.id = info.id;
  line.correlation_id = info.correlation_id;
  line.traceparent = info.traceparent;
  line.caller = info.caller;
  line.more = {{"reason", info.ended_because}};
  journal.Write(line);
}

void TellOwn(journal::Journal& journal, journal::Level level, std::string_view event,
             json::object more) {
  journal::Line line;
  line.level = level;
  line.from = journal::Detail::kMinimal;
  line.event = event;
  line.more = std::move(more);
  journal.Write(line);
}

}  // namespace belljar::server
