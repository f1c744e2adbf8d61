#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>

#include "door/cli/command.h"
#include "foundation/base/quote.h"
#include "foundation/storage/state_dir.h"
#include "service/callers/token_store.h"

namespace belljar::door::cli {
namespace {

struct TokenArguments {
  std::string name, state;
  std::vector<std::string> scopes;
  std::string runs, sessions, per_minute, memory;  // as typed; empty: the default
  bool json = false;
};

// The token store and its database.
struct OpenedStore {
  std::unique_ptr<storage::Database> database;
  std::unique_ptr<service::callers::TokenStore> store;
};

Result<OpenedStore> OpenTokens(const TokenArguments& arguments) {
  const std::string dir = BJ_TRY(run::StateDirOr(arguments.state));
  auto database = BJ_TRY(storage::OpenStateDatabase(dir));
  auto store = BJ_TRY(service::callers::TokenStore::Open(*database, ::geteuid()));
  return OpenedStore{std::move(database), std::move(store)};
}

Result<> ReadQuota(std::string_view flag, const std::string& text, std::uint32_t& quota) {
  if (text.empty()) return {};
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, quota);
  if (read.ec == std::errc() && read.ptr == end && quota <= service::callers::Quotas::kMost)
    return {};
  return Error(Kind::kInvalid, fmt::format("{} {}: it takes a whole number from 0 to {}", flag,
                                           Quote(text), service::callers::Quotas::kMost));
}

Result<service::callers::Quotas> ReadQuotas(const TokenArguments& arguments) {
  service::callers::Quotas quotas;
  BJ_TRY(ReadQuota("--runs", arguments.runs, quotas.concurrent_runs));
  BJ_TRY(ReadQuota("--sessions", arguments.sessions, quotas.sessions));
  BJ_TRY(ReadQuota("--per-minute", arguments.per_minute, quotas.runs_per_minute));
  if (!arguments.memory.empty()) {
    quotas.memory_bytes = BJ_TRY(request::ParseSize(arguments.memory).While("--memory"));
  }
  return quotas;
}

Result<service::callers::Scopes> ReadScopes(const TokenArguments& arguments) {
  service::callers::Scopes scopes;
  for (const std::string& name : arguments.scopes) {
    const auto scope = BJ_TRY(service::callers::ParseScope(name).While("--scope " + Quote(name)));
    scopes.Add(scope);
  }
  if (scopes.empty())
    return service::callers::Scopes{service::callers::Scope::kRun,
                                    service::callers::Scope::kSessions};
  return scopes;
}

json::object Describe(const service::callers::Caller& caller) {
  json::array scopes;
  for (const service::callers::Scope scope : service::callers::kAllScopes) {
    if (caller.scopes.Has(scope)) scopes.emplace_back(service::callers::ScopeName(scope));
  }
  const service::callers::Quotas& quotas = caller.quotas;
  return {{"name", caller.name},
          {"scopes", scopes},
          {"quotas",
           {{"runs", quotas.concurrent_runs},
            {"sessions", quotas.sessions},
            {"per_minute", quotas.runs_per_minute},
            {"memory", quotas.memory_bytes}}}};
}

std::string DateOf(std::int64_t seconds) {
  return fmt::format("{:%FT%TZ}", fmt::gmtime(static_cast<std::time_t>(seconds)));
}

// Only the token goes to stdout, so that a script can use it: TOKEN=$(belljar token add ci).
Result<> Add(const TokenArguments& arguments) {
  service::callers::Caller caller{arguments.name, {}, {}};
  caller.scopes = BJ_TRY(ReadScopes(arguments));
  caller.quotas = BJ_TRY(ReadQuotas(arguments));
  const OpenedStore tokens = BJ_TRY(OpenTokens(arguments));
  const auto uid = service::callers::ParseUidName(caller.name);
  std::string token;
  if (uid) {
    BJ_TRY(tokens.store->Grant(*uid, caller.scopes, caller.quotas));
  } else {
    token = BJ_TRY(tokens.store->Add(caller.name, caller.scopes, caller.quotas));
  }
  if (arguments.json) {
    json::object answer = Describe(caller);
    answer["token"] = uid ? json::value() : json::value(token);
    fmt::print("{}\n", json::serialize(answer));
  } else if (uid) {
    fmt::print("{} is known by its Unix socket and needs no token\n", caller.name);
  } else {
    fmt::print("{}\n", token);
    fmt::print(stderr, "belljar: keep this token, it is shown only once\n");
  }
  return {};
}

Result<> ListTokens(const TokenArguments& arguments) {
  const OpenedStore tokens = BJ_TRY(OpenTokens(arguments));
  const auto entries = BJ_TRY(tokens.store->List());
  if (arguments.json) {
    json::array all;
    for (const service::callers::CallerEntry& entry : entries) {
      json::object described = Describe(entry.caller);
      described["created"] = DateOf(entry.created);
      all.push_back(std::move(described));
    }
    fmt::print("{}\n", json::serialize(all));
    return {};
  }
  fmt::print("{:<20} {:>7} {:>8} {:>10} {:>10}  {:<20} {}\n", "NAME", "RUNS", "SESSIONS",
             "PER MINUTE", "MB", "CREATED", "SCOPES");
  for (const auto& [caller, created] : entries) {
    const service::callers::Quotas& quotas = caller.quotas;
    fmt::print("{:<20} {:>7} {:>8} {:>10} {:>10.0f}  {:<20} {}\n", caller.name,
               quotas.concurrent_runs, quotas.sessions, quotas.runs_per_minute,
               static_cast<double>(quotas.memory_bytes) / 1e6, DateOf(created),
               caller.scopes.Text());
  }
  return {};
}

Result<> RemoveToken(const TokenArguments& arguments) {
  const OpenedStore tokens = BJ_TRY(OpenTokens(arguments));
  BJ_TRY(tokens.store->Remove(arguments.name));
  if (arguments.json) {
    fmt::print("{}\n", json::serialize(json::object{{"removed", arguments.name}}));
  }
  return {};
}

CLI::App* AddAction(CLI::App* token, const std::string& name, const std::string& help,
                    const std::shared_ptr<TokenArguments>& arguments,
                    Result<> (*action)(const TokenArguments&), int& status) {
  CLI::App* const command = token->add_subcommand(name, help);
  command->add_option("--state", arguments->state, "the directory that holds belljar.db");
  command->add_flag("--json", arguments->json, "print JSON");
  command->callback([arguments, action, &status] {
    const auto done = action(*arguments).While("token");
    status = done ? 0 : Fail(done.error());
  });
  return command;
}

}  // namespace

void AddTokenCommand(CLI::App& app, int& status) {
  const auto arguments = std::make_shared<TokenArguments>();
  CLI::App* const token = app.add_subcommand("token", "who may use the service, and for what");
  token->require_subcommand(1);
  CLI::App* const add =
      AddAction(token, "add", "let a caller in; prints its token once", arguments, Add, status);
  add->add_option("NAME", arguments->name, "the caller's name, or uid:N for a user of this machine")
      ->required();
  add->add_option("--scope", arguments->scopes,
                  "run, sessions, approve, audit or admin; repeatable (run, sessions)")
      ->allow_extra_args(false);
  add->add_option("--runs", arguments->runs, "runs at once (32)");
  add->add_option("--sessions", arguments->sessions, "sessions at once (32)");
  add->add_option("--per-minute", arguments->per_minute, "runs begun in a minute (1200)");
  add->add_option("--memory", arguments->memory, "memory of all together, such as 512M (16G)");
  AddAction(token, "list", "list callers", arguments, ListTokens, status);
  CLI::App* const rm = AddAction(token, "rm", "remove a caller; its token is worth nothing",
                                 arguments, RemoveToken, status);
  rm->add_option("NAME", arguments->name, "the caller's name")->required();
}

}  // namespace belljar::door::cli
