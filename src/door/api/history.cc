#include "door/api/history.h"

#include <fmt/format.h>

#include <charconv>

#include "run/outcome.h"

namespace belljar::door::api {
namespace {

using Query = std::multimap<std::string, std::string>;

constexpr std::size_t kMostListed = 1'000;

Error BadFilter(const std::string& name, const std::string& value) {
  return Error(Kind::kInvalid, fmt::format("\"{}\" cannot be \"{}\"", name, value.substr(0, 64)));
}

Error NoSuch(std::string_view what, const std::string& name, const std::string& known) {
  return Error(Kind::kInvalid,
               fmt::format("there is no {} \"{}\"; there are {}", what, name.substr(0, 64), known));
}

Result<std::uint64_t> ReadNumber(const std::string& name, const std::string& value) {
  std::uint64_t number = 0;
  const char* const end = value.data() + value.size();
  const auto [at, error] = std::from_chars(value.data(), end, number);
  if (value.empty() || error != std::errc() || at != end) return BadFilter(name, value);
  return number;
}

Result<> Apply(const std::string& name, const std::string& value, record::Filter& filter) {
  if (name == "session") {
    filter.session_id = value;
  } else if (name == "run") {
    filter.run_id = value;
  } else if (name == "event") {
    filter.event = record::ParseEvent(value);
    if (!filter.event) return NoSuch(name, value, record::EventNames());
  } else if (name == "outcome") {
    filter.outcome = value;
  } else if (name == "correlation_id") {
    filter.correlation_id = value;
  } else if (name == "since") {
    filter.since = BJ_TRY(record::ParseTime(value));
  } else if (name == "until") {
    filter.until = BJ_TRY(record::ParseTime(value));
  } else if (name == "before") {
    filter.before_index = BJ_TRY(ReadNumber(name, value));
  } else if (name == "limit") {
    filter.limit = BJ_TRY(ReadNumber(name, value));
    if (filter.limit == 0 || filter.limit > kMostListed) return BadFilter(name, value);
  } else {
    return Error(Kind::kInvalid, fmt::format("there is no filter \"{}\"", name));
  }
  return {};
}

json::object Summary(const record::Record& record) {
  json::object object = {{"id", record.run_id},
                         {"index", record.index},
                         {"time", record::TimeText(record.time_ms)},
                         {"outcome", record.outcome}};
  if (!record.session_id.empty()) object["session"] = record.session_id;
  if (!record.correlation_id.empty()) object["correlation_id"] = record.correlation_id;
  return object;
}

// The digest of a body, from the record.
Result<std::string> DigestIn(const record::Record& record, std::string_view name) {
  const json::value entry = BJ_TRY(ParseJson(record.entry));
  const json::value* const digest =
      entry.as_object().contains("detail") && entry.at("detail").is_object()
          ? entry.at("detail").as_object().if_contains(name)
          : nullptr;
  if (digest == nullptr || !digest->is_string()) return std::string();
  return std::string(digest->get_string().c_str());
}

}  // namespace

Result<> ApplyFilters(const Query& query, const IdOfSession& id_of, record::Filter& filter) {
  for (const auto& [name, value] : query) {
    if (query.count(name) > 1) {
      return Error(Kind::kInvalid, fmt::format("the filter \"{}\" is given twice", name));
    }
    BJ_TRY(Apply(name, value, filter));
  }
  // A run's outcome is one of a fixed list; other records may have any text there.
  const bool of_runs = filter.event == record::Event::kRun;
  if (of_runs && !filter.outcome.empty() && !run::OutcomeNamed(filter.outcome)) {
    return NoSuch("outcome", filter.outcome, run::OutcomeNames());
  }
  if (!filter.session_id.empty()) filter.session_id = id_of(filter.session_id);
  return {};
}

Result<json::value> FindRuns(record::Log& log, const std::string& caller, const Query& query,
                             const IdOfSession& id_of) {
  record::Filter filter;
  filter.caller = caller;
  filter.event = record::Event::kRun;
  if (query.contains("event")) return Error(Kind::kInvalid, "there is no filter \"event\"");
  BJ_TRY(ApplyFilters(query, id_of, filter));
  json::array runs;
  for (const record::Record& record : BJ_TRY(log.Find(filter))) runs.push_back(Summary(record));
  return json::value{{"runs", std::move(runs)}};
}

Result<json::value> OneRun(record::Log& log, const std::string& caller, const std::string& id) {
  record::Filter filter;
  filter.caller = caller;
  filter.event = record::Event::kRun;
  filter.run_id = id;
  filter.limit = 1;
  const auto found = BJ_TRY(log.Find(filter));
  if (found.empty()) return Error(Kind::kNotFound, fmt::format("there is no run \"{}\"", id));
  json::object object = Summary(found.front());
  const std::string digest = BJ_TRY(DigestIn(found.front(), "result"));
  const auto body = digest.empty() ? std::nullopt : BJ_TRY(log.Body(digest));
  if (body) {
    auto result = ParseJson(*body);
    if (!result) {
      return Error(Kind::kInternal, fmt::format("the result of run \"{}\" is damaged: {}", id,
                                                result.error().message()));
    }
    object["result"] = *std::move(result);
  }
  return json::value(std::move(object));
}

}  // namespace belljar::door::api
