// belljar skill: manages code stored under a name.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "door/cli/command.h"
#include "door/cli/daemon_link.h"
#include "door/cli/ending.h"
#include "door/cli/skill_client.h"
#include "door/cli/skill_parts.h"
#include "door/cli/terminal.h"

namespace belljar::door::cli {
namespace {

// Formats a member for people, in one line; text chosen by callers is escaped.
std::string Cell(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  if (value == nullptr || value->is_null()) return "-";
  if (value->is_double()) return fmt::format("{:.4g}", value->get_double());
  std::string text = MakeVisible(value->is_string() ? std::string(value->get_string().c_str())
                                                    : json::serialize(*value));
  std::ranges::replace(text, '\n', ' ');
  return text;
}

json::object ObjectAt(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  return value != nullptr && value->is_object() ? value->get_object() : json::object();
}

json::array ArrayAt(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  return value != nullptr && value->is_array() ? value->get_array() : json::array();
}

Result<int> PrintSkills(const SkillArguments& arguments) {
  SkillClient door = BJ_TRY(SkillClient::Open(arguments.flags.daemon));
  const json::object answer = BJ_TRY(door.List());
  if (arguments.flags.json) {
    PrintObject(answer);
    return 0;
  }
  constexpr std::string_view kLine = "{:<24} {:>7} {:<9} {:>6} {:>7} {}\n";
  fmt::print(fmt::runtime(kLine), "NAME", "VERSION", "STATE", "RUNS", "SUCCESS", "DESCRIPTION");
  for (const json::value& each : ArrayAt(answer, "skills")) {
    if (!each.is_object()) continue;
    const json::object& skill = each.get_object();
    const json::object stats = ObjectAt(skill, "stats");
    fmt::print(fmt::runtime(kLine), Cell(skill, "name"), Cell(skill, "version"),
               Cell(skill, "state"), Cell(stats, "runs"), Cell(stats, "success_rate"),
               Cell(skill, "description"));
  }
  return 0;
}

void PrintCode(const json::object& skill) {
  const json::value* const code = skill.if_contains("code");
  if (code == nullptr || !code->is_string()) return;
  fmt::print("\n");
  std::string_view rest(code->get_string().data(), code->get_string().size());
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    fmt::print("| {}\n", MakeVisible(rest.substr(0, end)));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
}

Result<int> PrintSkill(const SkillArguments& arguments) {
  const auto handle = BJ_TRY(resource::skill::ParseHandle(arguments.handle));
  SkillClient door = BJ_TRY(SkillClient::Open(arguments.flags.daemon));
  const json::object skill = BJ_TRY(door.Show(handle));
  if (arguments.flags.json) {
    PrintObject(skill);
    return 0;
  }
  for (const char* const key : {"name", "version", "newest", "state", "why", "description", "lang",
                                "level", "image", "timeout", "memory", "input_schema",
                                "output_schema", "threshold", "digest", "created", "compiled"}) {
    if (skill.contains(key)) fmt::print("{:<14} {}\n", key, Cell(skill, key));
  }
  for (const auto& [key, value] : ObjectAt(skill, "stats")) {
    const json::object one = {{key, value}};
    fmt::print("{:<14} {}\n", std::string_view(key), Cell(one, key));
  }
  PrintCode(skill);
  return 0;
}

Result<int> PrintHistory(const SkillArguments& arguments) {
  const auto handle = BJ_TRY(resource::skill::ParseHandle(arguments.handle));
  SkillClient door = BJ_TRY(SkillClient::Open(arguments.flags.daemon));
  const json::object answer = BJ_TRY(door.History(handle, arguments.limit));
  if (arguments.flags.json) {
    PrintObject(answer);
    return 0;
  }
  constexpr std::string_view kLine = "{:<28} {:<24} {:>7} {:<10} {:>10} {}\n";
  fmt::print(fmt::runtime(kLine), "ID", "TIME", "VERSION", "OUTCOME", "WALL MS", "ERROR");
  for (const json::value& each : ArrayAt(answer, "runs")) {
    if (!each.is_object()) continue;
    const json::object& run = each.get_object();
    fmt::print(fmt::runtime(kLine), Cell(run, "id"), Cell(run, "time"), Cell(run, "version"),
               Cell(run, "outcome"), Cell(run, "wall_ms"), Cell(run, "error"));
  }
  return 0;
}

int TellChanged(const SkillArguments& arguments, const json::object& answer) {
  if (arguments.flags.json) {
    PrintObject(answer);
    return 0;
  }
  const json::array changed = ArrayAt(answer, "changed");
  if (changed.empty()) fmt::print("nothing to change\n");
  for (const json::value& each : changed) {
    if (!each.is_object()) continue;
    const json::object& skill = each.get_object();
    fmt::print("{}@{}: {}\n", Cell(skill, "name"), Cell(skill, "version"), Cell(skill, "state"));
  }
  return 0;
}

Result<int> EnableSkill(const SkillArguments& arguments) {
  const auto handle = BJ_TRY(resource::skill::ParseHandle(arguments.handle));
  SkillClient door = BJ_TRY(SkillClient::Open(arguments.flags.daemon));
  return TellChanged(arguments, BJ_TRY(door.Enable(handle)));
}

Result<int> DisableSkill(const SkillArguments& arguments) {
  const auto handle = BJ_TRY(resource::skill::ParseHandle(arguments.handle));
  SkillClient door = BJ_TRY(SkillClient::Open(arguments.flags.daemon));
  return TellChanged(arguments, BJ_TRY(door.Disable(handle, arguments.why)));
}

Result<int> RemoveSkill(const SkillArguments& arguments) {
  const auto handle = BJ_TRY(resource::skill::ParseHandle(arguments.handle));
  SkillClient door = BJ_TRY(SkillClient::Open(arguments.flags.daemon));
  const json::object answer = BJ_TRY(door.Remove(handle));
  if (arguments.flags.json) PrintObject(answer);
  return 0;
}

using SkillAct = Result<int> (*)(const SkillArguments&);
using SharedArguments = std::shared_ptr<SkillArguments>;

CLI::App* AddSkillPart(CLI::App& group, const SharedArguments& arguments, int& status,
                       const std::string& name, const std::string& does, SkillAct act) {
  CLI::App* const command = group.add_subcommand(name, does);
  AddDaemonFlags(*command, arguments->flags.daemon);
  command->add_flag("--no-daemon", arguments->flags.daemon.never,
                    "use the state directory, also where a daemon serves it");
  command->add_flag("--json", arguments->flags.json, "print JSON");
  command->callback([arguments, act, &status] {
    const auto done = act(*arguments);
    status = done ? *done : Fail(done.error());
  });
  return command;
}

void AddAddFlags(CLI::App& add, SkillArguments& arguments) {
  RunFlags& flags = arguments.flags;
  add.add_option("FILE", arguments.file,
                 "the code, - for standard input, or a folder with a skill.toml")
      ->required();
  add.add_option("--name", arguments.name, "its name (that of the file)");
  add.add_option("--description", arguments.description, "what it does, for who looks for a tool");
  add.add_option("--lang", flags.lang, "python, javascript or bash");
  add.add_option("--level", flags.level, "strict, standard or relaxed, for all its runs");
  add.add_option("--image", arguments.image, "the image its runs start from");
  add.add_option("--input-schema", flags.input_schema, "a JSON Schema of its input: JSON or @FILE");
  add.add_option("--output-schema", flags.output_schema, "a JSON Schema of what it prints");
  add.add_option("--threshold", arguments.threshold,
                 "it is disabled when fewer of its last runs succeed (0.5)");
  AddLimitFlags(add, flags);
}

void AddSkillRunFlags(CLI::App& run, RunFlags& flags) {
  run.add_option("--input", flags.input, "a JSON value for it: JSON or @FILE");
  run.add_option("--policy", flags.policy_file, "a policy file, for a skill that names no level");
  run.add_option("--reason", flags.reason, "why this is run, for who may have to approve it");
  run.add_option("--wait", flags.wait, "how long to wait for an approval, such as 5m");
  run.add_option("--correlation-id", flags.correlation_id, "an id of the caller's own");
  run.add_flag("--account", flags.account, "say afterwards what held the program");
}

}  // namespace

void AddSkillCommand(CLI::App& app, int& status) {
  const auto arguments = std::make_shared<SkillArguments>();
  CLI::App* const group = app.add_subcommand("skill", "code that is kept under a name");
  group->require_subcommand(1);
  AddAddFlags(
      *AddSkillPart(*group, arguments, status, "add", "store one, or its next version", AddSkill),
      *arguments);
  AddSkillPart(*group, arguments, status, "list", "the newest version of each", PrintSkills);
  for (const auto& [name, does, act] :
       {std::tuple{"show", "what it is, how it does, and its code", &PrintSkill},
        std::tuple{"run", "run it with an input", &RunSkill},
        std::tuple{"history", "its last runs, newest first", &PrintHistory},
        std::tuple{"disable", "let nobody run it, or that version", &DisableSkill},
        std::tuple{"enable", "let it be run again", &EnableSkill},
        std::tuple{"rm", "remove it with all its versions", &RemoveSkill}}) {
    CLI::App* const one = AddSkillPart(*group, arguments, status, name, does, act);
    one->add_option("NAME", arguments->handle, "its name, or NAME@VERSION")->required();
    if (act == &RunSkill) AddSkillRunFlags(*one, arguments->flags);
    if (act == &DisableSkill) one->add_option("--why", arguments->why, "the reason");
    if (act == &PrintHistory) {
      one->add_option("--limit", arguments->limit, "how many (20)")->check(CLI::Range(1, 1000));
    }
  }
}

}  // namespace belljar::door::cli
