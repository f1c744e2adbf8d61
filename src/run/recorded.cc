#include "run/recorded.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "foundation/base/text.h"
#include "record/body_store.h"
#include "request/request_json.h"

namespace belljar::run {
namespace {

std::string Upper(std::string_view text) {
  std::string upper(text);
  for (char& c : upper) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return upper;
}

bool NamedLikeASecret(std::string_view name) {
  constexpr std::array<std::string_view, 7> kSecrets = {
      "TOKEN", "SECRET", "PASSWORD", "PASSWD", "CREDENTIAL", "API_KEY", "PRIVATE_KEY"};
  const std::string upper = Upper(name);
  return std::ranges::any_of(
      kSecrets, [&](std::string_view word) { return upper.find(word) != std::string::npos; });
}

bool IsSecret(const std::string& name, const std::string& value,
              const judgement::redaction::Redactor* redactor) {
  if (redactor == nullptr || value.empty()) return false;
  if (NamedLikeASecret(name)) return true;
  judgement::redaction::Counts counts;
  static_cast<void>(redactor->RedactWhole(name + "=" + value, counts));
  return !counts.empty();
}

// The request without the parts that have bodies of their own, and without its ids.
json::object InputsOf(const request::Request& request,
                      const judgement::redaction::Redactor* redactor) {
  request::Request rest = request;
  for (std::string* const text :
       {&rest.id, &rest.correlation_id, &rest.reason, &rest.code, &rest.stdin_bytes}) {
    text->clear();
  }
  rest.command.clear();
  rest.files.clear();
  json::array withheld;
  for (const auto& [name, value] : request.env) {
    if (!IsSecret(name, value, redactor)) continue;
    rest.env.erase(name);
    withheld.emplace_back(name);
  }
  json::object inputs = request::ToJson(rest);
  inputs.erase("code");
  json::array vaults;
  for (const request::Vault& vault : request.vaults) {
    vaults.push_back({{"host", vault.host}, {"mode", request::VaultModeName(vault.mode)}});
  }
  if (!vaults.empty()) inputs["vaults"] = std::move(vaults);
  return {{"command", !request.command.empty()},
          {"request", std::move(inputs)},
          {"withheld", std::move(withheld)}};
}

Result<std::string> PutFilesBody(record::Log& log, const std::vector<request::InputFile>& files) {
  std::size_t bytes = 0;
  for (const request::InputFile& file : files) bytes += file.bytes.size();
  json::object all;
  for (const request::InputFile& file : files) {
    // If the files are too large, only their digests are kept, which still identify them.
    all[file.path] =
        bytes <= kMaxKeptFileBytes ? Base64Encode(file.bytes) : record::BodyDigest(file.bytes);
  }
  const std::string body = json::serialize(all);
  if (bytes <= kMaxKeptFileBytes) return log.PutBody(body);
  return record::BodyDigest(body);
}

}  // namespace

Result<> KeepRequest(record::Log& log, const request::Request& request, const RunTerms& terms,
                     json::object& detail) {
  const std::string inputs = json::serialize(InputsOf(request, terms.redactor));
  detail["inputs"] = BJ_TRY(log.PutBody(inputs));
  if (!request.files.empty()) detail["files"] = BJ_TRY(PutFilesBody(log, request.files));
  if (!terms.image.empty()) detail["image"] = terms.image;
  if (terms.policy == nullptr) return {};
  json::object policy = {{"name", terms.policy->name}, {"content", terms.policy->content}};
  const auto preset = judgement::policy::Preset(terms.policy->name);
  if (!preset || (*preset)->content != terms.policy->content) {
    policy["text"] = BJ_TRY(log.PutBody(terms.policy->text));
  }
  detail["policy"] = std::move(policy);
  return {};
}

namespace {

// Finds the record of the run by id or index.
Result<record::Record> FindRecord(record::Log& log, const Wanted& wanted) {
  const std::string shown = ToValidUtf8(wanted.which.substr(0, 64)).text;
  const Error none(Kind::kNotFound, fmt::format("the log has no run \"{}\"", shown));
  std::uint64_t index = 0;
  const char* const end = wanted.which.data() + wanted.which.size();
  const auto [at, failed] = std::from_chars(wanted.which.data(), end, index);
  if (failed == std::errc() && at == end) {
    auto record = BJ_TRY(log.At(index));
    if (!record || (wanted.caller && record->caller != *wanted.caller)) return none;
    return *std::move(record);
  }
  if (wanted.which.empty()) return none;
  record::Filter filter;
  filter.run_id = wanted.which;
  filter.caller = wanted.caller.value_or("");
  std::optional<record::Record> other;
  for (record::Record& record : BJ_TRY(log.Find(filter))) {
    if (record.event == record::Event::kRun) return std::move(record);
    other = std::move(record);
  }
  return other ? Result<record::Record>(*std::move(other)) : Result<record::Record>(none);
}

class RecordReader {
 public:
  RecordReader(record::Log& log, const record::Record& record)
      : log_(log),
        name_(record.run_id.empty() ? fmt::format("record {}", record.index)
                                    : "run " + record.run_id) {}

