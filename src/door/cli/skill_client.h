// SkillDoor: the skills of a daemon, or of the state directory where none serves it.
//
// Both ways give the same JSON. Through a daemon skills are judged by its policy, belong to the
// caller it knows this user by, and what becomes of them is recorded; without one they are judged
// by $BELLJAR_POLICY, $BELLJAR_LEVEL or the default, and belong to this user.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"
#include "cmd/command.h"
#include "cmd/daemon_link.h"
#include "skills/registry.h"
#include "storage/database.h"

namespace belljar::cmd {

struct OpenedSkills {
  std::unique_ptr<storage::Database> database;
  std::unique_ptr<skills::Registry> registry;
};
// Of the state directory.
Result<OpenedSkills> OpenSkills(const DaemonFlags& flags);

class SkillDoor {
 public:
  static Result<SkillDoor> Open(const DaemonFlags& flags);

  // What the policy blocks has an "error" beside "findings".
  Result<json::object> Add(const json::object& definition);
  Result<json::object> List();
  Result<json::object> Show(const skills::Handle& handle);
  Result<json::object> History(const skills::Handle& handle, std::size_t limit);
  Result<json::object> Enable(const skills::Handle& handle);
  Result<json::object> Disable(const skills::Handle& handle, const std::string& why);
  Result<json::object> Remove(const skills::Handle& handle);

  // Null: none, and the skills are in registry().
  DaemonLink* daemon() { return daemon_ ? &*daemon_ : nullptr; }
  skills::Registry& registry() { return *opened_.registry; }

 private:
  SkillDoor() = default;
  Result<json::object> AddThere(const json::object& definition);
  Result<json::object> AddHere(const json::object& definition);
  Result<json::object> Post(const std::string& path, const json::object& body);

  DaemonFlags flags_;
  std::optional<DaemonLink> daemon_;
  OpenedSkills opened_;
};

// "/v1/skills/NAME@2/runs"
std::string SkillPath(const skills::Handle& handle, std::string_view rest = "");

}  // namespace belljar::cmd
