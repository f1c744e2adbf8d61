// What the commands share: exit statuses, one-sentence errors, the flags of a run.
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

// The flag library is large: only the files that define flags include it.
namespace CLI {
class App;
}

namespace belljar::door::cli {

constexpr int kOwnFailure = 125;
constexpr int kCancelledStatus = 130;  // by SIGINT, SIGTERM or SIGHUP

// Which daemon a command speaks to, as typed.
struct DaemonFlags {
  std::string address;  // empty: the one that serves the state directory
  std::string state;    // empty: the usual one
  bool never = false;   // --no-daemon
};

// "belljar: SENTENCE" on stderr; the status to end with.
int Fail(const Error& error);

// Flags of `run` and `exec`, as typed.
struct RunFlags {
  std::map<std::string, std::string> limits;  // by the key a request would use
  std::string level, policy_file, wait;
  std::string lang, image = "default", backend, stdin_file, reason, correlation_id;
  std::string input, input_schema, output_schema;  // JSON, or @FILE
  std::string text = "raw";
  std::string session;  // to run in; empty: a fresh cell
  DaemonFlags daemon;
  std::optional<std::uint64_t> deterministic;
  std::vector<std::string> env, files, fetch, writes, vaults, allow_hosts, artefacts,
      allow_unenforced;
  std::string skill;        // that is run, as NAME@VERSION; empty: none
  json::object skill_body;  // what is sent for a run of it
  bool json = false;
  bool account = false;
  bool only_looks = false;  // doctor, which names what was left and removes nothing
  std::string switch_off;   // belljar-loose only
};

void AddRunFlags(CLI::App& app, RunFlags& flags);
// Those of them that are limits.
void AddLimitFlags(CLI::App& app, RunFlags& flags);
// JSON as typed, or that of a file: @FILE.
Result<json::value> ReadJsonFlag(const std::string& given);

// Puts the flags into a request; the mistake names the flag.
Result<> ApplyFlags(const RunFlags& flags, request::Request& request);

// --switch-off, where this is belljar-loose.
void AddSwitchOff(CLI::App& app, std::string& names);

// What requests are judged by: --policy, --level, $BELLJAR_POLICY, or the default.
Result<run::Terms> TermsOf(const RunFlags& flags);
// $BELLJAR_POLICY, or "".
std::string PolicyOfEnvironment();

// --state, else the usual one.
Result<std::string> StateDir(const DaemonFlags& flags);

// What an engine over the state directory is made with.
Result<run::Options> EngineOptions(const RunFlags& flags);
// Such an engine, with a progress line for a first image.
Result<std::unique_ptr<run::Engine>> OpenEngine(
    const RunFlags& flags, std::size_t pool_target,
    std::chrono::milliseconds patience = run::WallOptions().patience);

// What runs a request here: the engine, or something around it.
using StartHere = std::function<Result<run::RunResult>(run::Engine&, run::Run&)>;

// Runs one request for a person or a script at a terminal, by a daemon or here; the exit status.
// `start` null: the engine by itself.
Result<int> RunOnce(const RunFlags& flags, request::Request request, const StartHere& start = {});

// All of the program but the last net for exceptions; returns its exit status.
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

// Draws what an image build is doing; plain lines where stderr is not a terminal.
cell::image::OnProgress ProgressLine();

}  // namespace belljar::door::cli
