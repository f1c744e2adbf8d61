// The way of a request: one line per stage.
#include "engine/run.h"

#include <poll.h>

#include <chrono>
#include <thread>
#include <utility>

#include "base/sys.h"
#include "engine/artefacts.h"
#include "engine/assessment.h"
#include "engine/engine.h"
#include "engine/network.h"
#include "engine/tools.h"
#include "engine/unenforced.h"
#include "engine/vaults.h"
#include "engine/verdict.h"
#include "guest/environment.h"
#include "monitor/watch.h"
#include "result/side_effects.h"
#include "result/workspace.h"
#include "session/cell_meter.h"

namespace belljar::engine {
namespace {

using session::PreparedCell;

constexpr std::chrono::seconds kContainerEnd{10};

const char* ProgramName(policy::Lang lang) {
  switch (lang) {
    case policy::Lang::kPython:
      return "main.py";
    case policy::Lang::kJavaScript:
    case policy::Lang::kTypeScript:
      return "main.js";
    case policy::Lang::kBash:
      return "main.sh";
  }
  return "main";
}

// A run with a seed, or a replay of one, has the text: whatever it may tell is then the same.
bool MayRunCompiled(const policy::Request& request, const RunHooks& hooks) {
  return hooks.compiled && !hooks.aside && !request.deterministic && request.command.empty() &&
         request.lang == policy::Lang::kPython && request.image == hooks.compiled->image &&
         request.code == hooks.compiled->text;
}

std::string RunFrame(const policy::Request& request, const RunHooks& hooks,
                     const isolate::Cell& cell) {
  guest::RunMessage message;
  message.lang = LanguageOf(request.lang);
  if (request.command.empty()) message.code = request.code;
  message.command = request.command;
  message.name = ProgramName(request.lang);
  message.args = request.args;
  message.env = GuestEnvironment(request, cell, hooks.env);
  message.file_operations = request.limits.file_operations;
  message.guard = hooks.guard;
  if (MayRunCompiled(request, hooks)) message.compiled = hooks.compiled->bytes;
  return guest::EncodeRun(message);
}

void Show(Observed& seen, const RunHooks& hooks, result::Stream stream, std::string_view clean) {
  if (clean.empty()) return;
  seen.shown[static_cast<std::size_t>(stream)] += clean;
  if (hooks.on_output) hooks.on_output(stream, clean);
}

// What only reads needs to be shown things only, and a replay reaches nobody.
void Narrow(policy::Request& request, const policy::Decision& decision, const RunHooks& hooks) {
  if (hooks.aside) request.allow_hosts.clear();
  if (decision.runs_at != analysis::Level::kReads) return;
  for (policy::Vault& vault : request.vaults) vault.mode = policy::VaultMode::kReadOnly;
}

// A run that nobody asked for as it is has no effects.
void CarryBack(const std::vector<vault::Staged>& vaults, const RunHooks& hooks, isolate::Cell& cell,
               const std::string& state_dir, result::RunResult& result) {
  if (hooks.aside) {
    DropVaults(vaults, "a replay writes nothing", result);
  } else {
    SettleVaults(vaults, cell, state_dir, result);
  }
}

Result<> RefuseSession(const policy::Request& request) {
  if (request.session.empty()) return {};
  return Error(Kind::kInvalid, "a \"session\" lives in a daemon: start one with belljar serve");
}

// A replay without what the first run had is none.
Result<result::RunResult> WithoutArtefact(Engine& engine, const policy::Request& request,
                                          std::string why, const RunHooks& hooks) {
  if (hooks.aside) return Error(Kind::kNotFound, std::move(why));
  return engine.Refuse(request, std::move(why), hooks.origin);
}

// After the last call has been recorded: how many there were.
std::uint64_t EndNetwork(Network& network) {
  network.Close();
  return network.CallsOfRun();
}

// A vault is committed only when nobody is left who could write to it.
Result<> AwaitEnd(PreparedCell& prepared) {
  if (!prepared.group) {
    prepared.cell->Finish();
    return {};
  }
  BJ_TRY(prepared.group->Kill());
  const auto deadline = std::chrono::steady_clock::now() + kContainerEnd;
  for (;;) {
    const bool populated = BJ_TRY(prepared.group->Populated());
    if (!populated) return {};
    if (std::chrono::steady_clock::now() > deadline) {
      return Error(Kind::kUnavailable,
                   "processes of the container do not end: its vaults stay as they were");
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

// The kernel says whether any process is left; only then is the end worth waiting for here. How
// many there were; nothing where there is no group to count them.
Result<std::optional<std::uint64_t>> EndStragglers(PreparedCell& prepared) {
  std::optional<std::uint64_t> left;
  // Walls that are processes themselves end with whatever they hold, at once; that all of it is
  // gone, too, is waited for later, unless what it has written is to be committed.
  if (prepared.cell->runtime_processes() > 0) {
    prepared.cell->Kill();
    if (!prepared.cell->vaults().empty()) BJ_TRY(AwaitEnd(prepared));
    return left;
  }
  if (prepared.group) {
    const auto populated = prepared.group->Populated();
    if (populated && !*populated) return std::optional<std::uint64_t>(0);
    const auto counted = prepared.group->Processes();
    if (counted) left = *counted;
  }
  prepared.cell->Finish();
  return left;
}

// To take a container's interpreter apart costs gVisor more than most programs do, and how it ended
// is its shim's word at best: its own is as good, and it is killed upon it.
std::function<std::optional<Ending>()> LastWordIn(const guest::GuestDialogue& dialogue) {
  return [&dialogue]() -> std::optional<Ending> {
    if (!dialogue.report().exits) return std::nullopt;
    return Ending{dialogue.report().exits, std::nullopt};
  };
}

}  // namespace

std::map<std::string, std::string> GuestEnvironment(
    const policy::Request& request, const isolate::Cell& cell,
    const std::map<std::string, std::string>& more) {
  std::map<std::string, std::string> env;
  for (const std::string_view variable : guest::kDefaultEnvironment) {
    const std::size_t equals = variable.find('=');
    env.emplace(variable.substr(0, equals), variable.substr(equals + 1));
  }
  for (const auto& [name, value] : more) env[name] = value;
  for (const auto& [name, value] : request.env) env[name] = value;
  if (!request.artefacts.empty()) env["BELLJAR_ARTEFACTS"] = policy::kArtefactsPath;
  if (cell.door(isolate::Door::kTools)) AddToolsEnvironment(request, env);
  return env;
}

guest::Language LanguageOf(policy::Lang lang) {
  switch (lang) {
    case policy::Lang::kPython:
      return guest::Language::kPython;
    case policy::Lang::kJavaScript:
    case policy::Lang::kTypeScript:
      return guest::Language::kJavaScript;
    case policy::Lang::kBash:
      return guest::Language::kBash;
  }
  return guest::Language::kBash;
}

bool IsCancelled(const monitor::CancelledBy& by) {
  std::array<pollfd, std::tuple_size_v<monitor::CancelledBy>> polled{};
  for (std::size_t i = 0; i < by.size(); ++i) polled[i] = {by[i], POLLIN, 0};
  return ::poll(polled.data(), polled.size(), 0) > 0;
}

void FinishOutput(Observed& seen, const RunHooks& hooks) {
  for (const auto stream : {result::Stream::kStdout, result::Stream::kStderr}) {
    Show(seen, hooks, stream, seen.cleaner.Finish(stream));
  }
}

monitor::Handlers CaptureInto(Observed& seen, const RunHooks& hooks, isolate::Cell& cell) {
  const auto keep = [&](result::Stream stream) {
    return [&seen, &hooks, stream](std::string_view bytes) {
      const std::string_view kept = seen.capture.Add(stream, bytes);
      if (!kept.empty()) Show(seen, hooks, stream, seen.cleaner.Pass(stream, kept));
      return !seen.capture.full();
    };
  };
  monitor::Handlers handlers;
  handlers.on_stdout = keep(result::Stream::kStdout);
  handlers.on_stderr = keep(result::Stream::kStderr);
  handlers.interrupt = [&cell, again = false]() mutable {
    std::exchange(again, true) ? cell.InterruptAll() : cell.Interrupt();
  };
  handlers.kill = [&cell] { cell.Kill(); };
  handlers.reap = [&cell] { return cell.Reap(); };
  handlers.on_started = hooks.on_started;
  if (hooks.tools) handlers.waited = [&hooks] { return hooks.tools->waited(); };
  return handlers;
}

Result<> EndCalls(const RunHooks& hooks, Observed& seen) {
  if (!hooks.tools) return {};
  auto ended = hooks.tools->End();
  seen.network_requests += hooks.tools->calls();
  return ended;
}

std::chrono::milliseconds GraceIn(const isolate::Cell& cell) {
  return cell.runtime_processes() > 0 ? monitor::kContainedGrace : monitor::kGrace;
}

const Fd* ForkDenied(PreparedCell& prepared) {
  if (!prepared.group || !prepared.group->fork_denied_event()) return nullptr;
  return &prepared.group->fork_denied_event();
}

// A short program ends between two looks, and a burst passes unseen; the kernel's own account at
// the end has both. It counts pages of files, too, which are nobody's need: hence the limit.
void AddUnseen(const policy::Limits& limits, std::uint64_t cpu_us_before, Observed& seen) {
  monitor::Reading& reading = seen.reading;
  reading.processes_peak = std::max<std::uint64_t>(reading.processes_peak.value_or(0), 1);
  if (!seen.end.used) return;
  const auto cpu_us = static_cast<std::uint64_t>(seen.end.used->cpu.count());
  reading.cpu_us = std::max(reading.cpu_us.value_or(0), cpu_us - std::min(cpu_us, cpu_us_before));
  reading.memory_peak_bytes = std::max(reading.memory_peak_bytes.value_or(0),
                                       std::min(seen.end.used->largest_bytes, limits.memory_bytes));
}

Result<Observed> Execute(const policy::Request& request, PreparedCell& prepared,
                         const monitor::CgroupSupport& support, const RunHooks& hooks) {
  isolate::Cell& cell = *prepared.cell;
  Observed seen(request.limits, hooks.redactor, request.text);
  const auto whole = BJ_TRY(session::MeterFor(prepared, support, request.limits));
  monitor::Reading start;
  start.cpu_us = prepared.cpu_us_before;
  monitor::SinceMeter meter(*whole, start);
  monitor::Handlers handlers = CaptureInto(seen, hooks, cell);
  handlers.on_control = [&](std::string_view bytes) {
    return static_cast<bool>(prepared.dialogue.Feed(bytes));
  };
  if (cell.runtime_processes() > 0) handlers.last_word = LastWordIn(prepared.dialogue);
  // A guest that has gone already, out of memory perhaps, is judged like one that goes later.
  const auto sent =
      WriteAll(cell.control(), RunFrame(request, hooks, cell), "the request to the guest");
  if (!sent && sent.error().sys() != EPIPE && sent.error().sys() != ECONNRESET) return sent.error();
  BJ_TRY(SetNonBlocking(cell.control()));
  const monitor::Subject subject{cell.ended(),         cell.control(),    cell.stdout_pipe(),
                                 cell.stderr_pipe(),   cell.stdin_pipe(), request.stdin_bytes,
                                 ForkDenied(prepared), hooks.cancel,      GraceIn(cell)};
  seen.end = BJ_TRY(monitor::Watch(subject, request.limits, meter, handlers));
  // Without counters the processes that are left are the last evidence there is.
  if (!monitor::CountsAll(support)) seen.reading = BJ_TRY(meter.Read());
  BJ_TRY(EndCalls(hooks, seen));
  // Whatever the program left running ends with it, before anything is read or counted.
  const auto left = BJ_TRY(EndStragglers(prepared));
  // After a limit it is we who ended them, in no particular order.
  if (seen.end.cause == monitor::Cause::kItself) seen.processes_left = left;
  monitor::Drain(cell.control(), handlers.on_control);
  monitor::Drain(cell.stdout_pipe(), handlers.on_stdout);
  monitor::Drain(cell.stderr_pipe(), handlers.on_stderr);
  FinishOutput(seen, hooks);
  seen.reading = BJ_TRY(meter.Read());
  seen.sampled = !monitor::CountsAll(support);
  if (seen.sampled) AddUnseen(request.limits, prepared.cpu_us_before, seen);
  seen.report = prepared.dialogue.report();
  return seen;
}

Result<Observed> Engine::ExecuteJudged(const policy::Request& request, PreparedCell& prepared,
                                       Judged& judged) {
  auto seat = BJ_TRY(tools().SeatFor(*prepared.cell));
  BJ_TRY(GiveTools(std::move(seat), request, judged));
  BuildRecordDuringRun(request, judged);
  return Execute(request, prepared, cgroups(), judged.hooks);
}

// What lies on the workspace's file system and is not the program's: the caller's files, and the
// script that bash will read.
Result<std::uint64_t> UsedBefore(const policy::Request& request, const Fd& workspace) {
  constexpr std::uint64_t kPage = 4096;
  const WorkspaceUse use = BJ_TRY(MeasureWorkspace(workspace));
  const bool script = request.command.empty() && request.lang == policy::Lang::kBash;
  return use.used_bytes + (script ? (request.code.size() + kPage - 1) / kPage * kPage : 0);
}

// What was found quotes the code, and leaves as clean as anything else does.
result::RunResult WithFindings(result::RunResult refused, const policy::Decision& decision,
                               const RunHooks& hooks) {
  refused.findings = FindingsJson(decision);
  result::Cleaner(hooks.redactor).CleanRest(refused);
  return refused;
}

// From the caller's files to a clean result: what happens in the cell, and nothing of what is
// decided before or recorded after.
Result<result::RunResult> Engine::RunPlaced(const policy::Request& request, const RunHooks& hooks,
                                            PreparedCell& prepared, Judged& judged) {
  const Fd& workspace = prepared.cell->workspace();
  BJ_TRY(result::PutFiles(workspace, request.files, WorkspaceOwner(workspace)).While("workspace"));
  const auto vaults = BJ_TRY(StageVaults(request, *prepared.cell, StateDir()));
  const auto network = BJ_TRY(ConnectRun(request, judged, *prepared.cell));
  // A workspace without files of the caller's is empty: nothing else has been there.
  const result::Listing before =
      request.files.empty() ? result::Listing{} : result::List(workspace);
  const std::uint64_t used_before = BJ_TRY(UsedBefore(request, workspace));
  Observed seen = BJ_TRY(ExecuteJudged(request, prepared, judged).While("run"));
  seen.used_before = used_before;
  result::RunResult result = BJ_TRY(Judge(request, seen, before, workspace));
  if (network) result.usage.network_requests += EndNetwork(*network);
  result.layers = Layers(*request.backend);
  result.findings = FindingsJson(judged.decision);
  result.decision = std::move(judged.told);
  seen.cleaner.CleanRest(result);
  CarryBack(vaults, hooks, *prepared.cell, StateDir(), result);
  if (request.writes) result::NoteUnexpected(*request.writes, result);
  return result;
}

Result<result::RunResult> Engine::RunOnce(policy::Request request, const RunHooks& hooks) {
  BJ_TRY(policy::ValidateToRun(request));
  BJ_TRY(RefuseSession(request));
  LiftForTests(request.limits);
  const auto missing = BJ_TRY(artefacts().Resolve(request));
  if (missing) return WithoutArtefact(*this, request, *missing, hooks);
  Judged judged = BJ_TRY(JudgeFirst(request, hooks));
  const auto stop = [&](result::RunResult refused) -> Result<result::RunResult> {
    BJ_TRY(Record(judged, request, refused));
    return refused;
  };
  if (judged.stopped) return stop(*std::move(judged.stopped));
  Narrow(request, judged.decision, hooks);
  Wanted wanted{DoorsFor(judged.policy.get()), {}};
  auto refusal = CannotBeHeld(request, judged.policy.get());
  if (!refusal) refusal = BJ_TRY(artefacts().Give(request, wanted.artefacts));
  if (refusal) {
    auto refused = RefusedResult(request, *refusal, Layers(*request.backend));
    return stop(WithFindings(std::move(refused), judged.decision, judged.hooks));
  }
  PreparedCell prepared = BJ_TRY(Place(request, std::move(wanted)));
  if (prepared.group) BJ_TRY(prepared.group->ShareCpu(hooks.caller_share));
  result::RunResult result = BJ_TRY(RunPlaced(request, hooks, prepared, judged));
  BJ_TRY(Record(judged, request, result));
  Settle(std::move(prepared));
  if (request.lang == policy::Lang::kPython && request.command.empty()) {
    CompileGuestOnce(request.image);
  }
  return result;
}

}  // namespace belljar::engine
