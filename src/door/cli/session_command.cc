// belljar session: lists and manages the sessions of a daemon.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>

#include "door/cli/command.h"
#include "door/cli/daemon_link.h"
#include "door/cli/ending.h"
#include "door/cli/session_request.h"
#include "door/cli/terminal.h"
#include "foundation/base/sys.h"

namespace belljar::door::cli {
namespace {

constexpr std::size_t kMostFileBytes = 64 << 20;  // the daemon's limit in both directions

struct SessionArguments {
  DaemonFlags daemon;
  std::string name, path, file, checkpoint;
  std::size_t count = 1;
  bool json = false;
};

using Action = Result<> (*)(DaemonLink&, const SessionArguments&);

// Formats a member for a table; names chosen by callers or programs are escaped.
std::string Shown(const json::object& object, std::string_view key) {
  const json::value* const value = object.if_contains(key);
  if (value == nullptr || value->is_null()) return "-";
  if (value->is_string()) return MakeVisible(value->get_string());
  return MakeVisible(json::serialize(*value));
}

Result<json::array> Members(const json::object& answer, std::string_view key) {
  const json::value* const value = answer.if_contains(key);
  if (value != nullptr && value->is_array()) return value->get_array();
  return Error(Kind::kInternal, fmt::format("the daemon's answer has no \"{}\"", key));
}

http::client::Ask Post(std::string target, const json::object& body) {
  return {"POST", std::move(target), "application/json", "application/json", json::serialize(body)};
}

// Prints the answer as one object, or a table with the `columns` of each member of `list`.
Result<> PrintTable(const SessionArguments& arguments, const json::object& answer,
                    std::string_view list, std::initializer_list<std::string_view> columns) {
  if (arguments.json) {
    PrintObject(answer);
    return {};
  }
  const json::array members = BJ_TRY(Members(answer, list));
  const auto print = [&](auto cell) {
    std::string line;
    for (const std::string_view column : columns) line += fmt::format("{:<26} ", cell(column));
    fmt::print("{}\n", line.substr(0, line.find_last_not_of(' ') + 1));
  };
  print([](std::string_view column) {
    std::string heading(column);
    for (char& c : heading) c = c == '_' ? ' ' : static_cast<char>(std::toupper(c));
    return heading;
  });
  for (const json::value& member : members) {
    if (!member.is_object()) return Error(Kind::kInternal, "the daemon's list is not of objects");
    print([&](std::string_view column) { return Shown(member.get_object(), column); });
  }
  return {};
}

// Prints the answer as one object, or only its `member`.
void PrintOne(const SessionArguments& arguments, const json::object& answer,
              std::string_view member) {
  if (arguments.json) return PrintObject(answer);
  fmt::print("{}\n", Shown(answer, member));
}

Result<> ListSessions(DaemonLink& daemon, const SessionArguments& arguments) {
  const json::object answer = BJ_TRY(daemon.AskJson({"GET", "/v1/sessions"}));
  return PrintTable(arguments, answer, "sessions",
                    {"id", "name", "lang", "state", "runs", "last_used"});
}

Result<> Show(DaemonLink& daemon, const SessionArguments& arguments) {
  const json::object answer = BJ_TRY(daemon.AskJson({"GET", SessionPath(arguments.name)}));
  if (arguments.json) {
    PrintObject(answer);
    return {};
  }
  for (const auto& [key, value] : answer)
    fmt::print("{:<12} {}\n", std::string_view(key), Shown(answer, key));
  return {};
}

Result<> Remove(DaemonLink& daemon, const SessionArguments& arguments) {
  const json::object answer = BJ_TRY(daemon.AskJson({"DELETE", SessionPath(arguments.name)}));
  if (arguments.json) PrintObject(answer);
  return {};
}

Result<> Interrupt(DaemonLink& daemon, const SessionArguments& arguments) {
  const json::object answer =
      BJ_TRY(daemon.AskJson(Post(SessionPath(arguments.name, "/interrupt"), {})));
  if (arguments.json) PrintObject(answer);
  return {};
}

Result<> Pause(DaemonLink& daemon, const SessionArguments& arguments) {
  const json::object answer =
      BJ_TRY(daemon.AskJson(Post(SessionPath(arguments.name, "/pause"), {})));
  if (arguments.json) PrintObject(answer);
  return {};
}

Result<> Resume(DaemonLink& daemon, const SessionArguments& arguments) {
  const json::object answer =
      BJ_TRY(daemon.AskJson(Post(SessionPath(arguments.name, "/resume"), {})));
  if (arguments.json) PrintObject(answer);
  return {};
}

Result<> Files(DaemonLink& daemon, const SessionArguments& arguments) {
  const json::object answer =
      BJ_TRY(daemon.AskJson({"GET", SessionPath(arguments.name, "/files")}));
  if (arguments.json) {
    PrintObject(answer);
    return {};
  }
  const json::array files = BJ_TRY(Members(answer, "files"));
  for (const json::value& file : files) {
    if (!file.is_object()) return Error(Kind::kInternal, "the daemon's list is not of objects");
    fmt::print("{:>12} {}\n", Shown(file.get_object(), "bytes"), Shown(file.get_object(), "path"));
  }
  return {};
}

std::string FilePath(const SessionArguments& arguments) {
  return SessionPath(arguments.name, "/files/" + http::client::EscapePath(arguments.path));
}

// Receives the whole file before writing it, so that a failure leaves an existing file unchanged.
Result<> Get(DaemonLink& daemon, const SessionArguments& arguments) {
  http::client::Ask ask{"GET", FilePath(arguments)};
  ask.accept = "application/octet-stream";
  http::client::Bounds bounds;
  bounds.body_bytes = kMostFileBytes;
  const std::string bytes = BJ_TRY(daemon.Ask(ask, bounds));
  if (arguments.file.empty()) {
    return WriteAll(Fd(::fcntl(1, F_DUPFD_CLOEXEC, 3)), bytes, "standard output");
  }
  const Fd file = BJ_TRY(Open(arguments.file, O_WRONLY | O_CREAT | O_TRUNC, 0666));
  return WriteAll(file, bytes, arguments.file);
}

Result<> Put(DaemonLink& daemon, const SessionArguments& arguments) {
  http::client::Ask ask{"PUT", FilePath(arguments)};
  ask.content_type = "application/octet-stream";
  if (arguments.file.empty()) {
    ask.body =
        BJ_TRY(ReadAll(Fd(::fcntl(0, F_DUPFD_CLOEXEC, 3)), kMostFileBytes, "standard input"));
  } else {
    const Fd file = BJ_TRY(Open(arguments.file, O_RDONLY));
    ask.body = BJ_TRY(ReadAll(file, kMostFileBytes, arguments.file));
  }
  const json::object answer = BJ_TRY(daemon.AskJson(ask));
  if (arguments.json) PrintObject(answer);
  return {};
}

Result<> Checkpoint(DaemonLink& daemon, const SessionArguments& arguments) {
  const json::object answer =
      BJ_TRY(daemon.AskJson(Post(SessionPath(arguments.name, "/checkpoints"), {})));
  PrintOne(arguments, answer, "id");
  return {};
}

Result<> Checkpoints(DaemonLink& daemon, const SessionArguments& arguments) {
  const json::object answer =
      BJ_TRY(daemon.AskJson({"GET", SessionPath(arguments.name, "/checkpoints")}));
  return PrintTable(arguments, answer, "checkpoints", {"id", "created"});
}

Result<> Rollback(DaemonLink& daemon, const SessionArguments& arguments) {
  const json::object answer = BJ_TRY(daemon.AskJson(
      Post(SessionPath(arguments.name, "/rollback"), {{"checkpoint", arguments.checkpoint}})));
  if (arguments.json) PrintObject(answer);
  return {};
}

Result<> Fork(DaemonLink& daemon, const SessionArguments& arguments) {
  const json::object answer = BJ_TRY(
      daemon.AskJson(Post(SessionPath(arguments.name, "/fork"), {{"count", arguments.count}})));
  if (arguments.json) {
    PrintObject(answer);
    return {};
  }
  const json::array sessions = BJ_TRY(Members(answer, "sessions"));
  for (const json::value& session : sessions) {
    fmt::print("{}\n", session.is_object() ? Shown(session.get_object(), "id")
                                           : MakeVisible(json::serialize(session)));
  }
  return {};
}

Result<> Act(const SessionArguments& arguments, Action action) {
  if (action != ListSessions) BJ_TRY(CheckHandle(arguments.name));
  DaemonLink daemon = BJ_TRY(DaemonLink::Need(arguments.daemon, "this"));
  return action(daemon, arguments);
}

using Arguments = std::shared_ptr<SessionArguments>;

CLI::App* AddAction(CLI::App* session, const std::string& name, const std::string& help,
                    const Arguments& arguments, Action action, int& status) {
  CLI::App* const command = session->add_subcommand(name, help);
  AddDaemonFlags(*command, arguments->daemon);
  command->add_flag("--json", arguments->json, "print JSON");
  command->callback([arguments, action, &status] {
    const auto done = Act(*arguments, action).While("session");
    status = done ? 0 : Fail(done.error());
  });
  return command;
}

void AddFileActions(CLI::App* session, const Arguments& arguments, int& status) {
  const auto add = [&](const char* name, const char* help, Action action, const char* file_help) {
    CLI::App* const command = AddAction(session, name, help, arguments, action, status);
    command->add_option("NAME", arguments->name, "the session's name or id")->required();
    command->add_option("PATH", arguments->path, "of the file in the workspace")->required();
    command->add_option("FILE", arguments->file, file_help);
  };
  add("get", "fetch a file of the workspace", Get, "where to put it (standard output)");
  add("put", "write a file of the workspace", Put, "what to put there (standard input)");
}

}  // namespace

void AddSessionCommand(CLI::App& app, int& status) {
  const auto arguments = std::make_shared<SessionArguments>();
  CLI::App* const session = app.add_subcommand("session", "the sessions of a daemon");
  session->require_subcommand(1);
  AddAction(session, "list", "list sessions", arguments, ListSessions, status);
  const auto add = [&](const char* name, const char* help, Action action) {
    CLI::App* const command = AddAction(session, name, help, arguments, action, status);
    command->add_option("NAME", arguments->name, "the session's name or id")->required();
    return command;
  };
  add("show", "show a session", Show);
  add("rm", "end a session", Remove);
  add("interrupt", "interrupt what runs in it", Interrupt);
  add("pause", "put it aside, on disk (behind gVisor)", Pause);
  add("resume", "go on with a paused one", Resume);
  add("files", "list its workspace", Files);
  AddFileActions(session, arguments, status);
  add("checkpoint", "make a point to come back to; prints its id", Checkpoint);
  add("checkpoints", "list them", Checkpoints);
  add("rollback", "go back to a checkpoint", Rollback)
      ->add_option("CHECKPOINT", arguments->checkpoint, "its id")
      ->required();
  add("fork", "make independent copies; prints their ids", Fork)
      ->add_option("COUNT", arguments->count, "how many (1)")
      ->check(CLI::Range(1, 100));
}

}  // namespace belljar::door::cli