  Result<> ReadDetail(const record::Record& record) {
    const json::value entry = BJ_TRY(ParseJson(record.entry));
    const json::value* const detail = entry.as_object().if_contains("detail");
    if (detail == nullptr || !detail->is_object()) return Cannot("its record says nothing of it");
    detail_ = detail->get_object();
    if (!detail_.contains("detail_sha256")) return {};
    const std::string whole = BJ_TRY(Body("detail_sha256", "what its record refers to"));
    const json::value value = BJ_TRY(ParseJson(whole));
    if (!value.is_object()) return Cannot("its record cannot be read");
    detail_ = value.get_object();
    return {};
  }

  Error Cannot(std::string_view why) const {
    return Error(Kind::kInvalid, fmt::format("{} cannot be replayed: {}", name_, why));
  }

  record::Log& log() const { return log_; }
  const json::object& detail() const { return detail_; }

  std::string Text(std::string_view key) const { return TextIn(detail_, key); }

  static std::string TextIn(const json::object& object, std::string_view key) {
    const json::value* const value = object.if_contains(key);
    if (value == nullptr || !value->is_string()) return "";
    return std::string(value->get_string().data(), value->get_string().size());
  }

  Result<std::string> Body(std::string_view key, std::string_view what) {
    auto body = BJ_TRY(log_.Body(Text(key)));
    if (body) return *std::move(body);
    return Cannot(fmt::format("{} is not kept any more, or never was (retention.bodies)", what));
  }

  Result<json::object> ObjectBody(std::string_view key, std::string_view what) {
    const std::string body = BJ_TRY(Body(key, what));
    // Data within a result may itself have the full depth, so the limit is doubled.
    json::value value = BJ_TRY(ParseJson(body, 2 * kMaxJsonDepth));
    if (!value.is_object()) return Cannot(fmt::format("{} cannot be read", what));
    return std::move(value.get_object());
  }

