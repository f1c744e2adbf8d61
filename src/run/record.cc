#include "run/record.h"

#include "run/audit_entry.h"

namespace belljar::run {
namespace {

// Whether the outcome was caused by a limit.
bool IsLimit(Outcome outcome) {
  switch (outcome) {
    case Outcome::kTimeout:
    case Outcome::kMemory:
    case Outcome::kProcesses:
    case Outcome::kOutput:
    case Outcome::kDisk:
      return true;
    default:
      return false;
  }
}

// The additional record that precedes a run's own, for outcomes that need one.
std::optional<record::Event> AlsoRecorded(Outcome outcome) {
  if (outcome == Outcome::kRefused || outcome == Outcome::kDenied) return record::Event::kRefusal;
  if (IsLimit(outcome)) return record::Event::kLimit;
  return std::nullopt;
}

// The request's fields, without those stored by digest.
json::object Asked(const request::Request& request) {
  json::object asked = {{"lang", request::LangName(request.lang)}, {"image", request.image}};
  if (!request.reason.empty()) asked["reason"] = request.reason.substr(0, 512);
  if (request.deterministic) asked["deterministic"] = *request.deterministic;
  json::array vaults;
  for (const request::Vault& vault : request.vaults) {
    vaults.push_back({{"host", vault.host}, {"mode", request::VaultModeName(vault.mode)}});
  }
  if (!vaults.empty()) asked["vaults"] = std::move(vaults);
  json::array artefacts;
  for (const request::Artefact& artefact : request.artefacts) {
    artefacts.push_back({{"name", artefact.name}, {"digest", artefact.digest}});
  }
  if (!artefacts.empty()) asked["artefacts"] = std::move(artefacts);
  return asked;
}

std::string CodeOf(const request::Request& request) {
  if (request.command.empty()) return request.code;
  return json::serialize(json::value_from(request.command));
}

// Records what was committed to vaults, dropped or refused; the list of changes is stored by its
// digest.
Result<> RecordVaults(record::Log& log, const record::Entry& run, const RunResult& result,
                      const json::object& told) {
  if (result.vaults.empty()) return {};
  json::object files = told.at("files").as_object();
  files.erase("fetched");
  for (const VaultResult& vault : result.vaults) {
    if (vault.mode == request::VaultMode::kReadOnly) continue;
    record::Entry entry = run;
    entry.event = record::Event::kCommit;
    entry.detail = {{"host", vault.host},
                    {"vault", VaultOutcomeName(vault.outcome)},
                    {"message", vault.message}};
    if (vault.outcome == VaultOutcome::kCommitted) {
      entry.detail["changes"] = BJ_TRY(log.PutBody(json::serialize(files)));
    }
    BJ_TRY(log.Append(entry));
  }
  return {};
}

}  // namespace

Result<> RecordRecovery(record::Log* log, std::string_view what, const std::string& sentence) {
  if (log == nullptr) return {};
  Origin own;
  own.caller = "belljar";
  BJ_TRY(log->Append(EntryFrom(record::Event::kRecovered, own, {{what, sentence}})));
  return {};
}

namespace {

record::Entry EntryFor(record::Event event, const Origin& origin, const request::Request& request,
                       const RunResult& result) {
  record::Entry entry = EntryFrom(event, origin);
  entry.correlation_id = request.correlation_id;
  entry.outcome = OutcomeName(result.outcome);
  return entry;
}

// Completes the record's detail with the result, and appends it.
Result<> AppendWithResult(record::Log& log, record::Entry entry, const json::object& told,
                          RunResult& result) {
  if (!result.skill.empty()) entry.detail["skill"] = result.skill;
  entry.detail["result"] = BJ_TRY(log.PutBody(json::serialize(told)));
  const record::Position at = BJ_TRY(log.Append(entry));
  result.audit = {{"index", at.index}, {"hash", at.hash}};
  return {};
}

}  // namespace

Result<json::object> DraftRecord(record::Log& log, const request::Request& request,
                                 const RunTerms& terms) {
  json::object detail = {{"asked", Asked(request)}};
  detail["code"] = BJ_TRY(log.PutBody(CodeOf(request)));
  if (!request.stdin_bytes.empty()) detail["stdin"] = BJ_TRY(log.PutBody(request.stdin_bytes));
  for (const auto& [key, schema] : {std::pair{"input_schema", &request.input_schema},
                                    std::pair{"output_schema", &request.output_schema}}) {
    if (*schema) detail[key] = BJ_TRY(log.PutBody(json::serialize(**schema)));
  }
  BJ_TRY(KeepRequest(log, request, terms, detail));
  return detail;
}

bool IsCheapToRecord(const request::Request& request) {
  constexpr std::size_t kMostBytes = 16 << 10;
  if (request.input || request.input_schema || request.output_schema || request.fallback) {
    return false;
  }
  std::size_t bytes = request.code.size() + request.stdin_bytes.size();
  for (const auto* const words : {&request.command, &request.args, &request.fetch}) {
    for (const std::string& word : *words) bytes += word.size();
  }
  for (const auto& [name, value] : request.env) bytes += name.size() + value.size();
  return request.files.empty() && bytes <= kMostBytes;
}

Result<json::object> RecordRun(record::Log& log, const Origin& origin,
                               const request::Request& request, json::object draft,
                               RunResult& result, const json::storage_ptr& memory) {
  record::Entry entry = EntryFor(record::Event::kRun, origin, request, result);
  if (const auto also = AlsoRecorded(result.outcome)) {
    record::Entry before = entry;
    before.event = *also;
    before.detail = {{"reason", result.reason}};
    BJ_TRY(log.Append(before));
  }
  json::object told = ToJson(result, memory);
  BJ_TRY(RecordVaults(log, entry, result, told));
  entry.detail = std::move(draft);
  BJ_TRY(AppendWithResult(log, std::move(entry), told, result));
  return told;
}

Result<> RecordReplay(record::Log& log, const Origin& origin, const request::Request& request,
                      json::object draft, const ReplayNote& note, const json::object& told,
                      RunResult& result) {
  record::Entry entry = EntryFor(record::Event::kReplay, origin, request, result);
  entry.detail = std::move(draft);
  entry.detail["of"] = note.of;
  entry.detail["of_index"] = note.index;
  entry.detail["same"] = note.same;
  return AppendWithResult(log, std::move(entry), told, result);
}

Result<json::object> Recorder::Draft(const Run& run, const request::Request& request) {
  const RunTerms terms{run.policy.get(), run.redactor.get(), builds_.Of(request.image)};
  return DraftRecord(*log_, request, terms);
}

// Only if it is quick: the same thread watches the limits.
void Recorder::BuildRecordDuringRun(Run& run) {
  if (log_ == nullptr || !run.has_effects() || !IsCheapToRecord(run.request)) return;
  run.on_started = [this, &run] { run.draft = Draft(run, run.request); };
}

Result<> Recorder::Record(Run& run) {
  const Origin& origin = run.requester.origin;
  RunResult& result = *run.result;
  result.traceparent = origin.traceparent;
  if (!origin.skill.empty()) {
    result.skill = {{"name", origin.skill}, {"version", origin.skill_version}};
  }
  if (log_ == nullptr || !run.has_effects()) return {};
  const auto record = [&]() -> Result<> {
    auto draft = BJ_TRY(run.draft ? *std::move(run.draft) : Draft(run, run.request));
    run.told = BJ_TRY(RecordRun(*log_, origin, run.request, std::move(draft), result, &run.memory));
    return {};
  };
  const auto recorded = record().While("record");
  if (recorded) return {};
  // Every failure of the log becomes "unavailable" for the caller.
  return Error(Kind::kUnavailable, recorded.error().message(), recorded.error().sys());
}

Result<> Recorder::NoteRecovery(const Origin& origin, const json::object& done) {
  if (log_ == nullptr) return {};
  const auto appended =
      log_->Append(EntryFrom(record::Event::kRecovered, origin, done)).While("record");
  if (!appended) return Error(Kind::kUnavailable, appended.error().message());
  return {};
}

Result<> Recorder::Replay(const Run& run, const ReplayNote& note, const json::object& told,
                          RunResult& result) {
  if (log_ == nullptr) return {};
  const request::Request request = AsAsked(run);
  auto draft = BJ_TRY(Draft(run, request).While("record"));
  return RecordReplay(*log_, run.requester.origin, request, std::move(draft), note, told, result)
      .While("record");
}

}  // namespace belljar::run
