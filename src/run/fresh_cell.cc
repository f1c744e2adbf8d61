// A RunCell that is built for one run, or taken from the pool, and torn down after it.
#include <chrono>
#include <thread>

#include "cell/pool/cell_meter.h"
#include "foundation/base/sys.h"
#include "run/network.h"
#include "run/run_cell.h"
#include "run/supervise.h"
#include "run/tools.h"
#include "run/vaults.h"
#include "run/verdict.h"
#include "run/workspace.h"

namespace belljar::run {
namespace {

using cell::pool::PreparedCell;

constexpr std::chrono::seconds kContainerEnd{10};

const char* ProgramName(request::Lang lang) {
  switch (lang) {
    case request::Lang::kPython:
      return "main.py";
    case request::Lang::kJavaScript:
    case request::Lang::kTypeScript:
      return "main.js";
    case request::Lang::kBash:
      return "main.sh";
  }
  return "main";
}

// Whether bytecode may be used. Runs with a seed and replays use the source text, so that
// everything they print is reproducible.
bool MayRunCompiled(const Run& run) {
  const request::Request& request = run.request;
  return run.compiled && run.kind == RunKind::kRequested && !request.deterministic &&
         request.command.empty() && request.lang == request::Lang::kPython &&
         request.image == run.compiled->image && request.code == run.compiled->text;
}

std::string RunFrame(const Run& run, const cell::Cell& cell) {
  const request::Request& request = run.request;
  cell::guest::RunMessage message;
  message.lang = LanguageOf(request.lang);
  if (request.command.empty()) message.code = request.code;
  message.command = request.command;
  message.name = ProgramName(request.lang);
  message.args = request.args;
  message.env = GuestEnvironment(request, cell, run.env);
  message.file_operations = request.limits.file_operations;
  message.guard = run.guard;
  if (MayRunCompiled(run)) message.compiled = run.compiled->bytes;
  return cell::guest::EncodeRun(message);
}

// Waits until no process is left that could write to a vault; only then is it committed.
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

// Kills the processes left in the cell, and waits only if the kernel reports any. Returns their
// number; nullopt where no control group counts them.
Result<std::optional<std::uint64_t>> EndStragglers(PreparedCell& prepared) {
  std::optional<std::uint64_t> left;
  // A runtime in processes of its own (gVisor, Docker) is killed with everything it contains. Its
  // complete end is waited for later, unless vaults have to be committed.
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

// Uses the guest's own report as the end of the program and kills the container then: tearing down
// a container's interpreter takes gVisor longer than most programs run, and the exit status would
// come from its shim, which is no more trustworthy.
std::function<std::optional<Ending>()> LastWordIn(const cell::guest::GuestDialogue& dialogue) {
  return [&dialogue]() -> std::optional<Ending> {
    if (!dialogue.report().exits) return std::nullopt;
    return Ending{dialogue.report().exits, std::nullopt};
  };
}

// Corrects sampled usage by the kernel's totals at the end: a short program or a burst may fall
// between two samples. The memory total includes page cache, which the program does not need, so it
// is capped by the limit.
void AddUnseen(const request::Limits& limits, std::uint64_t cpu_us_before, Observed& seen) {
  cell::limits::Reading& reading = seen.reading;
  reading.processes_peak = std::max<std::uint64_t>(reading.processes_peak.value_or(0), 1);
  if (!seen.end.used) return;
  const auto cpu_us = static_cast<std::uint64_t>(seen.end.used->cpu.count());
  reading.cpu_us = std::max(reading.cpu_us.value_or(0), cpu_us - std::min(cpu_us, cpu_us_before));
  reading.memory_peak_bytes = std::max(reading.memory_peak_bytes.value_or(0),
                                       std::min(seen.end.used->largest_bytes, limits.memory_bytes));
}

// Steps after the program has ended: kills leftover processes, reads remaining output, and reads
// the counters.
Result<> Conclude(PreparedCell& prepared, const Run& run, cell::limits::Meter& meter,
                  const cell::limits::CgroupSupport& support,
                  const cell::limits::Handlers& handlers, Observed& seen) {
  // Without cgroup counters, usage can only be read from the processes that are still there.
  if (!cell::limits::CountsAll(support)) seen.reading = BJ_TRY(meter.Read());
  BJ_TRY(EndCalls(run, seen));
  // Leftover processes are killed before anything is read or counted.
  const auto left = BJ_TRY(EndStragglers(prepared));
  // After a limit, Belljar killed the processes in no particular order, so the count means nothing.
  if (seen.end.cause == cell::limits::Cause::kItself) seen.processes_left = left;
  cell::limits::Drain(prepared.cell->control(), handlers.on_control);
  cell::limits::Drain(prepared.cell->stdout_pipe(), handlers.on_stdout);
  cell::limits::Drain(prepared.cell->stderr_pipe(), handlers.on_stderr);
  FinishOutput(seen, run);
  seen.reading = BJ_TRY(meter.Read());
  seen.sampled = !cell::limits::CountsAll(support);
  if (seen.sampled) AddUnseen(run.request.limits, prepared.cpu_us_before, seen);
  seen.report = prepared.dialogue.report();
  return {};
}

// Bytes on the workspace's file system that the program did not write: the caller's files, and the
// script that bash will read.
Result<std::uint64_t> UsedBefore(const request::Request& request, const Fd& workspace) {
  constexpr std::uint64_t kPage = 4096;
  const WorkspaceUse use = BJ_TRY(MeasureWorkspace(workspace));
  const bool script = request.command.empty() && request.lang == request::Lang::kBash;
  return use.used_bytes + (script ? (request.code.size() + kPage - 1) / kPage * kPage : 0);
}

class FreshCell final : public RunCell {
 public:
  FreshCell(Machinery& machinery, GuestCompiler& compiler)
      : machinery_(machinery), compiler_(compiler) {}

  Result<> Check(Run& run) override;
  Result<std::optional<std::string>> WhyNotHeld(Run& run) override;
  Result<> Enter(Run& run) override;
  Result<> Furnish(Run& run) override;
  Result<SeatPtr> Seat() override { return machinery_.tools.SeatFor(*prepared_->cell); }
  Result<Observed> Supervise(Run& run) override;
  const Fd& workspace() const override { return prepared_->cell->workspace(); }
  request::BackendKind backend() const override { return backend_; }
  std::uint64_t EndNetwork() override;
  void Settle(Run& run) override;
  void Leave(Run& run) override;

 private:
  Machinery& machinery_;
  GuestCompiler& compiler_;
  request::BackendKind backend_ = request::BackendKind::kNative;
  CellNeeds needs_;
  std::optional<PreparedCell> prepared_;
  std::vector<resource::vault::Staged> vaults_;
  std::shared_ptr<Network> network_;  // shared with Networks, which can revoke it; null: none
};

// Refuses a "session", and resolves the request's artefacts. If one is missing, a caller's run is
// refused; for a replay it is an error.
Result<> FreshCell::Check(Run& run) {
  const request::Request& request = run.request;
  if (!request.session.empty()) {
    return Error(Kind::kInvalid, "a \"session\" lives in a daemon: start one with belljar serve");
  }
  auto missing = BJ_TRY(machinery_.artefacts.Resolve(run.request));
  if (!missing) return {};
  if (!run.has_effects()) return Error(Kind::kNotFound, *std::move(missing));
  const auto backend = request.backend.value_or(request::BackendKind::kNative);
  run.Stop(RefusedResult(request, *std::move(missing), machinery_.cells->Layers(backend)));
  return {};
}

Result<std::optional<std::string>> FreshCell::WhyNotHeld(Run& run) {
  const judgement::policy::Policy* const terms = run.policy.get();
  if (!run.held_by) run.held_by = machinery_.cells->Hold(run.request, terms);
  run.request.backend = backend_ = run.held_by->backend;
  run.request.image = run.held_by->image;
  if (run.held_by->refusal) return run.held_by->refusal;
  needs_.listeners = ListenersFor(terms);
  return machinery_.artefacts.Give(run.request, needs_.artefacts);
}

Result<> FreshCell::Enter(Run& run) {
  // Docker images contain the compiled guest: compiling it later would mean copying the whole image
  // again.
  if (backend_ == request::BackendKind::kDocker) compiler_.CompileNow(run.request.image);
  prepared_ = BJ_TRY(machinery_.cells->Take(run.request, std::move(needs_), std::move(run.begun)));
  if (prepared_->group) BJ_TRY(prepared_->group->ShareCpu(run.requester.caller_share));
  return {};
}

Result<> FreshCell::Furnish(Run& run) {
  const request::Request& request = run.request;
  const Fd& files = workspace();
  BJ_TRY(PutFiles(files, request.files, WorkspaceOwner(files)).While("workspace"));
  vaults_ = BJ_TRY(StageVaults(request, *prepared_->cell, machinery_.options.state_dir));
  if (!request.allow_hosts.empty()) {
    network_ = BJ_TRY(machinery_.networks.Open(request, run.policy->network, *prepared_->cell));
    network_->BeginRun(run.requester.origin, request.correlation_id);
    run.env = network_->env();
  }
  // Without files of the caller's the workspace is empty, so there is nothing to list.
  if (!request.files.empty()) run.before = List(files);
  run.used_before = BJ_TRY(UsedBefore(request, files));
  return {};
}

Result<Observed> FreshCell::Supervise(Run& run) {
  cell::Cell& cell = *prepared_->cell;
  const request::Limits& limits = run.request.limits;
  const cell::limits::CgroupSupport& support = machinery_.cells->cgroups();
  Observed seen(limits, run.redactor, run.request.text);
  const auto whole = BJ_TRY(cell::pool::MeterFor(*prepared_, support, limits));
  cell::limits::Reading start;
  start.cpu_us = prepared_->cpu_us_before;
  cell::limits::SinceMeter meter(*whole, start);
  cell::limits::Handlers handlers = CaptureInto(seen, run, cell);
  handlers.on_control = [&](std::string_view bytes) {
    return static_cast<bool>(prepared_->dialogue.Feed(bytes));
  };
  if (cell.runtime_processes() > 0) handlers.last_word = LastWordIn(prepared_->dialogue);
  // A guest that has already died, for lack of memory perhaps, is judged like one that dies later.
  const auto sent = WriteAll(cell.control(), RunFrame(run, cell), "the request to the guest");
  if (!sent && sent.error().sys() != EPIPE && sent.error().sys() != ECONNRESET) return sent.error();
  BJ_TRY(SetNonBlocking(cell.control()));
  const cell::limits::Subject subject{
      cell.ended(),           cell.control(),       cell.stdout_pipe(),
      cell.stderr_pipe(),     cell.stdin_pipe(),    run.request.stdin_bytes,
      ForkDenied(*prepared_), run.requester.cancel, GraceIn(cell)};
  seen.end = BJ_TRY(cell::limits::Watch(subject, limits, meter, handlers));
  BJ_TRY(Conclude(*prepared_, run, meter, support, handlers, seen));
  return seen;
}

// Closes the network and returns the number of calls; by then the last one has been recorded.
std::uint64_t FreshCell::EndNetwork() {
  if (!network_) return 0;
  network_->Close();
  return network_->CallsOfRun();
}

void FreshCell::Settle(Run& run) {
  if (run.has_effects()) {
    SettleVaults(vaults_, *prepared_->cell, machinery_.options.state_dir, *run.result);
  } else {
    DropVaults(vaults_, "a replay writes nothing", *run.result);
  }
}

void FreshCell::Leave(Run& run) {
  if (!prepared_) return;
  machinery_.cells->Discard(*std::move(prepared_));
  prepared_.reset();
  if (run.request.lang == request::Lang::kPython && run.request.command.empty()) {
    compiler_.CompileInBackground(run.request.image);
  }
}

}  // namespace

std::unique_ptr<RunCell> MakeFreshCell(Machinery& machinery, GuestCompiler& compiler) {
  return std::make_unique<FreshCell>(machinery, compiler);
}

}  // namespace belljar::run
