#include "door/cli/jsonl.h"

#include <fmt/format.h>

#include <thread>

#include "door/cli/cancellation.h"
#include "door/cli/lines.h"
#include "request/limit_fields.h"
#include "request/request_json.h"

namespace belljar::door::cli {
namespace {

struct LineRuns {
  run::Engine& engine;
  const json::object& defaults;
  int cancel;
};

void RunLine(const LineRuns& lines, const std::string& line, Answers& answers) {
  auto request = request::ParseRequestOver(lines.defaults, line);
  if (!request) {
    answers.WriteError(request::SalvageIdJson(line), request.error());
    return;
  }
  const json::value id = request::IdJson(request->id, request->numeric_id);
  run::Run run(*std::move(request), {});
  run.requester.cancel[cell::limits::kByCaller] = lines.cancel;
  auto result = lines.engine.Go(run);
  if (!result) return answers.WriteError(id, result.error());
  answers.Write(AnswerJson(run, *result));
}

// Rejects flags that apply to a single run only, or to a daemon.
Result<> CheckForLines(const RunFlags& flags) {
  if (!flags.session.empty() || !flags.daemon.address.empty()) {
    return Error(Kind::kInvalid, "--jsonl runs here: it goes without --session and --daemon");
  }
  for (const auto& [given, flag] : {std::pair{flags.account, "--account"},
                                    {!flags.wait.empty(), "--wait"},
                                    {flags.json, "--json"}}) {
    if (given) {
      return Error(Kind::kInvalid,
                   fmt::format("{} is for one run: leave it out with --jsonl", flag));
    }
  }
  return {};
}

}  // namespace

Error ProgramBesideLines() {
  return Error(Kind::kInvalid,
               "--jsonl reads its programs from standard input: leave out FILE and -c");
}

Result<json::object> LineDefaults(const RunFlags& flags) {
  BJ_TRY(CheckForLines(flags));
  request::Request request;
  if (!flags.lang.empty()) request.lang = BJ_TRY(request::ParseLang(flags.lang).While("--lang"));
  RunFlags of_one = flags;
  if (flags.input.empty()) of_one.input_schema.clear();  // each line has its own input
  BJ_TRY(ApplyFlags(of_one, request));
  json::object defaults = request::ToJson(request);
  defaults.erase("code");
  defaults.erase("level");  // the engine was opened with it
  if (!flags.input_schema.empty()) {
    defaults["input_schema"] = BJ_TRY(ReadJsonFlag(flags.input_schema).While("--input-schema"));
  }
  if (flags.lang.empty()) defaults.erase("lang");
  if (flags.image == "default") defaults.erase("image");
  // Defaults that depend on another limit are left to the line, which may set that limit.
  const json::object untold = request::ToJson(request::Request());
  for (const request::LimitField& field : request::LimitFields()) {
    const auto typed = flags.limits.find(std::string(field.key));
    const bool is_typed = typed != flags.limits.end() && !typed->second.empty();
    const bool configured =  // set in belljar.toml, which has no cpu_time
        field.key != "cpu_time" && defaults.at(field.key) != untold.at(field.key);
    if (!is_typed && !configured) defaults.erase(field.key);
  }
  for (const request::Vault& vault : request.vaults) {
    if (!defaults.contains("vaults")) defaults["vaults"] = json::array();
    defaults["vaults"].as_array().push_back(
        {{"host", vault.host}, {"mode", request::VaultModeName(vault.mode)}});
  }
  return defaults;
}

int RunLines(const RunFlags& flags, const LinesOptions& options) {
  const auto defaults = LineDefaults(flags);
  if (!defaults) return Fail(defaults.error());
  auto engine = OpenEngine(flags, std::max<std::size_t>(options.pool, 1));
  if (!engine) return Fail(engine.error());
  const std::size_t jobs =
      options.jobs > 0 ? options.jobs : std::max(1U, std::thread::hardware_concurrency());
  // After a cancellation the running lines are answered (as cancelled), and no cell is left behind.
  const auto cancel = Cancellation::OnSignals();
  if (!cancel) return Fail(cancel.error());
  const LineRuns lines{**engine, *defaults, cancel->fd()};
  const auto answered = AnswerLines(
      jobs, cancel->fd(),
      [&](const std::string& line, Answers& answers) { RunLine(lines, line, answers); });
  if (!answered) return Fail(answered.error());
  return cancel->Asked() ? kCancelledStatus : 0;
}

}  // namespace belljar::door::cli
