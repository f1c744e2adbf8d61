#include "door/cli/skill_client.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>

#include "door/cli/questions.h"
#include "foundation/storage/state_dir.h"
#include "run/assessment.h"
#include "run/check.h"
#include "run/skill_json.h"

namespace belljar::door::cli {
namespace {

// The policy for a skill without a level, which is judged like a run without one.
Result<run::Terms> TermsHere() {
  RunFlags flags;
  const char* const level = std::getenv("BELLJAR_LEVEL");
  if (level != nullptr) flags.level = level;
  return TermsOf(flags);
}

// Asks the interpreter for syntax errors; skipped where the image does not exist yet or no cell is
// available.
Result<run::Checked> AskHere(const DaemonFlags& daemon, const request::Request& request) {
  const std::string image = BJ_TRY(StateDir(daemon)) + "/images/" + request.image;
  if (::access((image + "/image.json").c_str(), R_OK) != 0) return run::Checked();
  RunFlags flags;
  flags.daemon = daemon;
  const auto engine = OpenEngine(flags, 0);
  if (!engine) return run::Checked();
  return (*engine)->Check(request, run::AskInterpreter::kAndKeepCode);
}

}  // namespace

std::string SkillPath(const resource::skill::Handle& handle, std::string_view rest) {
  std::string name = handle.name;
  if (handle.version) name += fmt::format("@{}", *handle.version);
  return fmt::format("/v1/skills/{}{}", http::client::EscapeSegment(name), rest);
}

Result<OpenedSkills> OpenSkills(const DaemonFlags& flags) {
  const std::string dir = BJ_TRY(StateDir(flags));
  auto database = BJ_TRY(storage::OpenStateDatabase(dir));
  auto registry = BJ_TRY(resource::skill::Registry::Open(*database, dir + "/skills.key"));
  return OpenedSkills{std::move(database), std::move(registry)};
}

Result<SkillClient> SkillClient::Open(const DaemonFlags& flags) {
  SkillClient door;
  door.flags_ = flags;
  door.daemon_ = BJ_TRY(DaemonLink::Find(flags));
  if (!door.daemon_) door.opened_ = BJ_TRY(OpenSkills(flags));
  return door;
}

Result<json::object> SkillClient::Post(const std::string& path, const json::object& body) {
  return daemon_->AskJson(
      {"POST", path, "application/json", "application/json", json::serialize(body)});
}

Result<json::object> SkillClient::AddThere(const json::object& definition) {
  auto connection = BJ_TRY(daemon_->Connect());
  const http::client::Answer answer = BJ_TRY(connection.Exchange(
      {"POST", "/v1/skills", "application/json", "application/json", json::serialize(definition)},
      {}));
  auto told = ParseJson(answer.body);
  const bool has_findings = told && told->is_object() && told->get_object().contains("findings");
  if (answer.status / 100 != 2 && !has_findings) return http::client::ErrorOf(answer);
  if (!has_findings) return Error(Kind::kInternal, "the daemon's answer says nothing of the skill");
  return std::move(told->get_object());
}

Result<json::object> SkillClient::AddHere(const json::object& definition) {
  const auto parsed = BJ_TRY(resource::skill::ParseDefinition(json::serialize(definition)));
  auto terms = BJ_TRY(TermsHere());
  run::Assessment assessment(std::move(terms));
  const auto ask = [this](const request::Request& request) { return AskHere(flags_, request); };
  const auto stored = BJ_TRY(run::JudgeAndStore(assessment, registry(), MyName(), parsed, ask));
  return run::StoredJson(stored);
}

Result<json::object> SkillClient::Add(const json::object& definition) {
  return daemon_ ? AddThere(definition) : AddHere(definition);
}

Result<json::object> SkillClient::List() {
  if (daemon_) return daemon_->AskJson({"GET", "/v1/skills"});
  return run::ListSkills(registry(), MyName());
}

Result<json::object> SkillClient::Show(const resource::skill::Handle& handle) {
  if (daemon_) return daemon_->AskJson({"GET", SkillPath(handle)});
  return run::ShowSkill(registry(), MyName(), handle);
}

Result<json::object> SkillClient::History(const resource::skill::Handle& handle,
                                          std::size_t limit) {
  const std::string asked = fmt::format("/runs?limit={}", limit);
  if (daemon_) return daemon_->AskJson({"GET", SkillPath(handle, asked)});
  return run::SkillHistory(registry(), MyName(), handle, limit);
}

Result<json::object> SkillClient::Enable(const resource::skill::Handle& handle) {
  if (daemon_) return Post(SkillPath(handle, "/enable"), {});
  const auto changed = BJ_TRY(registry().Enable(MyName(), handle));
  return run::ChangedJson(changed);
}

Result<json::object> SkillClient::Disable(const resource::skill::Handle& handle,
                                          const std::string& why) {
  if (daemon_) return Post(SkillPath(handle, "/disable"), {{"why", why}});
  const auto changed = BJ_TRY(registry().Disable(MyName(), handle, why));
  return run::ChangedJson(changed);
}

Result<json::object> SkillClient::Remove(const resource::skill::Handle& handle) {
  if (handle.version) {
    return Error(
        Kind::kInvalid,
        fmt::format("a skill is removed with all its versions: belljar skill rm {}", handle.name));
  }
  if (daemon_) return daemon_->AskJson({"DELETE", SkillPath(handle)});
  const auto versions = BJ_TRY(registry().Remove(MyName(), handle.name));
  return json::object{{"name", handle.name}, {"versions", versions}};
}

}  // namespace belljar::door::cli
