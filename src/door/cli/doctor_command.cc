#include <fmt/format.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "door/cli/command.h"
#include "door/cli/configuration.h"
#include "door/cli/doctor_docker.h"
#include "door/cli/doctor_gvisor.h"
#include "door/cli/doctor_strays.h"
#include "run/unenforced.h"

namespace belljar::door::cli {
namespace {

// How long to wait for an unresponsive runtime; shorter than usual, because the user waits for
// doctor's answer.
constexpr std::chrono::seconds kPatience{10};

// The result of one check.
struct Finding {
  std::string name;
  bool good;
  std::string text;
};

// Runs a program in a cell: only this proves that cells work here.
Finding TryCell(run::Engine& engine, request::Lang lang, const std::string& code) {
  run::Run run;
  run.request.lang = lang;
  run.request.code = code;
  const std::string name = fmt::format("cell ({})", request::LangName(lang));
  const auto result = engine.Go(run);
  if (!result) {
    // Node is optional: a host without it can still run Python and bash. Without an errno, the
    // image itself was found to be missing.
    const bool absent = result.error().kind() == Kind::kNotFound && result.error().sys() == 0;
    return {name, absent && lang != request::Lang::kPython, result.error().message()};
  }
  const bool good = result->stdout_captured.bytes == "42\n";
  return {name, good,
          good ? fmt::format("a sealed program ran in {:.1f} ms", result->usage.wall_ms)
               : fmt::format("{}: {}", run::OutcomeName(result->outcome),
                             result->stderr_captured.bytes)};
}

// Leftovers, one finding each; with kRemove they have been removed.
Result<std::vector<Finding>> StraysOf(const RunFlags& flags, Strays what) {
  const std::string state = BJ_TRY(StateDir(flags.daemon));
  const bool removes = what == Strays::kRemove;
  const std::string name = removes ? "removed" : "stray";
  const std::string advice = removes ? "" : "; belljar doctor --clean removes it";
  std::vector<Finding> findings;
  for (const Stray& stray : StraysOnDisk(state, what)) {
    if (stray.trouble.empty()) {
      findings.push_back({name, true, stray.what + advice});
    } else {
      findings.push_back({"stray", false, stray.what + ": " + stray.trouble});
    }
  }
  const auto in_docker = DockerStrays(state, what);
  // Docker's own state is reported by a separate finding.
  if (!in_docker && removes) findings.push_back({"docker", false, in_docker.error().message()});
  if (!in_docker) return findings;
  for (const std::string& stray : *in_docker) findings.push_back({name, true, stray + advice});
  return findings;
}

Result<std::vector<Finding>> Examine(run::Engine& engine) {
  std::vector<Finding> findings;
  utsname kernel{};
  ::uname(&kernel);
  findings.push_back({"kernel", true, kernel.release});
  findings.push_back({"user", true,
                      ::geteuid() == 0 ? "root: a host uid for each cell"
                                       : "not root: a user namespace for each cell"});
  const json::object layers = engine.cells().Layers();
  const json::value& landlock = layers.at("landlock");
  findings.push_back({"landlock", !landlock.is_null(),
                      landlock.is_null() ? "not in this kernel: mounts and seccomp stand alone"
                                         : fmt::format("ABI {}", landlock.to_number<int>())});
  for (const auto& [limit, by] : layers.at("limits").as_object()) {
    const std::string text(by.as_string());
    findings.push_back({fmt::format("limit {}", std::string_view(limit)), true, text});
  }
  for (const std::string& note : engine.cells().cgroups().notes)
    findings.push_back({"note", true, note});
  findings.push_back(TryCell(engine, request::Lang::kPython, "print(6*7)"));
  findings.push_back(TryCell(engine, request::Lang::kBash, "echo $((6*7))"));
  findings.push_back(TryCell(engine, request::Lang::kJavaScript, "console.log(6*7)"));
  const auto walls = BJ_TRY(UsualWalls());
  const GvisorState gvisor = LookAtGvisor(engine, walls);
  findings.push_back({"gvisor", gvisor.good, gvisor.text});
  const DockerState docker = LookAtDocker(engine, walls);
  findings.push_back({"docker", docker.good, docker.text});
  return findings;
}

enum class Does { kExamine, kClean };

// Checks for leftovers first, because opening an engine or creating a backend removes some of them.
Result<std::vector<Finding>> Look(const RunFlags& flags, Does what) {
  auto strays = BJ_TRY(StraysOf(flags, what == Does::kClean ? Strays::kRemove : Strays::kList));
  RunFlags looking = flags;
  looking.only_looks = true;
  const auto engine = BJ_TRY(OpenEngine(looking, 0, kPatience));
  if (what == Does::kExamine) {
    auto findings = BJ_TRY(Examine(*engine));
    std::ranges::move(strays, std::back_inserter(findings));
    return findings;
  }
  if (strays.empty()) strays.push_back({"clean", true, "nothing was left"});
  return strays;
}

int Doctor(const RunFlags& flags, Does what) {
  const auto findings = Look(flags, what);
  if (!findings) return Fail(findings.error());
  bool good = true;
  json::array all;
  for (const Finding& finding : *findings) {
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
  command->add_flag("--clean", *clean, "remove what ended processes have left");
  command->add_option("--state", flags->daemon.state, "the state directory");
  command->callback(
      [flags, clean, &status] { status = Doctor(*flags, *clean ? Does::kClean : Does::kExamine); });
}

}  // namespace belljar::door::cli
