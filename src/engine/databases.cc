// The engine's side of databases: what is still allowed, what is asked, what is written down.
#include <fmt/format.h>

#include "base/sha256.h"
#include "engine/asking.h"
#include "engine/tools.h"

namespace belljar::engine {
namespace {

void AddStatement(const broker::DatabaseRecord& record, audit::Entry& entry) {
  const broker::DatabaseCall& call = record.call;
  const auto digest =
      Sha256::Of(json::serialize(json::object{{"sql", call.sql}, {"params", call.params}}));
  entry.detail = {{"database", call.database},
                  {"task", broker::TaskName(call.task)},
                  {"statement", "sha256:" + Hex(digest)},
                  {"statement_bytes", call.sql.size()},
                  {"rows", record.rows},
                  {"result_bytes", record.result_bytes}};
  if (record.truncated) entry.detail["truncated"] = true;
  if (call.task == database::Task::kWrite) entry.detail["changed"] = record.changed;
  entry.outcome = record.outcome;
}

}  // namespace

broker::DatabaseHooks DatabaseHooksFor(const CallMeans& means) {
  broker::DatabaseHooks hooks;
  hooks.still_allowed = [means](const std::string& database, const std::string& task) {
    const auto now = means.judgement.PolicyFor(means.request);
    if (!now) return false;
    const auto terms = (*now)->databases.find(database);
    // Another place or another login by the same name is another database.
    if (terms == (*now)->databases.end()) return false;
    const policy::DatabaseTerms& was = means.policy->databases.at(database);
    const bool same = terms->second.sqlite == was.sqlite &&
                      terms->second.postgres == was.postgres && terms->second.role == was.role &&
                      terms->second.write_postgres == was.write_postgres &&
                      terms->second.write_role == was.write_role &&
                      terms->second.unsafe_superuser == was.unsafe_superuser;
    return same && (task != "write" || terms->second.write == policy::DatabaseWrites::kAsk);
  };
  hooks.ask = [means](const broker::DatabaseWrite& write, const std::stop_token& stop) {
    const broker::DatabaseCall& call = write.call;
    CallQuestion about{means.request, *means.policy, means.said, means.run};
    about.what = {{"call", "database"},
                  {"database", call.database},
                  {"sql", call.sql},
                  {"params", call.params},
                  {"changed", write.changed}};
    about.subject =
        fmt::format("{}: {}\n{}", call.database, call.sql, json::serialize(call.params));
    about.touches = fmt::format("writes {} rows of the database {}", write.changed, call.database);
    about.wait = std::min(write.hold, means.policy->approval.expires);
    return means.asking.AskForCall(about, stop);
  };
  hooks.record = [means](const broker::DatabaseRecord& record) -> Result<> {
    audit::Entry entry = CallEntry(means.request, means.said.origin);
    AddStatement(record, entry);
    AddTimes(record.took, record.asked, entry);
    return means.tools.Record(std::move(entry),
                              record.made ? Tools::Durable::kWithTheRun : Tools::Durable::kNow);
  };
  return hooks;
}

}  // namespace belljar::engine
