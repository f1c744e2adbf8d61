// SkillClient: the skills of a daemon or, where none serves it, of the state directory.
//
// Both ways give the same JSON. Through a daemon, skills are judged by its policy, belong to the
// caller that the daemon knows this user as, and changes are recorded. Without one they are judged
// by $BELLJAR_POLICY, $BELLJAR_LEVEL or the default, and belong to this user.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "door/cli/command.h"
#include "door/cli/daemon_link.h"
#include "foundation/base/json.h"
#include "foundation/base/result.h"
#include "foundation/storage/database.h"
#include "resource/skill/registry.h"

namespace belljar::door::cli {

struct OpenedSkills {
  std::unique_ptr<storage::Database> database;
  std::unique_ptr<resource::skill::Registry> registry;
};
// Opens the skills of the state directory.
Result<OpenedSkills> OpenSkills(const DaemonFlags& flags);

class SkillClient {
 public:
  static Result<SkillClient> Open(const DaemonFlags& flags);

  // A skill that the policy blocks has an "error" beside "findings".
  Result<json::object> Add(const json::object& definition);
  Result<json::object> List();
  Result<json::object> Show(const resource::skill::Handle& handle);
  Result<json::object> History(const resource::skill::Handle& handle, std::size_t limit);
  Result<json::object> Enable(const resource::skill::Handle& handle);
  Result<json::object> Disable(const resource::skill::Handle& handle, const std::string& why);
  Result<json::object> Remove(const resource::skill::Handle& handle);

  // Null: no daemon; the skills are in registry().
  DaemonLink* daemon() { return daemon_ ? &*daemon_ : nullptr; }
  resource::skill::Registry& registry() { return *opened_.registry; }

 private:
  SkillClient() = default;
  Result<json::object> AddThere(const json::object& definition);
  Result<json::object> AddHere(const json::object& definition);
  Result<json::object> Post(const std::string& path, const json::object& body);

  DaemonFlags flags_;
  std::optional<DaemonLink> daemon_;
  OpenedSkills opened_;
};

// The path of a skill, such as "/v1/skills/NAME@2/runs".
std::string SkillPath(const resource::skill::Handle& handle, std::string_view rest = "");

}  // namespace belljar::door::cli
