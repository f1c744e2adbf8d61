#include <fcntl.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "door/cli/command.h"
#include "door/cli/configuration.h"
#include "door/cli/daemon_link.h"
#include "foundation/base/sys.h"
#include "foundation/base/text.h"
#include "request/request_input.h"
#include "run/switch_off.h"
#include "run/unenforced.h"

namespace belljar::door::cli {
namespace {

// The flag for a key: --output-lines for "output_lines".
std::string FlagName(std::string key) {
  std::replace(key.begin(), key.end(), '_', '-');
  return "--" + key;
}

// Parses the limits with the request parser, so that keys, ranges and messages are the same. Each
// is parsed alone first, so that an error names its flag. Limits without a flag have this machine's
// defaults.
Result<request::Limits> ParseLimits(const RunFlags& flags) {
  const request::Limits usual = BJ_TRY(UsualLimits());
  json::object all = {{"code", ""}};
  for (const auto& [key, text] : flags.limits) {
    if (text.empty()) continue;
    auto number = ParseJson(text);
    // A number outside the range of double could not be serialised again.
    const bool is_number =
        number && number->is_number() && std::isfinite(number->to_number<double>());
    const json::value value = is_number ? *number : json::value(text);
    const json::object alone = {{"code", ""}, {key, value}};
    BJ_TRY(request::ParseRequest(json::serialize(alone), usual).While(FlagName(key) + " " + text));
    all[key] = value;
  }
  request::Request parsed = BJ_TRY(request::ParseRequest(json::serialize(all), usual));
  return parsed.limits;
}

Result<> ApplyEnv(const RunFlags& flags, request::Request& request) {
  for (const std::string& pair : flags.env) {
    const std::size_t equals = pair.find('=');
    if (equals == std::string::npos) {
      return Error(Kind::kInvalid, fmt::format("--env {}: write it as NAME=VALUE", pair));
    }
    request.env[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
  return {};
}

// --file PATH uses the file's own name, --file NAME=PATH another one.
Result<> ApplyFiles(const RunFlags& flags, request::Request& request) {
  for (const std::string& given : flags.files) {
    const std::size_t equals = given.find('=');
    const std::string path = equals == std::string::npos ? given : given.substr(equals + 1);
    const std::string name =
        equals == std::string::npos ? path.substr(path.rfind('/') + 1) : given.substr(0, equals);
    const Fd file = BJ_TRY(Open(path, O_RDONLY).While("--file"));
    request.files.push_back({name, BJ_TRY(ReadAll(file, request::kMaxFileBytesTotal, path))});
  }
  return {};
}

Result<> ApplyVaults(const RunFlags& flags, request::Request& request) {
  std::error_code failed;
  const std::string cwd = std::filesystem::current_path(failed).native();
  if (failed && !flags.vaults.empty())
    return SysError("find", "the working directory", failed.value());
  for (const std::string& given : flags.vaults) {
    auto vault = BJ_TRY(request::ParseVaultFlag(given, cwd));
    request.vaults.push_back(std::move(vault));
  }
  return request::ValidateVaults(request.vaults).While("--vault");
}

Result<> ApplyInput(const RunFlags& flags, request::Request& request) {
  if (!flags.input.empty() && !flags.stdin_file.empty()) {
    return Error(Kind::kInvalid, "give --stdin or --input, not both");
  }
  if (!flags.input.empty()) {
    auto input = BJ_TRY(ReadJsonFlag(flags.input).While("--input"));
    request::SetInput(request, std::move(input));
  }
  if (!flags.input_schema.empty()) {
    request.input_schema = BJ_TRY(ReadJsonFlag(flags.input_schema).While("--input-schema"));
  }
  if (!flags.output_schema.empty()) {
    request.output_schema = BJ_TRY(ReadJsonFlag(flags.output_schema).While("--output-schema"));
  }
  return {};
}

// CLI11 validator: returns the error, or an empty string. CLI11 itself would read -1 as a very
// large seed.
std::string ComplaintAboutSeed(const std::string& text) {
  std::uint64_t seed = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), seed);
  if (failed == std::errc() && end == text.data() + text.size()) return "";
  return "a seed is a whole number from 0 to 18446744073709551615, not " + text;
}

// Rejects an empty value: an unset variable in a script must not select the default.
std::string ComplaintAboutNothing(const std::string& text) {
  return text.empty() ? "it needs a value, and \"\" is none" : "";
}

}  // namespace

Result<json::value> ReadJsonFlag(const std::string& given) {
  if (!given.starts_with('@')) return ParseJson(given);
  const std::string path = given.substr(1);
  const Fd file = BJ_TRY(Open(path, O_RDONLY));
  const std::string text = BJ_TRY(ReadAll(file, request::kMaxStdinBytes, path));
  return ParseJson(text).While(path);
}

int Fail(const Error& error) {
  std::fprintf(stderr, "belljar: %s\n", error.message().c_str());
  return kOwnFailure;
}

void AddLimitFlags(CLI::App& app, RunFlags& flags) {
  app.add_option("--timeout", flags.limits["timeout"],
                 "wall clock: seconds, or 500ms, 2m, 1h (30)");
  app.add_option("--cpu-time", flags.limits["cpu_time"], "CPU time of all processes together");
  app.add_option("--memory", flags.limits["memory"], "bytes, or 64M, 1G (512M)");
  app.add_option("--cpus", flags.limits["cpus"], "CPUs, such as 1 or 0.5 (1)");
  app.add_option("--processes", flags.limits["processes"], "processes and threads (64)");
  app.add_option("--workspace", flags.limits["workspace"], "size of the writable place (256M)");
  app.add_option("--workspace-inodes", flags.limits["workspace_inodes"],
                 "files and directories in it");
  app.add_option("--open-files", flags.limits["open_files"], "open files of one process (512)");
  app.add_option("--file-size", flags.limits["file_size"], "largest file (the workspace's size)");
  app.add_option("--file-operations", flags.limits["file_operations"],
                 "opens and the like (100000)");
  app.add_option("--output-lines", flags.limits["output_lines"], "lines printed in all (1000)");
  app.add_option("--output-bytes", flags.limits["output_bytes"], "bytes printed in all (1048576)");
  for (const auto& [key, text] : flags.limits) {
    app.get_option(FlagName(key))->check(ComplaintAboutNothing);
  }
}

namespace {

// Flags for the program's input, and for its expected output.
void AddExchangeFlags(CLI::App& app, RunFlags& flags) {
  app.add_option("--env", flags.env, "NAME=VALUE for the program")->allow_extra_args(false);
  app.add_option("--file", flags.files, "put a file into the workspace: [NAME=]PATH")
      ->allow_extra_args(false);
  app.add_option("--fetch", flags.fetch, "return a workspace file's content in --json")
      ->allow_extra_args(false);
  app.add_option("--writes", flags.writes,
                 "a pattern of files it is expected to write; others are told of")
      ->allow_extra_args(false);
  app.add_option("--vault", flags.vaults,
                 "show a host directory at /vault/NAME: DIR, or DIR:rw to commit what is written")
      ->allow_extra_args(false);
  app.add_option("--allow-host", flags.allow_hosts,
                 "a host it may reach by HTTP and HTTPS: api.example.com, *.example.com, HOST:PORT")
      ->allow_extra_args(false);
  app.add_option("--artefact", flags.artefacts,
                 "show an artefact at /artefacts/NAME: NAME, or NAME@sha256:DIGEST")
      ->allow_extra_args(false);
  app.add_option("--stdin", flags.stdin_file, "a file for the program's standard input");
  app.add_option("--input", flags.input, "a JSON value for its standard input: JSON or @FILE");
  app.add_option("--input-schema", flags.input_schema, "a JSON Schema that the input must fit");
  app.add_option("--output-schema", flags.output_schema,
                 "a JSON Schema that what it prints must fit");
  app.add_option("--text", flags.text,
                 "what it prints: raw, visible (escapes are shown), plain (left out)")
      ->check(CLI::IsMember({"raw", "visible", "plain"}));
}

}  // namespace

void AddRunFlags(CLI::App& app, RunFlags& flags) {
  AddLimitFlags(app, flags);
  app.add_option("--level", flags.level, "strict, standard or relaxed (standard)")
      ->envname("BELLJAR_LEVEL")
      ->check(ComplaintAboutNothing);
  app.add_option("--policy", flags.policy_file, "a policy file of your own, instead of a level")
      ->check(ComplaintAboutNothing);
  app.add_option("--image", flags.image, "the image to start from (default)")
      ->check(ComplaintAboutNothing);
  app.add_option("--backend", flags.backend,
                 "what builds the walls: native, gvisor, docker (the policy's)")
      ->check(ComplaintAboutNothing);
  AddExchangeFlags(app, flags);
  app.add_option("--deterministic", flags.deterministic, "a seed: equal runs give equal bytes")
      ->check(ComplaintAboutSeed);
  app.add_option("--allow-unenforced", flags.allow_unenforced,
                 "run although this machine cannot hold that limit (cpus, file_operations, memory)")
      ->allow_extra_args(false);
  app.add_option("--reason", flags.reason, "why this is run, for who may have to approve it");
  app.add_option("--wait", flags.wait, "how long to wait for an approval, such as 5m");
  app.add_option("--correlation-id", flags.correlation_id, "an id of the caller's own");
  app.add_flag("--json", flags.json, "print one result object");
  app.add_flag("--account", flags.account, "say afterwards what held the program");
  AddDaemonFlags(app, flags.daemon);
  app.add_flag("--no-daemon", flags.daemon.never, "run here, also where a daemon could");
  AddSwitchOff(app, flags.switch_off);
}

void AddSwitchOff(CLI::App& app, std::string& names) {
  if (!run::CanSwitchOff()) return;
  app.add_option("--switch-off", names, "leave out controls")->envname("BELLJAR_SWITCH_OFF");
}

Result<> ApplyFlags(const RunFlags& flags, request::Request& request) {
  if (!flags.backend.empty()) {
    request.backend = BJ_TRY(request::ParseBackend(flags.backend).While("--backend"));
  }
  for (const std::string& name : flags.allow_unenforced) {
    if (!run::KnownUnenforced().contains(name)) {
      return Error(
          Kind::kInvalid,
          fmt::format("--allow-unenforced {}: it takes cpus, file_operations or memory", name));
    }
  }
  if (!flags.level.empty() && !flags.policy_file.empty()) {
    return Error(Kind::kInvalid, "give --level or --policy, not both");
  }
  request.level = flags.level;
  request.image = flags.image;
  if (!flags.wait.empty()) BJ_TRY(request::ParseDuration(flags.wait).While("--wait"));
  request.reason = flags.reason;
  request.correlation_id = flags.correlation_id;
  request.text = TextModeNamed(flags.text).value_or(TextMode::kRaw);
  request.deterministic = flags.deterministic;
  request.fetch = flags.fetch;
  request.allow_hosts = flags.allow_hosts;
  for (const std::string& given : flags.artefacts) {
    auto artefact = BJ_TRY(request::ParseArtefact(given).While("--artefact"));
    request.artefacts.push_back(std::move(artefact));
  }
  if (!flags.writes.empty()) request.writes = flags.writes;
  request.limits = BJ_TRY(ParseLimits(flags));
  BJ_TRY(ApplyEnv(flags, request));
  BJ_TRY(ApplyFiles(flags, request));
  BJ_TRY(ApplyVaults(flags, request));
  if (!flags.stdin_file.empty()) {
    const Fd file = BJ_TRY(Open(flags.stdin_file, O_RDONLY).While("--stdin"));
    request.stdin_bytes = BJ_TRY(ReadAll(file, request::kMaxStdinBytes, flags.stdin_file));
  }
  BJ_TRY(ApplyInput(flags, request));
  return request::Validate(request);
}

Result<run::Terms> TermsOf(const RunFlags& flags) {
  run::Terms terms;
  const std::string usual = PolicyOfEnvironment();
  if (!flags.policy_file.empty()) {
    terms.own = BJ_TRY(judgement::policy::ReadPolicyFile(flags.policy_file).While("--policy"));
  } else if (!flags.level.empty()) {
    terms.own = *BJ_TRY(judgement::policy::Preset(flags.level));
  } else if (!usual.empty()) {
    terms.own = BJ_TRY(judgement::policy::ReadPolicyFile(usual).While("BELLJAR_POLICY"));
  }
  return terms;
}

std::string PolicyOfEnvironment() {
  const char* const file = std::getenv("BELLJAR_POLICY");
  return file == nullptr ? "" : file;
}

Result<std::string> StateDir(const DaemonFlags& flags) { return run::StateDirOr(flags.state); }

Result<run::Options> EngineOptions(const RunFlags& flags) {
  run::Options options;
  options.state_dir = BJ_TRY(StateDir(flags.daemon));
  options.allow_unenforced = {flags.allow_unenforced.begin(), flags.allow_unenforced.end()};
  options.switch_off = flags.switch_off;
  options.terms = BJ_TRY(TermsOf(flags));
  options.walls = BJ_TRY(UsualWalls());
  options.walls.docker.removes_strays = !flags.only_looks;
  options.on_recovered = [](const std::string& sentence) {
    fmt::print(stderr, "belljar: {}\n", sentence);
  };
  return options;
}

Result<std::unique_ptr<run::Engine>> OpenEngine(const RunFlags& flags, std::size_t pool_target,
                                                std::chrono::milliseconds patience) {
  run::Options options = BJ_TRY(EngineOptions(flags));
  options.pool_target = pool_target;
  options.walls.patience = patience;
  return run::Engine::Create(options, ProgressLine());
}

}  // namespace belljar::door::cli