 private:
  record::Log& log_;
  std::string name_;
  json::object detail_;
};

// Adds the values that were not kept; the caller must supply all of those and no others.
Result<> AddWithheld(const RecordReader& reader, const json::object& kept, const Wanted& wanted,
                     json::object& request) {
  std::vector<std::string> missing, names;
  if (const auto* const withheld = kept.if_contains("withheld"); withheld && withheld->is_array()) {
    for (const json::value& name : withheld->get_array()) {
      names.emplace_back(name.as_string().data(), name.as_string().size());
    }
  }
  for (const auto& [name, value] : wanted.env) {
    if (std::ranges::find(names, name) == names.end()) {
      return reader.Cannot(
          fmt::format("the value of {} is in its record and cannot be another one", name));
    }
  }
  json::value& env = request["env"];
  if (!env.is_object()) env = json::object();
  for (const std::string& name : names) {
    const auto given = wanted.env.find(name);
    if (given == wanted.env.end()) {
      missing.push_back(name);
    } else {
      env.get_object()[name] = given->second;
    }
  }
  if (missing.empty()) return {};
  return reader.Cannot(
      fmt::format("secrets are not kept; give the value of {} (--env NAME=VALUE, or \"env\")",
                  fmt::join(missing, ", ")));
}

Result<request::Request> ReadRequest(RecordReader& reader, const Wanted& wanted) {
  if (reader.Text("inputs").empty()) {
    return reader.Cannot("it was recorded by a version that did not keep what was asked");
  }
  json::object kept = BJ_TRY(reader.ObjectBody("inputs", "what was asked"));
  json::value* const asked = kept.if_contains("request");
  if (asked == nullptr || !asked->is_object()) return reader.Cannot("what was asked is damaged");
  json::object request = std::move(asked->get_object());
  BJ_TRY(AddWithheld(reader, kept, wanted, request));
  const std::string code = BJ_TRY(reader.Body("code", "its code"));
  const json::value* const is_command = kept.if_contains("command");
  if (is_command != nullptr && *is_command == json::value(true)) {
    request["command"] = BJ_TRY(ParseJson(code));
  } else {
    request["code"] = code;
  }
  if (!reader.Text("stdin").empty()) {
    request["stdin_base64"] = Base64Encode(BJ_TRY(reader.Body("stdin", "its standard input")));
  }
  if (!reader.Text("files").empty()) {
    request["files"] = BJ_TRY(reader.ObjectBody(
        "files",
        fmt::format("the content of its files, up to {} MiB in all,", kMaxKeptFileBytes >> 20)));
  }
  return request::ParseRequest(json::serialize(request));
}

// The policy of that time, if available: from its stored text, or today's if the fingerprint is the
// same.
Result<std::shared_ptr<const judgement::policy::Policy>> ReadPolicy(
    RecordReader& reader, const std::shared_ptr<const judgement::policy::Policy>& today) {
  const json::value* const recorded = reader.detail().if_contains("policy");
  if (recorded == nullptr || !recorded->is_object()) {
    return reader.Cannot("its record does not say which policy it was judged by");
  }
  const json::object& of = recorded->get_object();
  const std::string name = RecordReader::TextIn(of, "name");
  const std::string content = RecordReader::TextIn(of, "content");
  if (today && today->content == content) return today;
  const auto preset = judgement::policy::Preset(name);
  if (preset && (*preset)->content == content) {
    return std::make_shared<const judgement::policy::Policy>(**preset);
  }
  const Error changed = reader.Cannot(fmt::format(
      "the policy {} is not what it was: then {}, and its text of then is not to be had", name,
      content));
  const std::string text = RecordReader::TextIn(of, "text");
  if (text.empty()) return changed;
  const auto body = BJ_TRY(reader.log().Body(text));
  if (!body) return changed;
  auto policy = BJ_TRY(judgement::policy::ParsePolicy(*body, name));
  if (policy.content != content) {
    return reader.Cannot(
        fmt::format("the policy {} extends a preset that has changed since", name));
  }
  return std::make_shared<const judgement::policy::Policy>(std::move(policy));
}

// Refuses records that are not of a run that can be repeated.
Result<> RefuseKind(const RecordReader& reader, const record::Record& record) {
  if (record.event == record::Event::kReplay) {
    return reader.Cannot(fmt::format("it is a replay itself, of {}", reader.Text("of")));
  }
  if (record.event != record::Event::kRun) {
    return reader.Cannot(fmt::format("its record is a {} and no run", EventName(record.event)));
  }
  if (!record.session_id.empty()) {
    return reader.Cannot("it ran in a session, and what the session held before is not recorded");
  }
  if (record.outcome == "needs_approval" || record.outcome == "denied") {
    return reader.Cannot(fmt::format("it never ran: its outcome is {}", record.outcome));
  }
  return {};
}

}  // namespace

Result<Recorded> ReadRecorded(record::Log& log, const Wanted& wanted, const Assessment& today) {
  const record::Record record = BJ_TRY(FindRecord(log, wanted));
  RecordReader reader(log, record);
  BJ_TRY(reader.ReadDetail(record));
  BJ_TRY(RefuseKind(reader, record));
  Recorded recorded;
  recorded.run_id = record.run_id;
  recorded.index = record.index;
  recorded.time = record::TimeText(record.time_ms);
  recorded.image = reader.Text("image");
  recorded.request = BJ_TRY(ReadRequest(reader, wanted));
  recorded.result = BJ_TRY(reader.ObjectBody("result", "its result"));
  const auto terms = today.PolicyFor(recorded.request);
  recorded.policy = BJ_TRY(ReadPolicy(reader, terms ? *terms : nullptr));
  recorded.former_policy = !terms || (*terms)->content != recorded.policy->content;
  return recorded;
}

}  // namespace belljar::run
