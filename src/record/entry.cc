#include "record/entry.h"

#include <fmt/format.h>

#include <array>

#include "record/canonical.h"
#include "record/hash.h"
#include "record/tile.h"

namespace belljar::record {
namespace {

constexpr std::size_t kMaxFieldBytes = 256;
constexpr std::size_t kIndexAndTimeBytes = 20 + 24;

struct Named {
  Event event;
  std::string_view name;
};
constexpr std::array<Named, 21> kEvents = {{
    {Event::kRequest, "request"},
    {Event::kDecision, "decision"},
    {Event::kApproval, "approval"},
    {Event::kRun, "run"},
    {Event::kLimit, "limit"},
    {Event::kRefusal, "refusal"},
    {Event::kSession, "session"},
    {Event::kInterrupt, "interrupt"},
    {Event::kCheckpoint, "checkpoint"},
    {Event::kRollback, "rollback"},
    {Event::kFork, "fork"},
    {Event::kCommit, "commit"},
    {Event::kFile, "file"},
    {Event::kBroker, "broker"},
    {Event::kSkill, "skill"},
    {Event::kToken, "token"},
    {Event::kPolicy, "policy"},
    {Event::kReplay, "replay"},
    {Event::kStart, "start"},
    {Event::kStop, "stop"},
    {Event::kRecovered, "recovered"},
}};

// Appends ,"NAME":"TEXT" to `out`, unless the text is empty.
Result<> AddField(std::string& out, std::string_view name, std::string_view text) {
  if (text.empty()) return {};
  if (text.size() > kMaxFieldBytes) {
    return Error(Kind::kInvalid,
                 fmt::format("audit record: {} is longer than {} bytes", name, kMaxFieldBytes));
  }
  // Control characters are refused: terminals act on them, and some databases reject them.
  for (const char c : text) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) {
      return Error(Kind::kInvalid, fmt::format("audit record: {} has a control character", name));
    }
  }
  const std::string quoted = BJ_TRY(CanonicalString(text));
  out += fmt::format("{}\"{}\":{}", out.empty() || out.back() == '{' ? "" : ",", name, quoted);
  return {};
}

// Removes the member `name` from `object` and returns its text; "" if it is missing.
Result<std::string> TakeText(json::object& object, std::string_view name) {
  const auto* const value = object.if_contains(name);
  if (value == nullptr) return std::string();
  if (!value->is_string() || value->get_string().empty()) {
    return Error(Kind::kInvalid, fmt::format("its \"{}\" is not a text", name));
  }
  std::string text(value->get_string());
  object.erase(name);
  return text;
}

Result<> TakeTexts(json::object& object, Record& record) {
  record.caller = BJ_TRY(TakeText(object, "caller"));
  record.run_id = BJ_TRY(TakeText(object, "run_id"));
  record.session_id = BJ_TRY(TakeText(object, "session_id"));
  record.correlation_id = BJ_TRY(TakeText(object, "correlation_id"));
  record.traceparent = BJ_TRY(TakeText(object, "traceparent"));
  record.outcome = BJ_TRY(TakeText(object, "outcome"));
  const std::string event = BJ_TRY(TakeText(object, "event"));
  const auto known = ParseEvent(event);
  if (!known) return Error(Kind::kInvalid, "its \"event\" is not one of the list");
  record.event = *known;
  const std::string time = BJ_TRY(TakeText(object, "time"));
  record.time_ms = BJ_TRY(ParseTime(time));
  if (TimeText(record.time_ms) != time) return Error(Kind::kInvalid, "its \"time\" is malformed");
  return {};
}

Result<> TakeNumber(json::object& object, std::string_view name, std::uint64_t expected) {
  const auto* const value = object.if_contains(name);
  const auto number =
      value == nullptr
          ? boost::system::result<std::uint64_t>(boost::system::error_code(json::error::not_number))
          : json::try_value_to<std::uint64_t>(*value);
  if (!number) return Error(Kind::kInvalid, fmt::format("it has no \"{}\"", name));
  if (*number != expected) {
    return Error(Kind::kInvalid,
                 fmt::format("its \"{}\" is {} and not {}", name, *number, expected));
  }
  object.erase(name);
  return {};
}

}  // namespace

std::string_view EventName(Event event) {
  for (const Named& named : kEvents) {
    if (named.event == event) return named.name;
  }
  return "request";
}

std::optional<Event> ParseEvent(std::string_view name) {
  for (const Named& named : kEvents) {
    if (named.name == name) return named.event;
  }
  return {};
}

std::string EventNames() {
  std::string names;
  for (const Named& named : kEvents) {
    if (!names.empty()) names += ", ";
    names += named.name;
  }
  return names;
}

std::string Prepared::Complete(std::uint64_t index,
                               std::chrono::system_clock::time_point now) const {
  const auto since = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch());
  return fmt::format("{}{}{}{}{}", head, index, middle, TimeText(since.count()), tail);
}

Result<Prepared> Prepare(const Entry& entry, std::string_view detail) {
  Prepared prepared;
  prepared.head = "{";
  BJ_TRY(AddField(prepared.head, "caller", entry.caller));
  BJ_TRY(AddField(prepared.head, "correlation_id", entry.correlation_id));
  if (!entry.detail.empty()) {
    prepared.head += fmt::format("{}\"detail\":{}", prepared.head == "{" ? "" : ",", detail);
  }
  BJ_TRY(AddField(prepared.head, "event", EventName(entry.event)));
  prepared.head += ",\"index\":";
  prepared.middle = ",";
  std::string ids;
  BJ_TRY(AddField(ids, "outcome", entry.outcome));
  BJ_TRY(AddField(ids, "run_id", entry.run_id));
  BJ_TRY(AddField(ids, "session_id", entry.session_id));
  prepared.middle += ids + (ids.empty() ? "" : ",") + "\"time\":\"";
  prepared.tail = "\"";
  BJ_TRY(AddField(prepared.tail, "traceparent", entry.traceparent));
  prepared.tail += ",\"v\":1}";
  if (prepared.head.size() + prepared.middle.size() + prepared.tail.size() + kIndexAndTimeBytes >
      kMaxEntryBytes) {
    return Error(Kind::kInvalid, fmt::format("audit record: longer than {} bytes", kMaxEntryBytes));
  }
  return prepared;
}

Result<Record> ParseRecord(std::string_view bytes, std::uint64_t index) {
  const json::value parsed = BJ_TRY(ParseJson(bytes));
  if (!parsed.is_object()) return Error(Kind::kInvalid, "it is not a JSON object");
  const std::string canonical = BJ_TRY(Canonical(parsed));
  if (canonical != bytes) return Error(Kind::kInvalid, "it is not in canonical form");
  Record record;
  record.index = index;
  json::object rest = parsed.get_object();
  BJ_TRY(TakeNumber(rest, "v", 1));
  BJ_TRY(TakeNumber(rest, "index", index));
  BJ_TRY(TakeTexts(rest, record));
  if (const auto* const detail = rest.if_contains("detail"); detail != nullptr) {
    if (!detail->is_object()) return Error(Kind::kInvalid, "its \"detail\" is not an object");
    rest.erase("detail");
  }
  if (!rest.empty()) {
    return Error(Kind::kInvalid, fmt::format("it has an unknown member \"{}\"",
                                             std::string_view(rest.begin()->key())));
  }
  record.entry = bytes;
  record.hash = Hex(LeafHash(bytes));
  return record;
}

}  // namespace belljar::record
