#include "run/supervise.h"

#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "cell/guest/protocol/environment.h"
#include "run/tools.h"

namespace belljar::run {
namespace {

void Show(Observed& seen, const Run& run, Stream stream, std::string_view clean) {
  if (clean.empty()) return;
  seen.shown[static_cast<std::size_t>(stream)] += clean;
  const auto& on_output = run.requester.observer.on_output;
  if (on_output) on_output(stream, clean);
}

}  // namespace

std::map<std::string, std::string> GuestEnvironment(
    const request::Request& request, const cell::Cell& cell,
    const std::map<std::string, std::string>& more) {
  std::map<std::string, std::string> env;
  for (const std::string_view variable : cell::guest::kDefaultEnvironment) {
    const std::size_t equals = variable.find('=');
    env.emplace(variable.substr(0, equals), variable.substr(equals + 1));
  }
  for (const auto& [name, value] : more) env[name] = value;
  for (const auto& [name, value] : request.env) env[name] = value;
  if (!request.artefacts.empty()) env["BELLJAR_ARTEFACTS"] = request::kArtefactsPath;
  if (cell.listener(cell::CellListener::kTools)) AddToolsEnvironment(request, env);
  return env;
}

cell::guest::Language LanguageOf(request::Lang lang) {
  switch (lang) {
    case request::Lang::kPython:
      return cell::guest::Language::kPython;
    case request::Lang::kJavaScript:
    case request::Lang::kTypeScript:
      return cell::guest::Language::kJavaScript;
    case request::Lang::kBash:
      return cell::guest::Language::kBash;
  }
  return cell::guest::Language::kBash;
}

bool IsCancelled(const cell::limits::CancelledBy& by) {
  std::array<pollfd, std::tuple_size_v<cell::limits::CancelledBy>> polled{};
  for (std::size_t i = 0; i < by.size(); ++i) polled[i] = {by[i], POLLIN, 0};
  return ::poll(polled.data(), polled.size(), 0) > 0;
}

void FinishOutput(Observed& seen, const Run& run) {
  for (const auto stream : {Stream::kStdout, Stream::kStderr}) {
    Show(seen, run, stream, seen.cleaner.Finish(stream));
  }
}

cell::limits::Handlers CaptureInto(Observed& seen, const Run& run, cell::Cell& cell) {
  const auto keep = [&](Stream stream) {
    return [&seen, &run, stream](std::string_view bytes) {
      const std::string_view kept = seen.capture.Add(stream, bytes);
      if (!kept.empty()) Show(seen, run, stream, seen.cleaner.Pass(stream, kept));
      return !seen.capture.full();
    };
  };
  cell::limits::Handlers handlers;
  handlers.on_stdout = keep(Stream::kStdout);
  handlers.on_stderr = keep(Stream::kStderr);
  handlers.interrupt = [&cell, again = false]() mutable {
    std::exchange(again, true) ? cell.InterruptAll() : cell.Interrupt();
  };
  handlers.kill = [&cell] { cell.Kill(); };
  handlers.reap = [&cell] { return cell.Reap(); };
  handlers.on_started = run.on_started;
  if (run.tools) handlers.waited = [&run] { return run.tools->waited(); };
  return handlers;
}

Result<> EndCalls(const Run& run, Observed& seen) {
  if (!run.tools) return {};
  auto ended = run.tools->End();
  seen.network_requests += run.tools->calls();
  return ended;
}

std::chrono::milliseconds GraceIn(const cell::Cell& cell) {
  return cell.runtime_processes() > 0 ? cell::limits::kContainedGrace : cell::limits::kGrace;
}

const Fd* ForkDenied(cell::pool::PreparedCell& prepared) {
  if (!prepared.group || !prepared.group->fork_denied_event()) return nullptr;
  return &prepared.group->fork_denied_event();
}

std::uint32_t WorkspaceOwner(const Fd& workspace) {
  struct stat status {};
  return ::fstat(workspace.get(), &status) == 0 ? status.st_uid : ::geteuid();
}

}  // namespace belljar::run
