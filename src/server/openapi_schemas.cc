#include "server/openapi_schemas.h"

#include <initializer_list>
#include <string_view>

#include "policy/limit_fields.h"

namespace belljar::server {
// Of its own, so that "Result" and the like mean what they do elsewhere.
namespace schemas {
namespace {

using Names = std::initializer_list<std::string_view>;

json::object Is(std::string_view type) { return {{"type", type}}; }
json::object OrNull(std::string_view type) { return {{"type", json::array{type, "null"}}}; }
json::object Ref(std::string_view name) {
  return {{"$ref", "#/components/schemas/" + std::string(name)}};
}
json::object ListOf(json::object items) { return {{"type", "array"}, {"items", std::move(items)}}; }
json::object OneOf(Names words) {
  json::array list;
  for (const std::string_view word : words) list.emplace_back(word);
  return {{"type", "string"}, {"enum", std::move(list)}};
}
// Seconds or bytes as a number, or with a unit: "10m", "512M".
json::object Amount() { return {{"type", json::array{"string", "number"}}}; }

json::object Each(Names names, const json::object& schema) {
  json::object properties;
  for (const std::string_view name : names) properties[name] = schema;
  return properties;
}

json::object Merge(json::object into, const json::object& more) {
  for (const auto& member : more) into[member.key()] = member.value();
  return into;
}

// An answer: there may be more than is named.
json::object Answered(json::object properties, Names always = {}) {
  json::object schema = {{"type", "object"}, {"properties", std::move(properties)}};
  json::array required;
  for (const std::string_view name : always) required.emplace_back(name);
  if (!required.empty()) schema["required"] = std::move(required);
  return schema;
}

// A body: nothing but what is named.
json::object Taken(json::object properties, Names always = {}) {
  json::object schema = Answered(std::move(properties), always);
  schema["additionalProperties"] = false;
  return schema;
}

json::object Lang() { return OneOf({"python", "javascript", "bash"}); }
json::object Texts() { return {{"type", "object"}, {"additionalProperties", Is("string")}}; }

json::object LimitProperties() {
  json::object properties;
  for (const policy::LimitField& field : policy::LimitFields()) {
    const bool unit = field.unit == policy::Unit::kDuration || field.unit == policy::Unit::kSize;
    const std::string_view number = field.unit == policy::Unit::kCount ? "integer" : "number";
    properties[field.key] = unit ? Amount() : Is(number);
  }
  return properties;
}

json::object Fallback() {
  json::object fallback = Each({"code"}, Is("string"));
  fallback["lang"] = Lang();
  fallback["command"] = fallback["args"] = ListOf(Is("string"));
  fallback["timeout"] = fallback["memory"] = Amount();
  return Taken(std::move(fallback));
}

// A whole number comes back as one. As a text it is a part of the run's path.
json::object RunId() {
  return {{"type", json::array{"string", "integer"}}, {"pattern", R"(^(?!\.{1,2}$)[^/]*$)"}};
}

// What a run in a session takes, too.
json::object RunProperties() {
  json::object run =
      Each({"code", "reason", "stdin", "correlation_id", "session", "stdin_base64"}, Is("string"));
  run["id"] = RunId();
  run["text"] = OneOf({"raw", "visible", "plain"});
  run["args"] = run["fetch"] = run["writes"] = ListOf(Is("string"));
  run["files"] = Texts();  // content in base64, by path
  run["input"] = json::object();
  run["input_schema"] = run["output_schema"] = {{"type", json::array{"object", "boolean"}}};
  const json::object limits = LimitProperties();
  for (const char* const key :
       {"timeout", "cpu_time", "output_lines", "output_bytes", "file_operations"}) {
    run[key] = limits.at(key);
  }
  return run;
}

json::object RequestProperties() {
  json::object request = Merge(RunProperties(), LimitProperties());
  for (const char* const key : {"level", "image"}) {
    request[key] = Is("string");
  }
  request["lang"] = Lang();
  request["backend"] = OneOf({"native", "gvisor", "docker"});
  request["env"] = Texts();
  request["command"] = request["artefacts"] = request["allow_hosts"] = ListOf(Is("string"));
  request["deterministic"] = Is("integer");
  request["fallback"] = Fallback();
  request["vaults"] =
      ListOf(Taken({{"host", Is("string")}, {"mode", OneOf({"ro", "rw"})}}, {"host"}));
  return request;
}

json::object SessionWish() {
  json::object wish = Each({"name", "image", "level"}, Is("string"));
  wish["lang"] = Lang();
  wish["backend"] = OneOf({"native", "gvisor", "docker"});
  wish["idle_timeout"] = wish["wall_budget"] = wish["cpu_budget"] = Amount();
  const json::object limits = LimitProperties();
  for (const char* const key : {"memory", "cpus", "processes", "workspace", "workspace_inodes",
                                "open_files", "file_size"}) {
    wish[key] = limits.at(key);
  }
  wish["env"] = wish["files"] = Texts();
  wish["allow_hosts"] = wish["artefacts"] = ListOf(Is("string"));
  return Taken(std::move(wish));
}

json::object Usage() {
  json::object usage = Each({"memory_peak_bytes", "processes_peak", "file_operations",
                             "bytes_written", "network_requests"},
                            OrNull("integer"));
  usage["wall_ms"] = Is("number");
  usage["cpu_ms"] = OrNull("number");
  return Answered(std::move(usage), {"wall_ms"});
}

json::object Finding() {
  json::object finding = Each({"rule", "severity", "action", "message"}, Is("string"));
  finding["line"] = finding["column"] = Is("integer");
  return Answered(std::move(finding), {"rule", "severity", "message"});
}

json::object Decision() {
  json::object decision = {{"action", OneOf({"allow", "warn", "review", "block"})},
                           {"level", OneOf({"L1", "L2", "L3", "L4"})},
                           {"reasons", Is("array")}};
  return Answered(std::move(decision), {"action", "level", "reasons"});
}

json::object Result() {
  json::object result = Each({"correlation_id", "traceparent", "reason"}, Is("string"));
  result["id"] = RunId();
  result["stdout"] = result["stderr"] = Is("string");
  result["outcome"] = OneOf({"ok", "exit", "exception", "signal", "timeout", "memory", "processes",
                             "output", "disk", "refused", "needs_approval", "denied", "cancelled"});
  result["exit_code"] = OrNull("integer");
  result["signal"] = {{"type", json::array{"string", "integer", "null"}}};
  result["truncated"] = Answered(Each({"stdout", "stderr"}, Is("boolean")), {"stdout", "stderr"});
  result["replaced"] = Answered(Each({"stdout", "stderr"}, Is("integer")));
  result["error"] = OrNull("object");
  result["output"] = json::object();
  result["results"] = ListOf(Is("object"));
  result["usage"] = Usage();
  result["files"] = Answered(Each({"created", "changed", "deleted"}, ListOf(Is("string"))),
                             {"created", "changed", "deleted"});
  result["findings"] = ListOf(Ref("Finding"));
  result["decision"] = Ref("Decision");
  result["redactions"] = result["recovery"] = ListOf(Is("object"));
  result["skill"] = result["session"] = result["layers"] = Is("object");
  result["audit"] = OrNull("object");
  result["vaults"] = ListOf(Answered(Each({"host", "mode", "outcome", "message"}, Is("string"))));
  return Answered(
      std::move(result),
      {"id", "correlation_id", "outcome", "exit_code", "signal", "stdout", "stderr", "truncated",
       "error", "results", "findings", "decision", "usage", "files", "redactions", "layers"});
}

json::object Session() {
  json::object session =
      Each({"id", "name", "image", "backend", "level", "reason", "created", "last_used", "ended"},
           Is("string"));
  session["lang"] = Lang();
  session["state"] = OneOf({"idle", "running", "paused", "ended"});
  session["runs"] = Is("integer");
  session["usage"] = session["workspace"] = Is("object");
  return Answered(std::move(session),
                  {"id", "lang", "image", "backend", "state", "created", "last_used", "runs"});
}

json::object Checkpoint() {
  json::object checkpoint = Each({"id", "created"}, Is("string"));
  checkpoint["runs"] = checkpoint["memory_bytes"] = checkpoint["file_bytes"] = checkpoint["files"] =
      Is("integer");
  return Answered(std::move(checkpoint), {"id", "created", "runs"});
}

json::object Run() {
  json::object run = Each({"id", "time", "outcome", "session", "correlation_id"}, Is("string"));
  run["index"] = Is("integer");
  run["result"] = OrNull("object");  // while it is kept
  return Answered(std::move(run), {"id", "index", "time", "outcome"});
}

json::object Record() {
  json::object record = Each({"id", "event", "caller", "time", "hash", "run_id", "session_id",
                              "correlation_id", "traceparent", "outcome"},
                             Is("string"));
  record["index"] = record["v"] = Is("integer");
  record["detail"] = Is("object");
  // Calls by somebody unknown have no caller.
  return Answered(std::move(record), {"id", "event", "time", "hash", "index", "v"});
}

json::object Replayed() {
  json::object replayed = Each({"id", "of", "time"}, Is("string"));
  replayed["same"] = Is("boolean");
  replayed["differences"] = ListOf(Is("object"));
  replayed["notes"] = ListOf(Is("string"));
  replayed["result"] = Is("object");
  return Answered(std::move(replayed));
}

json::object Skill(json::object base) {
  for (const char* const text : {"state", "why", "digest", "created"}) base[text] = Is("string");
  base["version"] = base["newest"] = Is("integer");
  base["stats"] = Is("object");
  base["compiled"] = OrNull("object");  // where one is shown
  return Answered(std::move(base), {"name"});
}

json::object NewSkillProperties() {
  json::object skill =
      Each({"name", "description", "lang", "level", "image", "code"}, Is("string"));
  skill["input_schema"] =
      skill["output_schema"] = {{"type", json::array{"object", "boolean", "null"}}};
  skill["threshold"] = Is("number");
  skill["timeout"] = Amount();
  return skill;
}

void AddSkills(json::object& all) {
  all["NewSkill"] = Answered(NewSkillProperties(), {"name", "code"});
  all["Skill"] = Skill(NewSkillProperties());
  all["Skills"] = Answered({{"skills", ListOf(Is("object"))}}, {"skills"});
  all["StoredSkill"] = Answered({{"stored", Is("boolean")},
                                 {"name", Is("string")},
                                 {"version", Is("integer")},
                                 {"findings", ListOf(Ref("Finding"))},
                                 {"decision", Ref("Decision")}});
  all["SkillRuns"] = Answered({{"runs", ListOf(Is("object"))}}, {"runs"});
  json::object input = Each({"correlation_id", "reason"}, Is("string"));
  input["id"] = RunId();
  input["input"] = json::object();
  all["SkillInput"] = Taken(std::move(input));
  all["DisableSkill"] = Taken(Each({"why"}, Is("string")));
  all["ChangedSkills"] = Answered({{"changed", ListOf(Is("object"))}});
  all["RemovedSkill"] = Answered({{"name", Is("string")}, {"versions", Is("integer")}});
}

void AddArtefacts(json::object& all) {
  json::object artefact = Each({"name", "digest", "shape", "added"}, Is("string"));
  artefact["files"] = artefact["bytes"] = Is("integer");
  artefact["allowed"] = Is("boolean");
  all["Artefact"] = Answered(std::move(artefact), {"name", "digest"});
  all["Artefacts"] = Answered({{"artefacts", ListOf(Ref("Artefact"))}}, {"artefacts"});
  all["RemovedArtefact"] = Answered(Each({"name", "content"}, Is("string")));
}

void AddApprovals(json::object& all) {
  all["Judgement"] = Answered({{"findings", ListOf(Ref("Finding"))},
                               {"decision", Ref("Decision")},
                               {"notes", ListOf(Is("string"))}},
                              {"findings", "decision"});
  all["Approval"] = Answered(Each({"id", "caller", "state", "digest", "session", "lang", "code",
                                   "reason", "level", "created", "expires", "why"},
                                  Is("string")),
                             {"id", "state"});
  all["Approvals"] = Answered({{"approvals", ListOf(Ref("Approval"))}}, {"approvals"});
  all["Yes"] = Taken(Each({"digest", "grant", "for", "note"}, Is("string")));
  all["No"] = Taken(Each({"note"}, Is("string")));
}

void AddSessions(json::object& all) {
  all["SessionWish"] = SessionWish();
  all["Session"] = Session();
  all["Sessions"] = Answered({{"sessions", ListOf(Ref("Session"))}}, {"sessions"});
  all["Ended"] = Answered({{"id", Is("string")}, {"state", OneOf({"ended"})}}, {"id"});
  all["Deleted"] = Answered({{"id", Is("string")}, {"deleted", Is("boolean")}}, {"id"});
  all["Checkpoint"] = Checkpoint();
  all["Checkpoints"] = Answered({{"checkpoints", ListOf(Ref("Checkpoint"))}}, {"checkpoints"});
  all["Rollback"] = Taken(Each({"checkpoint"}, Is("string")), {"checkpoint"});
  const json::object count = {{"type", "integer"}, {"minimum", 1}, {"maximum", 100}};
  all["Fork"] = Taken({{"count", count}}, {"count"});
  all["Interrupted"] = Answered({{"id", Is("string")}, {"interrupted", Is("boolean")}}, {"id"});
  all["Revoked"] = Answered(Each({"id", "network"}, Is("string")), {"id"});
  all["NoTools"] = Answered(Each({"id", "tools"}, Is("string")), {"id"});
  all["NoDatabases"] = Answered(Each({"id", "databases"}, Is("string")), {"id"});
  all["File"] = Answered(Merge(Each({"id", "path"}, Is("string")), {{"bytes", Is("integer")}}),
                         {"id", "path", "bytes"});
  all["Files"] = Answered({{"files", ListOf(Ref("File"))}, {"incomplete", Is("boolean")}},
                          {"files", "incomplete"});
  all["Unpacked"] = Answered(Each({"files", "directories", "bytes"}, Is("integer")), {"files"});
}

json::object All() {
  json::object all = {
      {"Request", Taken(RequestProperties())},
      {"SessionRequest", Taken(RunProperties())},
      {"Finding", Finding()},
      {"Decision", Decision()},
      {"Result", Result()},
      {"Run", Run()},
      {"Runs", Answered({{"runs", ListOf(Ref("Run"))}}, {"runs"})},
      {"Replay", Taken({{"env", Texts()}})},
      {"Replayed", Replayed()},
      {"Record", Record()},
      {"Records", Answered({{"records", ListOf(Ref("Record"))}}, {"records"})},
      {"Health", Answered({{"status", OneOf({"ok", "stopping"})}}, {"status"})},
      {"Error",
       Answered({{"error", Answered(Each({"kind", "message"}, Is("string")), {"kind", "message"})}},
                {"error"})}};
  AddSessions(all);
  AddApprovals(all);
  AddSkills(all);
  AddArtefacts(all);
  return all;
}

}  // namespace
}  // namespace schemas

json::object ApiSchemas() { return schemas::All(); }

}  // namespace belljar::server
