#include "door/api/openapi.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cctype>
#include <set>
#include <string>

#include "door/api/routes.h"
#include "door/api/session_wish.h"
#include "foundation/base/json.h"
#include "request/request.h"
#include "run/run_result.h"

namespace belljar::door::api {
namespace {

using testing::ContainerEq;
using testing::IsSupersetOf;
using Names = std::set<std::string>;

const json::object& Api() {
  static const json::value api = json::parse(OpenApi());
  return api.get_object();
}

const json::object& Schema(const char* name) {
  return Api().at("components").at("schemas").at(name).get_object();
}

Names Properties(const char* schema) {
  Names names;
  for (const auto& property : Schema(schema).at("properties").get_object()) {
    names.emplace(property.key());
  }
  return names;
}

// Formats a call: "GET /v1/sessions/{id}/files/{path}". OpenAPI has no syntax for a parameter of
// several segments.
std::string CallName(std::string method, std::string pattern) {
  for (char& c : method) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  if (const auto mark = pattern.find("...}"); mark != std::string::npos) pattern.erase(mark, 3);
  return method + " " + pattern;
}

TEST(OpenApi, NamesTheCallsThatAreServedAndNoOthers) {
  // The routes keep a reference to the service but do not use it until they are called.
  alignas(service::Service) std::array<std::byte, sizeof(service::Service)> unused{};
  const auto router = MakeRouter(*reinterpret_cast<service::Service*>(unused.data()));
  ASSERT_TRUE(router) << router.error().message();
  Names served;
  for (const auto& [method, pattern] : router->routes()) served.insert(CallName(method, pattern));
  EXPECT_EQ(served.erase("GET /openapi.json"), 1u) << "the description does not describe itself";
  Names named;
  for (const auto& path : Api().at("paths").get_object()) {
    for (const auto& call : path.value().get_object()) {
      named.insert(CallName(call.key(), path.key()));
    }
  }
  EXPECT_THAT(named, ContainerEq(served));
}

TEST(OpenApi, NamesTheParametersOfEachPathAndOfNoOther) {
  for (const auto& path : Api().at("paths").get_object()) {
    Names in_path;
    const std::string_view text = path.key();
    for (auto open = text.find('{'); open != text.npos; open = text.find('{', open + 1)) {
      in_path.emplace(text.substr(open + 1, text.find('}', open) - open - 1));
    }
    for (const auto& call : path.value().get_object()) {
      Names named;
      const json::value* const parameters = call.value().get_object().if_contains("parameters");
      if (parameters != nullptr) {
        for (const json::value& parameter : parameters->get_array()) {
          if (parameter.at("in") == "path") named.emplace(parameter.at("name").get_string());
        }
      }
      EXPECT_THAT(named, ContainerEq(in_path)) << call.key() << " " << text;
    }
  }
}

void FindReferences(const json::value& value, Names& found) {
  if (const auto* list = value.if_array()) {
    for (const json::value& item : *list) FindReferences(item, found);
  }
  const auto* const object = value.if_object();
  if (object == nullptr) return;
  for (const auto& member : *object) {
    if (member.key() == "$ref") found.emplace(member.value().get_string());
    FindReferences(member.value(), found);
  }
}

TEST(OpenApi, HasTheSchemasThatAreReferredToAndNoOthers) {
  Names referred, there;
  FindReferences(Api(), referred);
  for (const auto& schema : Api().at("components").at("schemas").get_object()) {
    there.insert("#/components/schemas/" + std::string(schema.key()));
  }
  EXPECT_THAT(referred, ContainerEq(there));
}

// A valid value for each key of a request or a session request.
const json::object& Samples() {
  static const json::value samples = json::parse(R"json({
    "id": "r", "lang": "bash", "code": "1", "command": ["ls"], "level": "strict",
    "image": "default", "backend": "native", "session": "s", "reason": "because", "stdin": "in",
    "stdin_base64": "aW4=", "input": 1, "input_schema": true, "output_schema": true,
    "text": "plain", "fallback": {"code": "1"}, "writes": ["*.txt"], "args": ["a"],
    "env": {"A": "1"}, "files": {"a": "YQ=="}, "fetch": ["a"],
    "vaults": [{"host": "/srv/data"}], "allow_hosts": ["example.com"], "artefacts": ["weights"],
    "deterministic": 1, "correlation_id": "c",
    "timeout": 1, "cpu_time": 1, "memory": "64M", "cpus": 1, "processes": 16, "open_files": 64,
    "workspace": "16M", "workspace_inodes": 1000, "file_size": "1M", "output_bytes": 1000,
    "output_lines": 10, "file_operations": 10,
    "name": "n", "idle_timeout": "2m", "wall_budget": 1, "cpu_budget": 1
  })json");
  return samples.get_object();
}

TEST(OpenApi, HasASampleForEveryKeyThatIsParsedOrNamed) {
  Names parsed = {"code"};
  for (const std::string_view key : request::RequestKeys()) parsed.emplace(key);
  for (const std::string_view key : SessionWishKeys()) parsed.emplace(key);
  Names sampled;
  for (const auto& sample : Samples()) sampled.emplace(sample.key());
  EXPECT_THAT(sampled, ContainerEq(parsed));
  for (const char* const schema : {"Request", "SessionRequest", "SessionWish"}) {
    EXPECT_THAT(sampled, IsSupersetOf(Properties(schema)));
  }
}

// The keys whose samples `parse` accepts, each combined with `always`.
template <class Parse>
Names Taken(const json::object& always, Parse parse) {
  Names taken;
  for (const auto& sample : Samples()) {
    json::object body = always;
    if (sample.key() == "command") body.erase("code");
    if (sample.key() == "input_schema") body["input"] = Samples().at("input");
    body[sample.key()] = sample.value();
    if (parse(json::serialize(body))) taken.emplace(sample.key());
  }
  return taken;
}

TEST(OpenApi, NamesTheKeysOfARequest) {
  const auto parse = [](const std::string& body) { return request::ParseRequest(body); };
  EXPECT_THAT(Properties("Request"), ContainerEq(Taken({{"code", "1"}}, parse)));
  EXPECT_EQ(Schema("Request").at("additionalProperties"), json::value(false));
}

TEST(OpenApi, NamesTheKeysOfARunInASession) {
  const auto parse = [](const std::string& body) { return ParseSessionRun(body, {}); };
  Names taken = Taken({{"code", "1"}}, parse);
  EXPECT_EQ(taken.erase("fallback"), 1u) << "the engine refuses it in a session";
  EXPECT_THAT(Properties("SessionRequest"), ContainerEq(taken));
  EXPECT_EQ(Schema("SessionRequest").at("additionalProperties"), json::value(false));
}

TEST(OpenApi, NamesTheKeysOfTheWishForASession) {
  const auto parse = [](const std::string& body) { return ParseSessionWish(body); };
  EXPECT_THAT(Properties("SessionWish"), ContainerEq(Taken({}, parse)));
  EXPECT_EQ(Schema("SessionWish").at("additionalProperties"), json::value(false));
}

TEST(OpenApi, NamesTheKeysOfAResult) {
  run::RunResult result;
  const auto keys = [&result] {
    Names names;
    for (const auto& member : ToJson(result)) names.emplace(member.key());
    return names;
  };
  Names always;
  for (const json::value& name : Schema("Result").at("required").get_array()) {
    always.emplace(name.get_string());
  }
  EXPECT_THAT(keys(), IsSupersetOf(always));
  result.output = json::value(1);
  result.reason = result.traceparent = "known";
  result.vaults.resize(1);
  result.recovery.resize(1);
  result.audit = result.skill = result.session = {{"id", "known"}};
  EXPECT_THAT(Properties("Result"), ContainerEq(keys()));
}

}  // namespace
}  // namespace belljar::door::api
