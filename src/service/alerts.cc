#include "service/alerts.h"

#include <fmt/format.h>

#include "foundation/base/json.h"
#include "run/audit_entry.h"

namespace belljar::service {
namespace {

log::Line LineOf(const run::Origin& origin, std::string_view event, json::object more) {
  log::Line line;
  line.level = log::Level::kWarning;
  line.from = log::Detail::kMinimal;
  line.event = event;
  line.id = origin.run_id;
  line.correlation_id = origin.correlation_id;
  line.traceparent = origin.traceparent;
  line.caller = origin.caller;
  line.more = std::move(more);
  return line;
}

constexpr unsigned kFirstSuccess = 200;
constexpr unsigned kLastSuccess = 299;

}  // namespace

std::string Alerts::Raise(const run::Alert& alert) {
  std::string outcome = "told";
  for (const std::string& place : alert.places) {
    if (place == "log") {
      Tell(alert);
      continue;
    }
    const bool taken = sender_.Send(
        {place, json::serialize(alert.says),
         [this, origin = alert.origin](const auto& status) { NoteSent(origin, status); }});
    if (!taken) return "failed";
    outcome = "queued";
  }
  return outcome;
}

void Alerts::Tell(const run::Alert& alert) {
  json::object more;
  for (const char* const key : {"outcome", "reason", "error"}) {
    if (const json::value* value = alert.says.if_contains(key)) more[key] = *value;
  }
  journal_.Write(LineOf(alert.origin, "alert", std::move(more)));
}

// Records the delivery, including a failed one. The address may contain a secret and is not
// recorded.
void Alerts::NoteSent(const run::Origin& origin, const Result<unsigned>& status) {
  const bool sent = status && *status >= kFirstSuccess && *status <= kLastSuccess;
  json::object done = {{"action", "alert"}, {"outcome", sent ? "sent" : "failed"}};
  if (!sent) {
    done["reason"] = status ? fmt::format("it answered {}", *status) : status.error().message();
    journal_.Write(LineOf(origin, "alert_not_sent", {{"reason", done["reason"]}}));
  }
  if (log_ == nullptr) return;
  const auto appended =
      log_->Append(run::EntryFrom(record::Event::kRecovered, origin, std::move(done)));
  if (!appended) {
    journal_.Write(LineOf(origin, "alert_not_recorded", {{"reason", appended.error().message()}}));
  }
}

}  // namespace belljar::service
