#include "server/openapi.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <vector>

#include "server/openapi_schemas.h"

namespace belljar::server {
namespace {

struct Call {
  std::string_view method;
  std::string_view path;
  std::string_view summary;
  std::string_view takes;       // name of the body's schema, or its media type; empty: none
  std::string_view gives;       // the same for the answer
  std::string_view also = {};   // further media types of the answer, with blanks between
  std::string_view query = {};  // names of parameters, with blanks between
};

constexpr std::string_view kStreams = "application/x-ndjson text/event-stream";
constexpr std::string_view kFilters = "session outcome correlation_id since until before limit";
constexpr std::string_view kAuditFilters =
    "run event session outcome correlation_id since until before limit";

constexpr std::array kCalls{
    Call{"post", "/v1/runs", "Run code in a fresh cell.", "Request", "Result", kStreams},
    Call{"get", "/v1/runs", "The caller's runs, newest first.", "", "Runs", "", kFilters},
    Call{"get", "/v1/runs/{id}", "One run, with its result while that is kept.", "", "Run"},
    Call{"post", "/v1/runs/{id}/replay", "Run it again, and compare.", "Replay", "Replayed"},
    Call{"delete", "/v1/runs/{id}/network", "Take its network away, while it runs.", "", "Revoked"},
    Call{"delete", "/v1/runs/{id}/tools", "Take its tools away, while it runs.", "", "NoTools"},
    Call{"delete", "/v1/runs/{id}/databases", "Take its databases away, while it runs.", "",
         "NoDatabases"},
    Call{"post", "/v1/sessions", "Make a session.", "SessionWish", "Session"},
    Call{"get", "/v1/sessions", "The caller's sessions, those that have ended and are kept too.",
         "", "Sessions"},
    Call{"get", "/v1/sessions/{id}", "One session.", "", "Session"},
    Call{"delete", "/v1/sessions/{id}", "End a session.", "", "Ended"},
    Call{"post", "/v1/sessions/{id}/runs", "Run code in a session.", "SessionRequest", "Result",
         kStreams},
    Call{"post", "/v1/sessions/{id}/interrupt", "Interrupt what runs.", "", "Interrupted"},
    Call{"delete", "/v1/sessions/{id}/network", "Take its network away.", "", "Revoked"},
    Call{"delete", "/v1/sessions/{id}/tools", "Take its tools away.", "", "NoTools"},
    Call{"delete", "/v1/sessions/{id}/databases", "Take its databases away.", "", "NoDatabases"},
    Call{"post", "/v1/sessions/{id}/checkpoints", "Save the session as it is now.", "",
         "Checkpoint"},
    Call{"get", "/v1/sessions/{id}/checkpoints", "Its checkpoints, oldest first.", "",
         "Checkpoints"},
    Call{"delete", "/v1/sessions/{id}/checkpoints/{checkpoint}", "Forget a checkpoint.", "",
         "Deleted"},
    Call{"post", "/v1/sessions/{id}/rollback", "Go back to a checkpoint.", "Rollback", "Session"},
    Call{"post", "/v1/sessions/{id}/pause", "Put a session aside, on disk.", "", "Session"},
    Call{"post", "/v1/sessions/{id}/resume", "Go on with a paused session.", "", "Session"},
    Call{"post", "/v1/sessions/{id}/fork", "Make sessions that start from this one.", "Fork",
         "Sessions"},
    Call{"get", "/v1/sessions/{id}/files", "The workspace's tree, or a tar of it.", "", "Files",
         "application/x-tar", "format"},
    Call{"put", "/v1/sessions/{id}/files", "Unpack a tar.", "application/x-tar", "Unpacked"},
    Call{"get", "/v1/sessions/{id}/files/{path}", "A file.", "", "application/octet-stream"},
    Call{"put", "/v1/sessions/{id}/files/{path}", "Write a file.", "application/octet-stream",
         "File"},
    Call{"delete", "/v1/sessions/{id}/files/{path}", "Remove a file or a directory.", "",
         "Deleted"},
    Call{"post", "/v1/check", "Judge a request, and run nothing; ?quick asks no interpreter.",
         "Request", "Judgement", "", "quick"},
    Call{"get", "/v1/approvals", "Questions that wait for a person, and the answers.", "",
         "Approvals", "", "state"},
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
    Call{"get", "/v1/skills/{name}/runs", "Its last runs, newest first.", "", "SkillRuns", "",
         "limit"},
    Call{"post", "/v1/skills/{name}/runs", "Run it with an input.", "SkillInput", "Result",
         kStreams},
    Call{"get", "/v1/artefacts", "Artefacts that runs may read.", "", "Artefacts"},
    Call{"put", "/v1/artefacts/{name}", "Add a file; ?replace=true also over other content.",
         "application/octet-stream", "Artefact", "", "replace"},
    Call{"delete", "/v1/artefacts/{name}", "Remove an artefact.", "", "RemovedArtefact"},
    Call{"get", "/v1/audit", "Records, newest first.", "", "Records", "", kAuditFilters},
    Call{"get", "/v1/audit/{index}", "One record.", "", "Record"},
    Call{"get", "/v1/audit/{index}/proof", "Proof that a record is in the log.", "", "text/plain"},
    Call{"get", "/v1/events", "What happens, as it happens.", "", "text/event-stream",
         "application/x-ndjson"},
    Call{"get", "/healthz", "Whether the daemon answers.", "", "Health"},
    Call{"get", "/metrics", "Counters for Prometheus.", "", "text/plain"},
};

std::vector<std::string_view> Words(std::string_view text) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

json::object Content(std::string_view name, std::string_view also = {}) {
  const json::object text = {{"schema", {{"type", "string"}}}};
  const bool media = name.find('/') != std::string_view::npos;
  json::object content;
  if (media) {
    content[name] = text;
  } else {
    const std::string schema = "#/components/schemas/" + std::string(name);
    content["application/json"] = {{"schema", {{"$ref", schema}}}};
  }
  for (const std::string_view type : Words(also)) content[type] = text;
  return content;
}

json::object Parameter(std::string_view name, std::string_view in) {
  return {{"name", name},
          {"in", in},
          {"required", in == "path"},
          {"schema", {{"type", name == "limit" || name == "before" ? "integer" : "string"}}}};
}

json::array Parameters(const Call& call) {
  json::array parameters;
  const std::string_view path = call.path;
  for (std::size_t open = path.find('{'); open != std::string_view::npos;
       open = path.find('{', open + 1)) {
    const auto name = path.substr(open + 1, path.find('}', open) - open - 1);
    parameters.push_back(Parameter(name, "path"));
  }
  for (const std::string_view name : Words(call.query)) {
    parameters.push_back(Parameter(name, "query"));
  }
  return parameters;
}

// "post /v1/sessions/{id}/runs" is post_v1_sessions_id_runs: what generated clients call it.
std::string OperationId(const Call& call) {
  std::string id(call.method);
  for (const char c : call.path) {
    if (c == '/') id += '_';
    if (c != '/' && c != '{' && c != '}') id += c == '.' ? '_' : c;
  }
  return id;
}

// Bodies that may be left out, because everything in them may.
bool IsOptional(std::string_view body) {
  return body == "SessionWish" || body == "Replay" || body == "No" || body == "DisableSkill";
}

json::object Operation(const Call& call) {
  json::object operation = {
      {"operationId", OperationId(call)},
      {"summary", call.summary},
      {"responses",
       {{"200", {{"description", "done"}, {"content", Content(call.gives, call.also)}}},
        {"default", {{"description", "not done"}, {"content", Content("Error")}}}}}};
  if (!call.takes.empty()) {
    operation["requestBody"] = {{"required", !IsOptional(call.takes)},
                                {"content", Content(call.takes)}};
  }
  if (auto parameters = Parameters(call); !parameters.empty()) {
    operation["parameters"] = std::move(parameters);
  }
  if (call.path == "/healthz") operation["security"] = json::array();  // anybody may
  return operation;
}

}  // namespace

json::object OpenApi() {
  json::object schemas = ApiSchemas();
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
