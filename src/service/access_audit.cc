#include "service/access_audit.h"

#include "service/callers/change_log.h"
#include "service/log_lines.h"
#include "service/trace_context.h"

namespace belljar::service {
namespace {

constexpr std::chrono::seconds kInterval{1};

bool IsRefusal(unsigned status) { return status == 401 || status == 403 || status == 429; }

record::Entry EntryFor(const callers::CallerChange& change) {
  record::Entry entry;
  entry.event = record::Event::kToken;
  entry.caller = change.by;
  entry.detail = change.detail;
  entry.detail["change"] = change.number;
  entry.detail["at"] = record::TimeText(change.at_ms);
  return entry;
}

}  // namespace

AccessAudit::AccessAudit(record::Log& log, storage::Database& changes, Options options)
    : log_(log), changes_(changes), options_(std::move(options)) {
  thread_ = std::jthread([this](const std::stop_token& stop) {
    while (!stop.stop_requested()) {
      {
        std::unique_lock lock(mutex_);
        wake_.wait_for(lock, stop, kInterval, [] { return false; });
      }
      if (!stop.stop_requested()) Round();
    }
  });
}

// Call with the lock held. When there are too many groups, only the status is kept.
AccessAudit::Sort AccessAudit::SortOf(const http::server::Served& served) const {
  Sort sort{served.status, served.principal, served.peer.CountedAs(), served.method,
            served.pattern};
  const bool known = tallies_.contains(sort) || recorded_.contains(sort);
  if (known || tallies_.size() + recorded_.size() < kMostKinds) return sort;
  return {served.status, "", "", "", ""};
}

void AccessAudit::Answered(const http::server::Served& served) {
  if (!IsRefusal(served.status)) return;
  const auto since = options_.wall().time_since_epoch();
  const auto now_ms = std::chrono::duration_cast<std::chrono::milliseconds>(since).count();
  const std::lock_guard lock(mutex_);
  Tally& tally = tallies_[SortOf(served)];
  tally.last_ms = now_ms;
  if (tally.count++ > 0) return;
  TraceContext marks = TraceContextOf(served.marks);
  tally.first_ms = now_ms;
  tally.run_id = served.marks.Find(kRunMark).value_or("");
  tally.correlation_id = std::move(marks.correlation_id);
  tally.traceparent = std::move(marks.traceparent);
}

// Removes and returns the groups that had no record within the time `together`.
AccessAudit::Tallies AccessAudit::TakeDue(std::chrono::seconds together) {
  const auto now = options_.steady();
  const std::lock_guard lock(mutex_);
  std::erase_if(recorded_, [&](const auto& done) { return now - done.second >= together; });
  Tallies due;
  for (auto it = tallies_.begin(); it != tallies_.end();) {
    const auto next = std::next(it);
    if (recorded_.emplace(it->first, now).second) due.insert(tallies_.extract(it));
    it = next;
  }
  return due;
}

void AccessAudit::PutBack(const Tallies& tallies) {
  const std::lock_guard lock(mutex_);
  for (const auto& [sort, tally] : tallies) {
    recorded_.erase(sort);
    const auto [there, is_new] = tallies_.emplace(sort, tally);
    if (is_new) continue;
    const Tally since = std::exchange(there->second, tally);
    there->second.count += since.count;
    there->second.last_ms = since.last_ms;
  }
}

void AccessAudit::RecordRefusals(std::chrono::seconds together) {
  Tallies due = TakeDue(together);
  std::vector<record::Entry> entries;
  for (const auto& [sort, tally] : due) {
    const auto& [status, caller, peer, method, route] = sort;
    record::Entry& entry = entries.emplace_back();
    entry.event = record::Event::kRefusal;
    entry.caller = caller;
    entry.run_id = tally.run_id;
    entry.correlation_id = tally.correlation_id;
    entry.traceparent = tally.traceparent;
    entry.detail = {{"status", status}, {"count", tally.count}};
    for (const auto& [name, text] :
         {std::pair{"peer", &peer}, {"method", &method}, {"route", &route}}) {
      if (!text->empty()) entry.detail[name] = *text;
    }
    if (tally.count == 1) continue;
    entry.detail["first"] = record::TimeText(tally.first_ms);
    entry.detail["last"] = record::TimeText(tally.last_ms);
  }
  if (entries.empty()) return;
  const auto appended = log_.AppendAll(entries);
  if (!appended) PutBack(due);
  Report(appended, refusal_trouble_);
}

Result<> AccessAudit::RecordChanges() {
  for (;;) {
    const auto changes = BJ_TRY(callers::ReadChanges(changes_));
    if (changes.empty()) return {};
    std::vector<record::Entry> entries;
    for (const auto& change : changes) entries.push_back(EntryFor(change));
    BJ_TRY(log_.AppendAll(entries));
    BJ_TRY(callers::ForgetChanges(changes_, changes.back().number));
  }
}

void AccessAudit::Report(const Result<>& done, std::string& last) {
  const std::string sentence = done ? "" : done.error().message();
  if (sentence == last) return;
  last = sentence;
  if (!done && options_.on_trouble) options_.on_trouble(done.error());
}

void AccessAudit::Round() {
  const std::lock_guard lock(rounds_);
  RecordRefusals(kTogether);
  Report(RecordChanges(), change_trouble_);
}

void AccessAudit::Close() {
  thread_.request_stop();
  if (thread_.joinable()) thread_.join();
  const std::lock_guard lock(rounds_);
  RecordRefusals({});
  Report(RecordChanges(), change_trouble_);
}

}  // namespace belljar::service
