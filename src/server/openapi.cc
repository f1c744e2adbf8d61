#include "server/openapi.h"

#include <array>
#include <string_view>

namespace belljar::server {
namespace {

struct Call {
  std::string_view method;
  std::string_view path;
  std::string_view summary;
  std::string_view takes;  // name of the body's schema, or its media type; empty: none
  std::string_view gives;  // the same for the answer
};

constexpr std::array kCalls{
    Call{"post", "/v1/runs", "Run code in a fresh cell.", "Request", "Result"},
    Call{"get", "/v1/runs", "The caller's runs, newest first.", "", "Runs"},
    Call{"get", "/v1/runs/{id}", "One run, with its result while that is kept.", "", "Run"},
    Call{"post", "/v1/runs/{id}/replay", "Run it again, and compare.", "Replay", "Replayed"},
    Call{"delete", "/v1/runs/{id}/network", "Take its network away, while it runs.", "", "Revoked"},
    Call{"delete", "/v1/runs/{id}/tools", "Take its tools away, while it runs.", "", "NoTools"},
    Call{"post", "/v1/sessions", "Make a session.", "SessionWish", "Session"},
    Call{"get", "/v1/sessions", "The caller's living sessions.", "", "Sessions"},
    Call{"get", "/v1/sessions/{id}", "One session.", "", "Session"},
    Call{"delete", "/v1/sessions/{id}", "End a session.", "", "Session"},
    Call{"post", "/v1/sessions/{id}/runs", "Run code in a session.", "Request", "Result"},
    Call{"post", "/v1/sessions/{id}/interrupt", "Interrupt what runs.", "", "Interrupted"},
    Call{"delete", "/v1/sessions/{id}/network", "Take its network away.", "", "Revoked"},
    Call{"post", "/v1/sessions/{id}/checkpoints", "Save the session as it is now.", "",
         "Checkpoint"},
    Call{"get", "/v1/sessions/{id}/checkpoints", "Its checkpoints, oldest first.", "",
         "Checkpoints"},
    Call{"delete", "/v1/sessions/{id}/checkpoints/{checkpoint}", "Forget a checkpoint.", "",
         "Checkpoint"},
    Call{"post", "/v1/sessions/{id}/rollback", "Go back to a checkpoint.", "Rollback", "Session"},
    Call{"post", "/v1/sessions/{id}/fork", "Make sessions that start from this one.", "Fork",
         "Sessions"},
    Call{"get", "/v1/sessions/{id}/files", "The workspace's tree, or a tar of it.", "", "Files"},
    Call{"put", "/v1/sessions/{id}/files", "Unpack a tar.", "application/x-tar", "Unpacked"},
    Call{"get", "/v1/sessions/{id}/files/{path}", "A file.", "", "application/octet-stream"},
    Call{"put", "/v1/sessions/{id}/files/{path}", "Write a file.", "application/octet-stream",
         "File"},
    Call{"delete", "/v1/sessions/{id}/files/{path}", "Remove a file or a directory.", "", "File"},
    Call{"post", "/v1/check", "Judge a request, and run nothing; ?quick asks no interpreter.",
         "Request", "Judgement"},
    Call{"get", "/v1/approvals", "Questions that wait for a person, and the answers.", "",
         "Approvals"},
    Call{"get", "/v1/approvals/{id}", "One question.", "", "Approval"},
    Call{"post", "/v1/approvals/{id}/approve", "Say yes.", "Yes", "Approval"},
    Call{"post", "/v1/approvals/{id}/deny", "Say no.", "No", "Approval"},
    Call{"post", "/v1/approvals/{id}/revoke", "Take a yes back.", "No", "Approval"},
    Call{"post", "/v1/approvals/{id}/cancel", "Take one's own question back.", "No", "Approval"},
    Call{"get", "/v1/skills", "The caller's skills, as a list of tools.", "", "Skills"},
    Call{"post", "/v1/skills", "Store a skill, or its next version.", "NewSkill", "StoredSkill"},
    Call{"get", "/v1/skills/{name}", "One skill, with its code.", "", "Skill"},
    Call{"delete", "/v1/skills/{name}", "Remove a skill.", "", "RemovedSkill"},
    Call{"post", "/v1/skills/{name}/enable", "Let it be run again.", "", "ChangedSkills"},
    Call{"post", "/v1/skills/{name}/disable", "Let nobody run it.", "DisableSkill",
         "ChangedSkills"},
    Call{"get", "/v1/skills/{name}/runs", "Its last runs, newest first.", "", "Runs"},
    Call{"post", "/v1/skills/{name}/runs", "Run it with an input.", "SkillInput", "Result"},
    Call{"get", "/v1/audit", "Records, newest first.", "", "Records"},
    Call{"get", "/v1/audit/{index}", "One record.", "", "Record"},
    Call{"get", "/v1/audit/{index}/proof", "Proof that a record is in the log.", "", "text/plain"},
    Call{"get", "/v1/events", "What happens, as it happens.", "", "text/event-stream"},
    Call{"get", "/healthz", "Whether the daemon answers.", "", "Health"},
    Call{"get", "/metrics", "Counters for Prometheus.", "", "text/plain"},
};

json::object Content(std::string_view name) {
  const bool media = name.find('/') != std::string_view::npos;
  const json::object schema =
      media ? json::object{{"type", "string"}}
            : json::object{{"$ref", "#/components/schemas/" + std::string(name)}};
  return {{media ? name : "application/json", {{"schema", schema}}}};
}

json::array Parameters(std::string_view path) {
  json::array parameters;
  for (std::size_t open = path.find('{'); open != std::string_view::npos;
       open = path.find('{', open + 1)) {
    const auto name = path.substr(open + 1, path.find('}', open) - open - 1);
    parameters.push_back(json::object{
        {"name", name}, {"in", "path"}, {"required", true}, {"schema", {{"type", "string"}}}});
  }
  return parameters;
}

json::object Operation(const Call& call) {
  json::object operation = {
      {"summary", call.summary},
      {"responses",
       {{"200", {{"description", "done"}, {"content", Content(call.gives)}}},
        {"default", {{"description", "not done"}, {"content", Content("Error")}}}}}};
  if (!call.takes.empty()) operation["requestBody"] = {{"content", Content(call.takes)}};
  if (auto parameters = Parameters(call.path); !parameters.empty()) {
    operation["parameters"] = std::move(parameters);
  }
  return operation;
}

json::object Strings(std::initializer_list<std::string_view> names) {
  json::object properties;
  for (const std::string_view name : names) properties[name] = {{"type", "string"}};
  return properties;
}

json::object Open(json::object properties) {
  return {{"type", "object"}, {"properties", std::move(properties)}};
}

const json::object& AnyList() {
  static const json::object list = {{"type", "array"}, {"items", {{"type", "object"}}}};
  return list;
}

json::object RequestSchema() {
  json::object request = Strings({"id", "lang", "code", "level", "image", "session", "reason",
                                  "stdin", "stdin_base64", "text", "correlation_id"});
  request["command"] = {{"type", "array"}, {"items", {{"type", "string"}}}};
  request["writes"] = request["command"];
  request["fallback"] = Open({{"lang", {{"type", "string"}}}, {"code", {{"type", "string"}}}});
  for (const char* number : {"timeout", "cpus", "processes", "output_lines", "deterministic"}) {
    request[number] = {{"type", "number"}};
  }
  request["input"] = json::object();  // anything
  request["input_schema"] = request["output_schema"] = {{"type", json::array{"object", "boolean"}}};
  request["allow_hosts"] = {{"type", "array"}, {"items", {{"type", "string"}}}};
  request["vaults"] = {{"type", "array"}, {"items", Open(Strings({"host", "mode"}))}};
  return Open(std::move(request));
}

json::object ResultSchema() {
  json::object result = Strings({"id", "correlation_id", "outcome", "stdout", "stderr", "reason"});
  result["skill"] = {{"type", "object"}};
  result["output"] = json::object();
  result["recovery"] = AnyList();
  result["results"] = AnyList();
  result["vaults"] = {{"type", "array"},
                      {"items", Open(Strings({"host", "mode", "outcome", "message"}))}};
  return Open(std::move(result));
}

json::object Schemas() {
  const json::object& any_list = AnyList();
  return {{"Request", RequestSchema()},
          {"Result", ResultSchema()},
          {"Run", Open(Strings({"id", "time", "outcome", "session"}))},
          {"Replay", Open({{"env", {{"type", "object"}}}})},
          {"Replayed", Open({{"id", {{"type", "string"}}},
                             {"of", {{"type", "string"}}},
                             {"time", {{"type", "string"}}},
                             {"same", {{"type", "boolean"}}},
                             {"differences", any_list},
                             {"notes", {{"type", "array"}, {"items", {{"type", "string"}}}}},
                             {"result", {{"type", "object"}}}})},
          {"Runs", Open({{"runs", any_list}})},
          {"SessionWish", Open(Strings({"name", "lang", "image", "memory"}))},
          {"Session", Open(Strings({"id", "name", "lang", "image", "state", "created"}))},
          {"Sessions", Open({{"sessions", any_list}})},
          {"Checkpoint", Open(Strings({"id", "created"}))},
          {"Checkpoints", Open({{"checkpoints", any_list}})},
          {"Rollback", Open(Strings({"checkpoint"}))},
          {"Fork", Open({{"count", {{"type", "integer"}}}})},
          {"Interrupted", Open(Strings({"id"}))},
          {"Revoked", Open(Strings({"id", "network"}))},
          {"NoTools", Open(Strings({"id", "tools"}))},
          {"Files", Open({{"files", any_list}})},
          {"Unpacked", Open({{"files", {{"type", "integer"}}}})},
          {"File", Open(Strings({"id", "path"}))},
          {"Judgement", Open({{"findings", any_list},
                              {"decision", {{"type", "object"}}},
                              {"notes", {{"type", "array"}, {"items", {{"type", "string"}}}}}})},
          {"Approval", Open(Strings({"id", "caller", "state", "digest", "session", "lang", "code",
                                     "reason", "level", "created", "expires", "why"}))},
          {"Approvals", Open({{"approvals", any_list}})},
          {"Yes", Open(Strings({"digest", "grant", "for", "note"}))},
          {"No", Open(Strings({"note"}))},
          {"Record", Open(Strings({"event", "caller", "time", "hash"}))},
          {"Records", Open({{"records", any_list}})},
          {"Health", Open(Strings({"status"}))},
          {"Error", Open({{"error", Open(Strings({"kind", "message"}))}})}};
}

void AddSkillSchemas(json::object& schemas) {
  const json::object any_list = {{"type", "array"}, {"items", {{"type", "object"}}}};
  json::object skill = Strings({"name", "description", "lang", "level", "image", "code"});
  skill["input_schema"] =
      skill["output_schema"] = {{"type", json::array{"object", "boolean", "null"}}};
  skill["threshold"] = skill["timeout"] = {{"type", "number"}};
  schemas["NewSkill"] = Open(skill);
  for (const char* const text : {"state", "why", "digest", "created"}) {
    skill[text] = {{"type", "string"}};
  }
  skill["version"] = skill["newest"] = {{"type", "integer"}};
  skill["stats"] = {{"type", "object"}};
  schemas["Skill"] = Open(std::move(skill));
  schemas["Skills"] = Open({{"skills", any_list}});
  schemas["StoredSkill"] = Open({{"stored", {{"type", "boolean"}}},
                                 {"name", {{"type", "string"}}},
                                 {"version", {{"type", "integer"}}},
                                 {"findings", any_list},
                                 {"decision", {{"type", "object"}}}});
  json::object run = Strings({"id", "correlation_id", "reason"});
  run["input"] = json::object();  // anything
  schemas["SkillInput"] = Open(std::move(run));
  schemas["DisableSkill"] = Open(Strings({"why"}));
  schemas["ChangedSkills"] = Open({{"changed", any_list}});
  schemas["RemovedSkill"] =
      Open({{"name", {{"type", "string"}}}, {"versions", {{"type", "integer"}}}});
}

}  // namespace

json::object OpenApi() {
  json::object schemas = Schemas();
  AddSkillSchemas(schemas);
  json::object paths;
  for (const Call& call : kCalls) {
    json::value& path = paths[call.path];
    if (!path.is_object()) path = json::object();
    path.as_object()[call.method] = Operation(call);
  }
  return {{"openapi", "3.1.0"},
          {"info", {{"title", "Belljar"}, {"version", BELLJAR_VERSION}}},
          {"paths", std::move(paths)},
          {"components",
           {{"schemas", std::move(schemas)},
            {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}},
          {"security", json::array{json::object{{"token", json::array()}}}}};
}

}  // namespace belljar::server
