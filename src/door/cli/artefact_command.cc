#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstdio>

#include "door/cli/command.h"
#include "resource/artefact/store.h"

namespace belljar::door::cli {
namespace {

using resource::artefact::Info;
using resource::artefact::Store;

struct ArtefactArguments {
  std::string name;
  std::string path;
  DaemonFlags state;
  bool replace = false;
  bool json = false;
};

Result<Store> OpenStore(const ArtefactArguments& arguments) {
  const std::string state = BJ_TRY(StateDir(arguments.state));
  return Store::Open(state + "/artefacts");
}

// Shows progress when reading takes longer than a moment; a single line where stderr is a terminal.
resource::artefact::OnProgress ArtefactProgress() {
  using Clock = std::chrono::steady_clock;
  struct State {
    bool terminal = ::isatty(2) == 1;
    Clock::time_point last = Clock::now();
    bool shown = false;
    ~State() {
      if (shown && terminal) std::fputs("\n", stderr);
    }
  };
  return [state = std::make_shared<State>()](const resource::artefact::Progress& progress) {
    const auto pause = state->terminal ? std::chrono::milliseconds(200) : std::chrono::seconds(2);
    if (Clock::now() - state->last < pause) return;
    state->last = Clock::now();
    state->shown = true;
    fmt::print(stderr, "{}artefact: {} files, {:.0f} MB{}", state->terminal ? "\r\x1b[K" : "",
               progress.files, static_cast<double>(progress.bytes) / 1e6,
               state->terminal ? "" : "\n");
    std::fflush(stderr);
  };
}

std::string SizeText(const Info& info) {
  return fmt::format("{}, {} {}, {} bytes", resource::artefact::ShapeName(info.content.shape),
                     info.content.files, info.content.files == 1 ? "file" : "files",
                     info.content.bytes);
}

void Print(const ArtefactArguments& arguments, const Info& info, std::string_view verb) {
  if (arguments.json) {
    fmt::print("{}\n", json::serialize(resource::artefact::ToJson(info)));
  } else {
    fmt::print("{} {}: {} ({})\n", verb, info.name, info.content.digest, SizeText(info));
  }
}

Result<> AddArtefact(const ArtefactArguments& arguments) {
  auto store = BJ_TRY(OpenStore(arguments));
  const auto existing = arguments.replace ? Store::Existing::kReplace : Store::Existing::kRefuse;
  const Info info = BJ_TRY(store.Add(arguments.name, arguments.path, existing, ArtefactProgress()));
  Print(arguments, info, "added");
  return {};
}

Result<> ListArtefacts(const ArtefactArguments& arguments) {
  const auto store = BJ_TRY(OpenStore(arguments));
  const auto all = BJ_TRY(store.List());
  if (arguments.json) {
    json::array listed;
    for (const Info& info : all) listed.push_back(resource::artefact::ToJson(info));
    fmt::print("{}\n", json::serialize(listed));
    return {};
  }
  fmt::print("{:<24} {:<5} {:>8} {:>14}  {:<20} {}\n", "NAME", "SHAPE", "FILES", "BYTES", "ADDED",
             "DIGEST");
  for (const Info& info : all) {
    const bool whole = !info.content.digest.empty();
    fmt::print("{:<24} {:<5} {:>8} {:>14}  {:<20} {}\n", info.name,
               whole ? resource::artefact::ShapeName(info.content.shape) : "?", info.content.files,
               info.content.bytes, info.added, whole ? info.content.digest : "damaged");
  }
  return {};
}

Result<> ShowArtefact(const ArtefactArguments& arguments) {
  const auto store = BJ_TRY(OpenStore(arguments));
  const Info info = BJ_TRY(store.Find(arguments.name));
  if (arguments.json) {
    fmt::print("{}\n", json::serialize(resource::artefact::ToJson(info)));
    return {};
  }
  fmt::print("name    {}\ndigest  {}\nwhat    {}\nadded   {}\nin a cell at {}/{}\n", info.name,
             info.content.digest, SizeText(info), info.added, request::kArtefactsPath, info.name);
  return {};
}

Result<> VerifyArtefact(const ArtefactArguments& arguments) {
  auto store = BJ_TRY(OpenStore(arguments));
  const Info info = BJ_TRY(store.Verify(arguments.name, ArtefactProgress()));
  Print(arguments, info, "verified");
  return {};
}

std::string_view RestText(resource::artefact::Rest rest) {
  switch (rest) {
    case resource::artefact::Rest::kShared:
      return "its content stays: another name stands for it";
    case resource::artefact::Rest::kInUse:
      return "its content stays until the runs and sessions that have it have ended";
    case resource::artefact::Rest::kDeleted:
      break;
  }
  return "its content is deleted";
}

Result<> RemoveArtefact(const ArtefactArguments& arguments) {
  auto store = BJ_TRY(OpenStore(arguments));
  const auto rest = BJ_TRY(store.Remove(arguments.name));
  if (arguments.json) {
    fmt::print("{}\n",
               json::serialize(json::object{{"name", arguments.name},
                                            {"content", resource::artefact::RestName(rest)}}));
    return {};
  }
  fmt::print("removed {}: {}\n", arguments.name, RestText(rest));
  return {};
}

using ArtefactAction = Result<> (*)(const ArtefactArguments&);

CLI::App* Subcommand(CLI::App* parent, const char* name, const char* says, ArtefactAction action,
                     int& status, const std::shared_ptr<ArtefactArguments>& arguments) {
  CLI::App* const command = parent->add_subcommand(name, says);
  command->add_flag("--json", arguments->json, "print JSON");
  command->add_option("--state", arguments->state.state, "the state directory");
  command->callback([arguments, action, &status] {
    const auto done = action(*arguments);
    status = done ? 0 : Fail(done.error());
  });
  return command;
}

}  // namespace

void AddArtefactCommand(CLI::App& app, int& status) {
  const auto arguments = std::make_shared<ArtefactArguments>();
  CLI::App* const all =
      app.add_subcommand("artefact", "files and trees that runs may read, by digest");
  all->require_subcommand(1);
  const auto sub = [&](const char* name, const char* says, ArtefactAction action) {
    return Subcommand(all, name, says, action, status, arguments);
  };
  sub("list", "list artefacts", ListArtefacts);
  CLI::App* const add = sub("add", "copy a file or a tree into the store", AddArtefact);
  add->add_option("NAME", arguments->name, "what runs call it")->required();
  add->add_option("PATH", arguments->path, "a file or a directory")->required();
  add->add_flag("--replace", arguments->replace, "also if the name stands for other content");
  const struct {
    const char* name;
    const char* says;
    ArtefactAction action;
  } named[] = {{"show", "say what one is", ShowArtefact},
               {"verify", "read all of one again, and compare its digest", VerifyArtefact},
               {"rm", "remove a name, and what only it stands for", RemoveArtefact}};
  for (const auto& each : named) {
    sub(each.name, each.says, each.action)
        ->add_option("NAME", arguments->name, "the artefact")
        ->required();
  }
}

}  // namespace belljar::door::cli
