// Shared by all commands: exit statuses, one-sentence errors, the flags of a run.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "foundation/base/json.h"
#include "foundation/base/result.h"
#include "request/request.h"
#include "run/engine.h"

// Forward declaration: CLI11 is large, so only the files that define flags include it.
namespace CLI {
class App;
}

namespace belljar::door::cli {

constexpr int kOwnFailure = 125;
constexpr int kCancelledStatus = 130;  // cancelled by SIGINT, SIGTERM or SIGHUP

// The daemon that a command should use, as typed.
struct DaemonFlags {
  std::string address;  // empty: the daemon that serves the state directory
  std::string state;    // empty: the default directory
  bool never = false;   // --no-daemon
};

// Prints "belljar: SENTENCE" on stderr; returns the exit status.
int Fail(const Error& error);

// Flags of `run` and `exec`, as typed.
struct RunFlags {
  std::map<std::string, std::string> limits;  // by request key
  std::string level, policy_file, wait;
  std::string lang, image = "default", backend, stdin_file, reason, correlation_id;
  std::string input, input_schema, output_schema;  // JSON, or @FILE
  std::string text = "raw";
  std::string session;  // session to run in; empty: a fresh cell
  DaemonFlags daemon;
  std::optional<std::uint64_t> deterministic;
  std::vector<std::string> env, files, fetch, writes, vaults, allow_hosts, artefacts,
      allow_unenforced;
  std::string skill;        // the skill to run, as NAME@VERSION; empty: none
  json::object skill_body;  // request body for a run of the skill
  bool json = false;
  bool account = false;
  bool only_looks = false;  // for doctor: reports leftovers but removes nothing
  std::string switch_off;   // belljar-loose only
};

void AddRunFlags(CLI::App& app, RunFlags& flags);
// Only the flags for limits.
void AddLimitFlags(CLI::App& app, RunFlags& flags);
// Reads JSON as typed, or from a file: @FILE.
Result<json::value> ReadJsonFlag(const std::string& given);

// Applies the flags to a request; an error names the flag.
Result<> ApplyFlags(const RunFlags& flags, request::Request& request);

// Adds --switch-off, in belljar-loose only.
void AddSwitchOff(CLI::App& app, std::string& names);

// The policy to judge by: from --policy, --level, $BELLJAR_POLICY, or the default.
Result<run::Terms> TermsOf(const RunFlags& flags);
// The value of $BELLJAR_POLICY, or "".
std::string PolicyOfEnvironment();

// --state, else the default directory.
Result<std::string> StateDir(const DaemonFlags& flags);

// The options for an engine over the state directory.
Result<run::Options> EngineOptions(const RunFlags& flags);
// Opens such an engine, with a progress line if an image is built.
Result<std::unique_ptr<run::Engine>> OpenEngine(
    const RunFlags& flags, std::size_t pool_target,
    std::chrono::milliseconds patience = run::WallOptions().patience);

// Runs a request in this process: by the engine, or by a wrapper around it.
using StartHere = std::function<Result<run::RunResult>(run::Engine&, run::Run&)>;

// Runs one request from the command line, through a daemon or in this process; returns the exit
// status. `start` null: by the engine directly.
Result<int> RunOnce(const RunFlags& flags, request::Request request, const StartHere& start = {});

// The whole program except the outermost exception handler; returns its exit status.
int Main(int argc, char** argv, const char* version);

void AddRunCommand(CLI::App& app, int& status);
void AddExecCommand(CLI::App& app, int& status);
void AddArtefactCommand(CLI::App& app, int& status);
void AddImageCommand(CLI::App& app, int& status);
void AddAuditCommand(CLI::App& app, int& status);
void AddDoctorCommand(CLI::App& app, int& status);
void AddServeCommand(CLI::App& app, int& status);
void AddSessionCommand(CLI::App& app, int& status);
void AddTokenCommand(CLI::App& app, int& status);
void AddCheckCommand(CLI::App& app, int& status);
void AddPolicyCommand(CLI::App& app, int& status);
void AddApprovalsCommand(CLI::App& app, int& status);
void AddRedactCommand(CLI::App& app, int& status);
void AddReplayCommand(CLI::App& app, int& status);
void AddSkillCommand(CLI::App& app, int& status);
void AddDatabaseWorkerCommand(CLI::App& app, int& status);
void AddToolServerCommand(CLI::App& app, int& status);

// Shows the progress of an image build; plain lines where stderr is not a terminal.
cell::image::OnProgress ProgressLine();

}  // namespace belljar::door::cli
