// Parses a result sent by a daemon. The daemon is trusted, but parts of the result come from a
// program: a member that is missing or has another type is an error.
#include <fmt/format.h>

#include "foundation/base/text.h"
#include "run/run_result.h"

namespace belljar::run {
namespace {

Error Unreadable(std::string_view key) {
  return Error(Kind::kInternal, fmt::format("the result cannot be read: \"{}\"", key));
}

Result<std::string> Text(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  if (value == nullptr || !value->is_string()) return Unreadable(key);
  return std::string(value->get_string().data(), value->get_string().size());
}

Result<json::object> Object(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  if (value == nullptr || !value->is_object()) return Unreadable(key);
  return value->get_object();
}

// A missing or null key yields nullopt.
template <class T>
Result<std::optional<T>> Number(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  if (value == nullptr || value->is_null()) return std::optional<T>();
  boost::system::error_code failed;
  const T number = value->to_number<T>(failed);
  if (failed) return Unreadable(key);
  return std::optional<T>(number);
}

bool IsTrue(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  return value != nullptr && value->is_bool() && value->get_bool();
}

Result<std::vector<std::string>> Names(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  if (value == nullptr || !value->is_array()) return Unreadable(key);
  std::vector<std::string> names;
  for (const json::value& name : value->get_array()) {
    if (!name.is_string()) return Unreadable(key);
    names.emplace_back(name.get_string().data(), name.get_string().size());
  }
  return names;
}

Result<Usage> ReadUsage(const json::object& result) {
  const json::object object = BJ_TRY(Object(result, "usage"));
  Usage usage;
  usage.wall_ms = BJ_TRY(Number<double>(object, "wall_ms")).value_or(0);
  usage.cpu_ms = BJ_TRY(Number<double>(object, "cpu_ms"));
  usage.memory_peak_bytes = BJ_TRY(Number<std::uint64_t>(object, "memory_peak_bytes"));
  usage.processes_peak = BJ_TRY(Number<std::uint64_t>(object, "processes_peak"));
  usage.processes_left = BJ_TRY(Number<std::uint64_t>(object, "processes_left"));
  usage.network_requests = BJ_TRY(Number<std::uint64_t>(object, "network_requests")).value_or(0);
  usage.file_operations = BJ_TRY(Number<std::uint64_t>(object, "file_operations"));
  usage.bytes_written = BJ_TRY(Number<std::uint64_t>(object, "bytes_written"));
  usage.refusals = BJ_TRY(Number<std::uint64_t>(object, "refusals"));
  const auto requests = BJ_TRY(Number<std::uint64_t>(object, "network_requests"));
  usage.network_requests = requests.value_or(0);
  return usage;
}

Result<std::map<std::string, std::string>> ReadMap(const json::object& object,
                                                   std::string_view key) {
  std::map<std::string, std::string> map;
  if (!object.contains(key)) return map;
  const json::object members = BJ_TRY(Object(object, key));
  for (const auto& [name, value] : members) {
    std::string text = BJ_TRY(Text(members, name));
    map.emplace(name, std::move(text));
  }
  return map;
}

Result<FileChanges> ReadFiles(const json::object& result) {
  const json::object object = BJ_TRY(Object(result, "files"));
  FileChanges files;
  files.created = BJ_TRY(Names(object, "created"));
  files.changed = BJ_TRY(Names(object, "changed"));
  files.deleted = BJ_TRY(Names(object, "deleted"));
  if (object.contains("unexpected")) files.unexpected = BJ_TRY(Names(object, "unexpected"));
  files.incomplete = IsTrue(object, "incomplete");
  const auto fetched = BJ_TRY(ReadMap(object, "fetched"));
  for (const auto& [path, text] : fetched) {
    if (!Base64Decode(text, files.fetched[path])) return Unreadable("fetched");
  }
  files.fetch_refused = BJ_TRY(ReadMap(object, "fetch_refused"));
  return files;
}

Result<> ReadEnding(const json::object& object, RunResult& result) {
  const std::string outcome = BJ_TRY(Text(object, "outcome"));
  const auto named = OutcomeNamed(outcome);
  if (!named) return Unreadable("outcome");
  result.outcome = *named;
  result.exit_code = BJ_TRY(Number<int>(object, "exit_code"));
  result.signal = BJ_TRY(Number<int>(object, "signal"));
  if (object.contains("reason")) result.reason = BJ_TRY(Text(object, "reason"));
  const json::value* const error = object.if_contains("error");
  if (error == nullptr || error->is_null()) return {};
  if (!error->is_object()) return Unreadable("error");
  cell::guest::GuestError raised;
  raised.type = BJ_TRY(Text(error->get_object(), "type"));
  raised.message = BJ_TRY(Text(error->get_object(), "message"));
  raised.traceback = BJ_TRY(Text(error->get_object(), "traceback"));
  result.error = std::move(raised);
  return {};
}

Result<> ReadOutput(const json::object& object, RunResult& result) {
  const json::object truncated = BJ_TRY(Object(object, "truncated"));
  result.stdout_captured.bytes = BJ_TRY(Text(object, "stdout"));
  result.stdout_captured.truncated = IsTrue(truncated, "stdout");
  result.stderr_captured.bytes = BJ_TRY(Text(object, "stderr"));
  result.stderr_captured.truncated = IsTrue(truncated, "stderr");
  if (const json::value* const output = object.if_contains("output")) result.output = *output;
  const json::value* const shown = object.if_contains("results");
  if (shown == nullptr || !shown->is_array()) return Unreadable("results");
  for (const json::value& bundle : shown->get_array()) {
    if (!bundle.is_object()) return Unreadable("results");
    result.results.push_back(bundle.get_object());
  }
  return {};
}

}  // namespace

Result<RunResult> ReadResult(const json::object& object) {
  RunResult result;
  if (const json::value* const id = object.if_contains("id")) result.id = *id;
  result.correlation_id = BJ_TRY(Text(object, "correlation_id"));
  BJ_TRY(ReadEnding(object, result));
  BJ_TRY(ReadOutput(object, result));
  result.usage = BJ_TRY(ReadUsage(object));
  result.files = BJ_TRY(ReadFiles(object));
  result.layers = BJ_TRY(Object(object, "layers"));
  result.decision = BJ_TRY(Object(object, "decision"));
  const json::value* const findings = object.if_contains("findings");
  if (findings == nullptr || !findings->is_array()) return Unreadable("findings");
  result.findings = findings->get_array();
  if (const json::value* const taken = object.if_contains("redactions")) {
    if (!taken->is_array()) return Unreadable("redactions");
    result.redactions = taken->get_array();
  }
  if (object.contains("skill")) result.skill = BJ_TRY(Object(object, "skill"));
  if (const json::value* const done = object.if_contains("recovery")) {
    if (!done->is_array()) return Unreadable("recovery");
    result.recovery = done->get_array();
  }
  if (object.contains("audit")) result.audit = BJ_TRY(Object(object, "audit"));
  if (object.contains("session")) result.session = BJ_TRY(Object(object, "session"));
  return result;
}

}  // namespace belljar::run
