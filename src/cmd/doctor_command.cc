#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "cmd/command.h"
#include "cmd/doctor_docker.h"
#include "engine/unenforced.h"

namespace belljar::cmd {
namespace {

// One thing doctor looked at.
struct Finding {
  std::string name;
  bool good;
  std::string text;
};

// Runs a program in a cell: the only proof that cells work here.
Finding TryCell(engine::Engine& engine, policy::Lang lang, const std::string& code) {
  policy::Request request;
  request.lang = lang;
  request.code = code;
  const std::string name = fmt::format("cell ({})", policy::LangName(lang));
  const auto result = engine.Run(request, {});
  if (!result) {
    // A host without Node is a host for Python and bash; no errno: the image itself was looked at.
    const bool absent = result.error().kind() == Kind::kNotFound && result.error().sys() == 0;
    return {name, absent && lang != policy::Lang::kPython, result.error().message()};
  }
  const bool good = result->stdout_captured.bytes == "42\n";
  return {name, good,
          good ? fmt::format("a sealed program ran in {:.1f} ms", result->usage.wall_ms)
               : fmt::format("{}: {}", result::OutcomeName(result->outcome),
                             result->stderr_captured.bytes)};
}

Result<std::vector<std::string>> StraysOf(const RunFlags& flags, Strays what) {
  const std::string state = BJ_TRY(StateDir(flags.daemon));
  return DockerStrays(state, what);
}

std::vector<Finding> Clean(const RunFlags& flags) {
  const auto strays = StraysOf(flags, Strays::kRemove);
  if (!strays) return {{"docker", false, strays.error().message()}};
  if (strays->empty()) return {{"docker", true, "nothing was left there"}};
  std::vector<Finding> findings;
  for (const std::string& stray : *strays) findings.push_back({"removed", true, stray});
  return findings;
}

std::vector<Finding> Examine(engine::Engine& engine) {
  std::vector<Finding> findings;
  utsname kernel{};
  ::uname(&kernel);
  findings.push_back({"kernel", true, kernel.release});
  findings.push_back({"user", true,
                      ::geteuid() == 0 ? "root: a host uid for each cell"
                                       : "not root: a user namespace for each cell"});
  const json::object layers = engine.Layers();
  const json::value& landlock = layers.at("landlock");
  findings.push_back({"landlock", !landlock.is_null(),
                      landlock.is_null() ? "not in this kernel: mounts and seccomp stand alone"
                                         : fmt::format("ABI {}", landlock.to_number<int>())});
  for (const auto& [limit, by] : layers.at("limits").as_object()) {
    const std::string text(by.as_string());
    findings.push_back({fmt::format("limit {}", std::string_view(limit)), true, text});
  }
  for (const std::string& note : engine.cgroups().notes) findings.push_back({"note", true, note});
  findings.push_back(TryCell(engine, policy::Lang::kPython, "print(6*7)"));
  findings.push_back(TryCell(engine, policy::Lang::kBash, "echo $((6*7))"));
  findings.push_back(TryCell(engine, policy::Lang::kJavaScript, "console.log(6*7)"));
  findings.push_back({"docker", true, DockerInWords(engine)});
  return findings;
}

// Strays first: a backend that is made removes some of them itself.
std::vector<Finding> ExamineAll(const RunFlags& flags, engine::Engine& engine) {
  const auto strays = StraysOf(flags, Strays::kList);
  std::vector<Finding> findings = Examine(engine);
  if (!strays) return findings;  // who has no Docker has left nothing there
  for (const std::string& stray : *strays) {
    findings.push_back({"stray", true, stray + "; belljar doctor --clean removes it"});
  }
  return findings;
}

enum class Does { kExamine, kClean };

int Doctor(const RunFlags& flags, Does what) {
  auto engine = OpenEngine(flags, 0);
  if (!engine) return Fail(engine.error());
  const std::vector<Finding> findings =
      what == Does::kClean ? Clean(flags) : ExamineAll(flags, **engine);
  bool good = true;
  json::array all;
  for (const Finding& finding : findings) {
    good = good && finding.good;
    all.push_back({{"name", finding.name}, {"good", finding.good}, {"text", finding.text}});
    if (!flags.json) {
      fmt::print("{:<4} {:<22} {}\n", finding.good ? "ok" : "BAD", finding.name, finding.text);
    }
  }
  if (flags.json)
    fmt::print("{}\n", json::serialize(json::object{{"good", good}, {"findings", all}}));
  return good ? 0 : 1;
}

}  // namespace

void AddDoctorCommand(CLI::App& app, int& status) {
  const auto flags = std::make_shared<RunFlags>();
  CLI::App* const command = app.add_subcommand("doctor", "what holds cells on this machine");
  command->add_flag("--json", flags->json, "print a JSON object");
  const auto clean = std::make_shared<bool>(false);
  command->add_flag("--clean", *clean, "remove what ended processes have left in Docker");
  command->callback(
      [flags, clean, &status] { status = Doctor(*flags, *clean ? Does::kClean : Does::kExamine); });
}

}  // namespace belljar::cmd
