#include "run/verdict.h"

#include <fmt/format.h>
#include <signal.h>
#include <sys/statfs.h>

#include "foundation/base/sys.h"
#include "judgement/analysis/finding.h"
#include "judgement/policy/policy.h"
#include "run/output.h"

namespace belljar::run {
namespace {

using cell::limits::Cause;

std::string Size(std::uint64_t bytes) {
  if (bytes < request::kMiB) return fmt::format("{} bytes", bytes);
  return fmt::format("{:g} MiB", static_cast<double>(bytes) / static_cast<double>(request::kMiB));
}

Verdict Timeout(const request::Limits& limits, Cause cause) {
  const auto& limit = cause == Cause::kCpu ? limits.cpu_time : limits.wall;
  return {Outcome::kTimeout, fmt::format("it ran longer than {:g} s of {}",
                                         static_cast<double>(limit.count()) / 1000.0,
                                         cause == Cause::kCpu ? "CPU time" : "time")};
}

Verdict Memory(const request::Limits& limits) {
  return {Outcome::kMemory,
          fmt::format("it needed more than {} of memory", Size(limits.memory_bytes))};
}

Verdict Processes(const request::Limits& limits) {
  return {Outcome::kProcesses,
          fmt::format("it wanted more than {} processes and threads", limits.processes)};
}

Verdict Disk(std::string reason) { return {Outcome::kDisk, std::move(reason)}; }

// Limits for which the supervisor ended the run.
std::optional<Verdict> ByCause(const request::Limits& limits, Cause cause) {
  switch (cause) {
    case Cause::kItself:
      return std::nullopt;
    case Cause::kWall:
    case Cause::kCpu:
      return Timeout(limits, cause);
    case Cause::kMemory:
      return Memory(limits);
    case Cause::kProcesses:
      return Processes(limits);
    case Cause::kOutput:
      return Verdict{Outcome::kOutput, fmt::format("it printed more than {} lines or {} bytes",
                                                   limits.output_lines, limits.output_bytes)};
    case Cause::kCancelled:
      return Verdict{Outcome::kCancelled, "the caller ended it"};
    case Cause::kStopped:
      return Verdict{Outcome::kCancelled, "the service was stopped"};
    case Cause::kProtocol:
      return Verdict{Outcome::kSignal, "its guest broke the protocol and was ended"};
  }
  return std::nullopt;
}

// Limits that the kernel enforced, and that made the program fail.
std::optional<Verdict> ByKernel(const request::Limits& limits, const Observed& seen,
                                const WorkspaceUse& use, std::uint64_t largest_file_bytes) {
  if (seen.reading.oom_kills > 0) return Memory(limits);
  if (seen.reading.forks_denied > 0) return Processes(limits);
  if (seen.end.exit_code == 0) return std::nullopt;
  if (seen.reading.memory_peak_bytes > limits.memory_bytes) return Memory(limits);
  if (use.full) return Disk("its workspace was full");
  if (seen.end.signal == SIGXFSZ || largest_file_bytes >= limits.file_size_bytes) {
    return Disk(fmt::format("it wrote a file larger than {}", Size(limits.file_size_bytes)));
  }
  // Without a counter of refused forks, a peak at the limit is the only evidence.
  if (!seen.reading.counts_denials && seen.reading.processes_peak >= limits.processes) {
    return Processes(limits);
  }
  if (seen.report.quota) {
    return Disk(fmt::format("it made more than {} file operations", limits.file_operations));
  }
  return std::nullopt;
}

// Whether the memory limit leaves no room for the stacks of as many threads as are allowed. Without
// counters it is a limit on the data of each process (RLIMIT_DATA).
bool ThreadsAreShortOfMemory(const request::Limits& limits) {
  constexpr std::uint64_t kStackBytes = 8 * request::kMiB;
  return limits.processes * kStackBytes > 2 * limits.memory_bytes;
}

// Without cgroup counters the kernel only makes calls fail, and the exception reported by a Python
// program is the only evidence. A lying program can only choose between two names for its own
// failure, and only if it exits as after an exception.
std::optional<Verdict> ByOwnWord(const request::Limits& limits, const Observed& seen) {
  if (!seen.sampled || seen.end.exit_code != 1 || !seen.report.error) return std::nullopt;
  const cell::guest::GuestError& error = *seen.report.error;
  if (error.type == "MemoryError") return Memory(limits);
  // In a sandbox, thread creation may also fail for lack of memory.
  if (!seen.end.used) return std::nullopt;
  const bool many = 2 * seen.reading.processes_peak.value_or(0) >= limits.processes;
  if (error.message == "can't start new thread") {
    return many || !ThreadsAreShortOfMemory(limits) ? Processes(limits) : Memory(limits);
  }
  // A socket with nothing to read gives the same error, but then there are few processes.
  if (error.type == "BlockingIOError" && many) return Processes(limits);
  return std::nullopt;
}

Usage UsageOf(const Observed& seen, const WorkspaceUse& use) {
  Usage usage;
  usage.wall_ms = static_cast<double>(seen.end.wall.count()) / 1000.0;
  if (seen.reading.cpu_us) usage.cpu_ms = static_cast<double>(*seen.reading.cpu_us) / 1000.0;
  usage.memory_peak_bytes = seen.reading.memory_peak_bytes;
  usage.processes_peak = seen.reading.processes_peak;
  usage.processes_left = seen.processes_left;
  usage.file_operations = seen.report.file_operations;
  usage.refusals = seen.report.refusals;
  usage.bytes_written = use.used_bytes - std::min(use.used_bytes, seen.used_before);
  usage.network_requests = seen.network_requests;
  return usage;
}

void FetchFiles(const request::Request& request, const Fd& workspace, FileChanges& files) {
  std::uint64_t left = kMaxFetchBytesTotal;
  for (const std::string& path : request.fetch) {
    auto bytes = Fetch(workspace, path, std::min(left, kMaxFetchBytes));
    if (bytes) {
      left -= bytes->size();
      files.fetched[path] = *std::move(bytes);
    } else {
      files.fetch_refused[path] = bytes.error().message();
    }
  }
}

}  // namespace

Result<WorkspaceUse> MeasureWorkspace(const Fd& workspace) {
  struct statfs fs {};
  BJ_TRY(Check("fstatfs", "workspace", [&] { return ::fstatfs(workspace.get(), &fs); }));
  const std::uint64_t used = fs.f_blocks - fs.f_bfree;
  return WorkspaceUse{used * static_cast<std::uint64_t>(fs.f_bsize),
                      fs.f_bfree == 0 || fs.f_ffree == 0};
}

Verdict Decide(const request::Limits& limits, const Observed& seen, const WorkspaceUse& use,
               std::uint64_t largest_file_bytes) {
  if (auto verdict = ByCause(limits, seen.end.cause)) return *std::move(verdict);
  if (seen.capture.full()) return *ByCause(limits, Cause::kOutput);
  if (auto verdict = ByKernel(limits, seen, use, largest_file_bytes)) return *std::move(verdict);
  if (auto verdict = ByOwnWord(limits, seen)) return *std::move(verdict);
  if (seen.end.signal) {
    return {Outcome::kSignal, fmt::format("it was ended by signal {}", *seen.end.signal)};
  }
  if (seen.end.exit_code == 0) return {Outcome::kOk, ""};
  return {seen.report.error ? Outcome::kException : Outcome::kExit, ""};
}

Result<RunResult> Judge(const request::Request& request, Observed& seen, const Listing& before,
                        const Fd& workspace) {
  const Listing& after = seen.left.emplace(List(workspace, seen.size_when_empty));
  const WorkspaceUse use = BJ_TRY(MeasureWorkspace(workspace));
  Verdict verdict = Decide(request.limits, seen, use, after.largest_bytes);
  RunResult result;
  result.id = request::IdJson(request.id, request.numeric_id);
  result.correlation_id = request.correlation_id;
  result.outcome = verdict.outcome;
  result.reason = std::move(verdict.reason);
  result.exit_code = seen.end.exit_code;
  result.signal = seen.end.signal;
  result.stdout_captured = {std::move(seen.shown[0]), seen.capture.of(Stream::kStdout).truncated};
  result.stderr_captured = {std::move(seen.shown[1]), seen.capture.of(Stream::kStderr).truncated};
  if (result.outcome != Outcome::kOk) result.error = seen.report.error;
  if (request.output_schema) {
    JudgeOutput(*request.output_schema, seen.capture.of(Stream::kStdout), result);
  }
  for (const cell::guest::Display& display : seen.displays)
    result.results.push_back(display.bundle);
  result.usage = UsageOf(seen, use);
  result.files = Compare(before, after);
  FetchFiles(request, workspace, result.files);
  return result;
}

RunResult RefusedResult(const request::Request& request, std::string reason, json::object layers) {
  RunResult result;
  result.id = request::IdJson(request.id, request.numeric_id);
  result.correlation_id = request.correlation_id;
  result.outcome = Outcome::kRefused;
  result.reason = std::move(reason);
  result.decision = {
      {"action", judgement::policy::ActionName(judgement::policy::Action::kBlock)},
      {"level", judgement::analysis::LevelName(judgement::analysis::Level::kRunsCode)},
      {"reasons", json::array{result.reason}}};
  result.layers = std::move(layers);
  return result;
}

}  // namespace belljar::run
