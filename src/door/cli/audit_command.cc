// belljar audit: shows and verifies the audit log.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <set>

#include "door/cli/command.h"
#include "door/cli/terminal.h"
#include "foundation/base/sys.h"
#include "foundation/base/text.h"
#include "record/log.h"
#include "record/proof.h"
#include "record/reader.h"
#include "record/verify.h"
#include "run/outcome.h"
#include "service/callers/change_log.h"

namespace belljar::door::cli {
namespace {

constexpr int kNotWhole = 1;
constexpr std::size_t kMaxProofFile = 1 << 20;

struct AuditArguments {
  std::string state, database;
  std::string caller, session, run, event, outcome, correlation_id, since, until;
  std::optional<std::uint64_t> before, from;
  std::size_t limit = 50;
  std::string which;  // INDEX or RUN_ID
  std::string proof, key;
  bool json = false;
};

Result<record::Reader> OpenReader(const AuditArguments& arguments) {
  const std::string state = BJ_TRY(run::StateDirOr(arguments.state));
  return record::Reader::Open(state, arguments.database);
}

Result<record::Filter> FilterOf(const AuditArguments& arguments) {
  record::Filter filter;
  filter.caller = arguments.caller;
  filter.session_id = arguments.session;
  filter.run_id = arguments.run;
  filter.outcome = arguments.outcome;
  filter.correlation_id = arguments.correlation_id;
  filter.before_index = arguments.before;
  filter.from_index = arguments.from;
  filter.limit = arguments.limit;
  if (!arguments.event.empty()) {
    filter.event = record::ParseEvent(arguments.event);
    if (!filter.event) {
      return Error(Kind::kInvalid, fmt::format("--event {}: there is no such event; there are {}",
                                               MakeVisible(arguments.event), record::EventNames()));
    }
  }
  // A run's outcome is one of a fixed list; other records may have any text there.
  const bool of_runs = filter.event == record::Event::kRun;
  if (of_runs && !filter.outcome.empty() && !run::OutcomeNamed(filter.outcome)) {
    return Error(Kind::kInvalid, fmt::format("--outcome {}: no run ends so; there are {}",
                                             MakeVisible(filter.outcome), run::OutcomeNames()));
  }
  if (!arguments.since.empty()) {
    filter.since = BJ_TRY(record::ParseTime(arguments.since).While("--since"));
  }
  if (!arguments.until.empty()) {
    filter.until = BJ_TRY(record::ParseTime(arguments.until).While("--until"));
  }
  return filter;
}

// The record as stored in the log, with its leaf hash.
json::object Describe(const record::Record& record) {
  const auto parsed = ParseJson(record.entry);
  json::object described = parsed && parsed->is_object() ? parsed->get_object() : json::object();
  described["hash"] = record.hash;
  return described;
}

Result<int> List(const AuditArguments& arguments) {
  auto reader = BJ_TRY(OpenReader(arguments));
  const auto filter = BJ_TRY(FilterOf(arguments));
  const auto records = BJ_TRY(reader.Find(filter));
  if (arguments.json) {
    json::array all;
    for (const auto& record : records) all.push_back(Describe(record));
    fmt::print("{}\n", json::serialize(all));
    return 0;
  }
  fmt::print("{:>8}  {:<24}  {:<10}  {:<16}  {:<14}  {}\n", "INDEX", "TIME", "EVENT", "CALLER",
             "OUTCOME", "RUN OR SESSION");
  for (const auto& record : records) {
    fmt::print("{:>8}  {:<24}  {:<10}  {:<16}  {:<14}  {}\n", record.index,
               record::TimeText(record.time_ms), record::EventName(record.event),
               MakeVisible(record.caller), MakeVisible(record.outcome),
               MakeVisible(record.run_id.empty() ? record.session_id : record.run_id));
  }
  return 0;
}

// Pages through all records that match the filter, oldest first.
Result<int> Export(const AuditArguments& arguments) {
  auto reader = BJ_TRY(OpenReader(arguments));
  auto filter = BJ_TRY(FilterOf(arguments));
  filter.order = record::Order::kOldestFirst;
  filter.limit = record::kMaxFound;
  while (true) {
    const auto records = BJ_TRY(reader.Find(filter));
    for (const auto& record : records) fmt::print("{}\n", json::serialize(Describe(record)));
    if (records.size() < filter.limit) break;
    filter.from_index = records.back().index + 1;
  }
  if (std::fflush(stdout) != 0) return SysError("write", "standard output", errno);
  return 0;
}

// Collects every "sha256:…" in the record.
void CollectDigests(const json::value& value, std::set<std::string>& digests) {
  if (value.is_string()) {
    const std::string_view text = value.get_string();
    if (text.size() == 71 && text.starts_with("sha256:")) digests.emplace(text);
  } else if (value.is_array()) {
    for (const auto& item : value.get_array()) CollectDigests(item, digests);
  } else if (value.is_object()) {
    for (const auto& member : value.get_object()) CollectDigests(member.value(), digests);
  }
}

// Finds records by index if `which` is all digits, else by run id.
Result<std::vector<record::Record>> RecordsNamed(record::Reader& reader, const std::string& which) {
  if (const auto index = record::ParseDecimal(which)) {
    auto record = BJ_TRY(reader.At(*index));
    if (!record) return Error(Kind::kNotFound, fmt::format("the log has no record {}", *index));
    return std::vector<record::Record>{std::move(*record)};
  }
  record::Filter filter;
  filter.run_id = which;
  filter.limit = record::kMaxFound;
  filter.order = record::Order::kOldestFirst;
  auto records = BJ_TRY(reader.Find(filter));
  if (records.empty()) {
    return Error(Kind::kNotFound, fmt::format("the log has no run {}", MakeVisible(which)));
  }
  return records;
}

Result<json::object> WithBodies(record::Reader& reader, const record::Record& record) {
  json::object shown = Describe(record);
  std::set<std::string> digests;
  CollectDigests(shown, digests);
  json::object bodies;
  for (const std::string& digest : digests) {
    const auto body = BJ_TRY(reader.Body(digest));
    if (body) bodies[digest] = ToValidUtf8(*body).text;
  }
  shown["bodies"] = std::move(bodies);
  return shown;
}

void Print(const json::object& shown) {
  for (const auto& member : shown) {
    if (member.key() == "bodies") continue;
    const json::value& value = member.value();
    const std::string text =
        value.is_string() ? std::string(value.get_string()) : json::serialize(value);
    fmt::print("{:<15} {}\n", std::string_view(member.key()), MakeVisible(text));
  }
  for (const auto& body : shown.at("bodies").get_object()) {
    fmt::print("\n-- {}\n", std::string_view(body.key()));
    TerminalOutput out;
    std::fflush(stdout);
    out.Write(STDOUT_FILENO, std::string_view(body.value().get_string()));
    out.Finish();
    fmt::print("\n");
  }
}

Result<int> Show(const AuditArguments& arguments) {
  auto reader = BJ_TRY(OpenReader(arguments));
  const auto records = BJ_TRY(RecordsNamed(reader, arguments.which));
  json::array all;
  for (const auto& record : records) {
    json::object shown = BJ_TRY(WithBodies(reader, record));
    all.push_back(std::move(shown));
  }
  if (arguments.json) {
    fmt::print("{}\n", json::serialize(all.size() == 1 ? all[0] : json::value(all)));
    return 0;
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (i > 0) fmt::print("\n");
    Print(all[i].get_object());
  }
  return 0;
}

Result<int> VerifyProof(const AuditArguments& arguments) {
  if (arguments.key.empty()) {
    return Error(Kind::kInvalid, "audit verify --proof: say whose log it is, with --key KEY.pub");
  }
  const std::string text = BJ_TRY(ReadFile(arguments.proof, kMaxProofFile).While("--proof"));
  const std::string line = BJ_TRY(record::ReadLine(arguments.key).While("--key"));
  const auto key = BJ_TRY(record::VerifierKey::Parse(line).While("--key"));
  const auto proof = record::ParseProof(text);
  const auto record =
      proof ? record::CheckProof(*proof, key) : Result<record::Record>(proof.error());
  if (arguments.json) {
    json::object report = {{"ok", static_cast<bool>(record)}, {"log", key.name()}};
    if (record) report["record"] = Describe(*record);
    if (!record) report["problem"] = record.error().message();
    fmt::print("{}\n", json::serialize(report));
  } else if (record) {
    fmt::print("record {} is in the log {}\n{}\n", record->index, key.name(), record->entry);
  } else {
    fmt::print(stderr, "belljar: the proof does not hold: {}\n", record.error().message());
  }
  return record ? 0 : kNotWhole;
}

json::object Describe(const record::VerifyReport& report) {
  json::object described = {{"ok", !report.first_bad.has_value()},
                            {"log", report.log},
                            {"records", report.records},
                            {"signed", report.signed_records}};
  json::array notes;
  for (const std::string& note : report.notes) notes.emplace_back(note);
  described["notes"] = std::move(notes);
  if (report.first_bad) {
    json::object bad = {{"index", nullptr}, {"problem", report.first_bad->what}};
    if (report.first_bad->index) bad["index"] = *report.first_bad->index;
    described["first_bad"] = std::move(bad);
  }
  return described;
}

// Compares the log's records about callers with the table of callers.
Result<> VerifyCallers(const AuditArguments& arguments, const std::string& state,
                       record::VerifyReport& report) {
  const std::string file = state + "/belljar.db";
  if (report.first_bad || ::access(file.c_str(), F_OK) != 0) return {};
  const auto recorded = [&]() -> Result<std::vector<json::object>> {
    auto reader = BJ_TRY(record::Reader::Open(state, arguments.database));
    record::Filter filter;
    filter.event = record::Event::kToken;
    filter.order = record::Order::kOldestFirst;
    filter.limit = record::kMaxFound;
    std::vector<json::object> details;
    while (true) {
      const auto records = BJ_TRY(reader.Find(filter));
      for (const auto& record : records) {
        const json::value entry = BJ_TRY(ParseJson(record.entry));
        const json::value* const detail = entry.get_object().if_contains("detail");
        if (detail != nullptr && detail->is_object()) details.push_back(detail->get_object());
      }
      if (records.size() < filter.limit) return details;
      filter.from_index = records.back().index + 1;
    }
  };
  const auto database = BJ_TRY(storage::Database::Open("sqlite:" + file));
  const std::string differs = BJ_TRY(service::callers::CompareWithRecords(*database, recorded));
  if (!differs.empty()) report.first_bad = record::Finding{{}, "its table of callers: " + differs};
  return {};
}

Result<int> Verify(const AuditArguments& arguments) {
  if (!arguments.proof.empty()) return VerifyProof(arguments);
  const std::string state = BJ_TRY(run::StateDirOr(arguments.state));
  auto report = BJ_TRY(record::Verify(state, arguments.database));
  if (const auto compared = VerifyCallers(arguments, state, report); !compared) {
    report.notes.push_back("callers are not compared with their records: " +
                           compared.error().message());
  }
  if (arguments.json) {
    fmt::print("{}\n", json::serialize(Describe(report)));
  } else {
    for (const std::string& note : report.notes) fmt::print("note: {}\n", note);
    if (!report.first_bad) {
      fmt::print("{} records are as they were written, {} of them signed by {}\n", report.records,
                 report.signed_records, report.log);
    } else if (report.first_bad->index) {
      fmt::print("record {} is the first bad one: {}\n", *report.first_bad->index,
                 MakeVisible(report.first_bad->what));
    } else {
      fmt::print("the log is not as it was written: {}\n", MakeVisible(report.first_bad->what));
    }
  }
  return report.first_bad ? kNotWhole : 0;
}

Result<int> Prove(const AuditArguments& arguments) {
  auto reader = BJ_TRY(OpenReader(arguments));
  const std::uint64_t index = BJ_TRY(record::ParseDecimal(arguments.which).While("INDEX"));
  const std::string proof = BJ_TRY(reader.Proof(index));
  if (arguments.json) {
    const json::object printed = {{"index", index}, {"proof", proof}};
    fmt::print("{}\n", json::serialize(printed));
  } else {
    fmt::print("{}", proof);
  }
  return 0;
}

void Bind(CLI::App* command, const std::shared_ptr<AuditArguments>& arguments,
          Result<int> (*action)(const AuditArguments&), int& status) {
  command->add_option("--state", arguments->state, "the state directory");
  command->add_option("--database", arguments->database, "a postgresql:// address, if it is there");
  command->callback([arguments, action, &status] {
    const auto done = action(*arguments);
    status = done ? *done : Fail(done.error());
  });
}

void AddFilters(CLI::App* command, AuditArguments& arguments) {
  command->add_option("--caller", arguments.caller, "who asked");
  command->add_option("--session", arguments.session, "of this session");
  command->add_option("--run", arguments.run, "of this run");
  command->add_option("--event", arguments.event, "request, decision, run, limit, refusal …");
  command->add_option("--outcome", arguments.outcome, "ok, timeout, refused …");
  command->add_option("--correlation-id", arguments.correlation_id, "the caller's own id");
  command->add_option("--since", arguments.since, "from this time on: 2026-11-15T14:50Z");
  command->add_option("--until", arguments.until, "before this time");
  command->add_option("--before", arguments.before, "with an index below this");
  command->add_option("--from", arguments.from, "with this index or a higher one");
}

}  // namespace

void AddAuditCommand(CLI::App& app, int& status) {
  const auto arguments = std::make_shared<AuditArguments>();
  CLI::App* const audit =
      app.add_subcommand("audit", "the log of everything that was asked and done");
  audit->require_subcommand(1);
  CLI::App* const list = audit->add_subcommand("list", "list records, the newest first");
  AddFilters(list, *arguments);
  list->add_option("--limit", arguments->limit, "at most so many (50, up to 1000)");
  list->add_flag("--json", arguments->json, "print a JSON array");
  Bind(list, arguments, List, status);
  CLI::App* const show = audit->add_subcommand("show", "show a record, or those of a run");
  show->add_option("INDEX|RUN", arguments->which, "a record's index or a run's id")->required();
  show->add_flag("--json", arguments->json, "print a JSON object");
  Bind(show, arguments, Show, status);
  CLI::App* const verify = audit->add_subcommand("verify", "prove the whole log, or one proof");
  verify->add_option("--proof", arguments->proof, "a proof's file, checked without the log");
  verify->add_option("--key", arguments->key, "the file of the log's public key");
  verify->add_flag("--json", arguments->json, "print a JSON object");
  Bind(verify, arguments, Verify, status);
  CLI::App* const proof = audit->add_subcommand("proof", "print the proof that a record is there");
  proof->add_option("INDEX", arguments->which, "the record's index")->required();
  proof->add_flag("--json", arguments->json, "print a JSON object");
  Bind(proof, arguments, Prove, status);
  CLI::App* const exported =
      audit->add_subcommand("export", "print records, one JSON object a line");
  AddFilters(exported, *arguments);
  Bind(exported, arguments, Export, status);
}

}  // namespace belljar::door::cli
