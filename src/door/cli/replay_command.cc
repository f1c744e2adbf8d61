// belljar replay: runs a recorded request again and shows the differences.
//
// It uses the daemon of the state directory, which has the log open; without a daemon, it replays
// in its own process.
#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "door/cli/cancellation.h"
#include "door/cli/command.h"
#include "door/cli/daemon_link.h"
#include "door/cli/ending.h"
#include "door/cli/questions.h"
#include "door/cli/terminal.h"
#include "foundation/base/random_id.h"
#include "record/log.h"
#include "run/assessment.h"
#include "run/replay.h"

namespace belljar::door::cli {
namespace {

constexpr int kDiffers = 1;
constexpr std::chrono::hours kLongestRun{25};

struct ReplayArguments {
  DaemonFlags daemon;
  std::string id, database;
  std::vector<std::string> env;
  bool json = false;
};

Result<run::Wanted> WantedOf(const ReplayArguments& arguments) {
  run::Wanted wanted;
  wanted.which = arguments.id;
  for (const std::string& pair : arguments.env) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos) {
      return Error(Kind::kInvalid, fmt::format("--env {}: write it as NAME=VALUE", pair));
    }
    wanted.env[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  return wanted;
}

Result<json::object> ReplayThere(DaemonLink daemon, const run::Wanted& wanted) {
  json::object env;
  for (const auto& [name, value] : wanted.env) env[name] = value;
  json::object body;
  if (!env.empty()) body["env"] = std::move(env);
  http::client::Ask ask{"POST", "/v1/runs/" + http::client::EscapeSegment(wanted.which) + "/replay",
                        "application/json", "application/json", json::serialize(body)};
  http::client::Bounds bounds;
  bounds.silence = kLongestRun;
  bounds.body_bytes = 1 << 30;
  const std::string answer = BJ_TRY(daemon.Ask(ask, bounds));
  auto value = BJ_TRY(ParseJson(answer, 2 * kMaxJsonDepth).While("the daemon's answer"));
  if (value.is_object()) return std::move(value.get_object());
  return Error(Kind::kInternal, "the daemon's answer is not an object");
}

Result<json::object> ReplayHere(const ReplayArguments& arguments, const run::Wanted& wanted) {
  record::Log::Options of_log;
  of_log.dir = BJ_TRY(StateDir(arguments.daemon));
  of_log.database = arguments.database;
  // Retention of bodies is the daemon's task, so none are removed here.
  of_log.body_retention = std::chrono::hours(24 * 365 * 100);
  const auto log = BJ_TRY(record::Log::Open(of_log).While("audit log"));
  OpenedWhenAsked questions(of_log.dir);
  run::Options options;
  options.state_dir = of_log.dir;
  options.terms = BJ_TRY(TermsOf(RunFlags()));
  options.log = log.get();
  options.approvals = &questions;
  const auto engine = BJ_TRY(run::Engine::Create(options, ProgressLine()));
  const auto recorded = BJ_TRY(run::ReadRecorded(*log, wanted, engine->assessment()));
  const auto cancel = BJ_TRY(Cancellation::OnSignals());
  run::Requester requester;
  requester.origin.caller = MyName();
  requester.origin.run_id = BJ_TRY(RandomId("r-"));
  requester.cancel[cell::limits::kByCaller] = cancel.fd();
  const auto replayed = BJ_TRY(engine->Replay(recorded, std::move(requester)));
  BJ_TRY(log->Seal());
  return run::ToJson(replayed);
}

std::string TextOf(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  if (value == nullptr || !value->is_string()) return "";
  return std::string(value->get_string().data(), value->get_string().size());
}

// Prints a diff; each line may come from a program and is escaped.
void PrintDiff(std::string_view diff) {
  while (!diff.empty()) {
    const std::size_t newline = std::min(diff.find('\n'), diff.size());
    fmt::print("{}\n", MakeVisible(diff.substr(0, newline)));
    diff.remove_prefix(std::min(newline + 1, diff.size()));
  }
}

int Print(const json::object& replayed) {
  const bool same = replayed.at("same") == json::value(true);
  fmt::print("replay of {}, recorded {}: {}\n", MakeVisible(TextOf(replayed, "of")),
             TextOf(replayed, "time"), same ? "nothing differs" : "it differs");
  for (const json::value& note : replayed.at("notes").as_array()) {
    fmt::print("note: {}\n", MakeVisible(note.as_string()));
  }
  for (const json::value& value : replayed.at("differences").as_array()) {
    const json::object& difference = value.as_object();
    const std::string what = MakeVisible(TextOf(difference, "what"));
    if (difference.contains("diff")) {
      PrintDiff(TextOf(difference, "diff"));
    } else if (difference.contains("recorded")) {
      fmt::print("{}: {}, now {}\n", what, MakeVisible(TextOf(difference, "recorded")),
                 MakeVisible(TextOf(difference, "replayed")));
    } else {
      fmt::print("{}: other bytes\n", what);
    }
  }
  return same ? 0 : kDiffers;
}

Result<int> Replay(const ReplayArguments& arguments) {
  const auto wanted = BJ_TRY(WantedOf(arguments));
  auto daemon = BJ_TRY(DaemonLink::Find(arguments.daemon));
  const json::object replayed =
      BJ_TRY(daemon ? ReplayThere(*std::move(daemon), wanted) : ReplayHere(arguments, wanted));
  if (!arguments.json) return Print(replayed);
  PrintObject(replayed);
  return replayed.at("same") == json::value(true) ? 0 : kDiffers;
}

}  // namespace

void AddReplayCommand(CLI::App& app, int& status) {
  const auto arguments = std::make_shared<ReplayArguments>();
  CLI::App* const command =
      app.add_subcommand("replay", "run a recorded request again, and compare");
  command->add_option("ID", arguments->id, "the run, or the index of its record")->required();
  command->add_option("--env", arguments->env, "NAME=VALUE of a variable that was not kept")
      ->allow_extra_args(false);
  command->add_flag("--json", arguments->json, "print one object");
  command->add_option("--database", arguments->database, "a postgresql:// address, if it is there");
  AddDaemonFlags(*command, arguments->daemon);
  command->add_flag("--no-daemon", arguments->daemon.never, "replay here, where no daemon runs");
  command->callback([arguments, &status] {
    const auto done = Replay(*arguments);
    status = done ? *done : Fail(done.error());
  });
}

}  // namespace belljar::door::cli
