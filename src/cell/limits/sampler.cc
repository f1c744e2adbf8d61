#include "cell/limits/sampler.h"

#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cell/limits/kernel_file.h"
#include "foundation/base/sys.h"

namespace belljar::cell::limits {
namespace {

constexpr std::uint64_t kInit = 1;
constexpr int kRestPerWalk = 9;

struct Stat {
  std::uint64_t own_ticks = 0;     // utime + stime
  std::uint64_t reaped_ticks = 0;  // cutime + cstime
  std::uint64_t threads = 0;
};

// Parses "7 (any (name) here) S 1 7 7 0 ...". Fields are numbered from the state, the first after
// the last ')'; proc(5) counts it as field 3.
std::optional<Stat> ParseStat(std::string_view text) {
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos || name_end + 2 >= text.size()) return std::nullopt;
  text.remove_prefix(name_end + 2);
  constexpr std::size_t kFirst = 3;
  constexpr std::size_t kLast = 20;
  std::array<std::uint64_t, kLast + 1> field{};
  for (std::size_t i = kFirst; i <= kLast; ++i) {
    if (text.empty()) return std::nullopt;
    // 0 for the state, which is a letter, and for negative fields
    field[i] = LeadingNumber(text).value_or(0);
    const std::size_t blank = text.find(' ');
    text.remove_prefix(blank == std::string_view::npos ? text.size() : blank + 1);
  }
  return Stat{field[14] + field[15], field[16] + field[17], field[20]};
}

std::uint64_t BytesOf(std::string_view text, std::string_view key) {
  return NumberOf(text, key).value_or(0) * 1024;  // the file counts in kB
}

// The process ids in a procfs.
Result<std::vector<std::uint64_t>> ListProcesses(const Fd& proc) {
  Fd readable = BJ_TRY(OpenAt(proc, ".", O_RDONLY | O_DIRECTORY));
  const std::unique_ptr<DIR, int (*)(DIR*)> stream(::fdopendir(readable.get()), ::closedir);
  if (!stream) return SysError("fdopendir", "proc", errno);
  static_cast<void>(readable.Release());  // the stream owns it now
  std::vector<std::uint64_t> pids;
  while (const dirent* entry = ::readdir(stream.get())) {
    if (entry->d_name[0] < '1' || entry->d_name[0] > '9') continue;
    const auto pid = LeadingNumber(entry->d_name);
    if (pid) pids.push_back(*pid);
    if (pids.size() > ProcSampler::kMostProcesses) break;
  }
  return pids;
}

// The cell's /proc shows only processes that may be traced (hidepid=ptraceable). Some kernels allow
// only root to trace a process that has released its memory and is about to end: it is listed, and
// reading its files fails with EPERM. A living process that may not be traced is not listed at all.
bool HasEnded(const Error& error) {
  return error.sys() == ENOENT || error.sys() == ESRCH || error.sys() == EPERM;
}

// The content of a file of a process; nullopt if the process has ended.
Result<std::optional<std::string>> ReadOf(const Fd& proc, std::uint64_t pid, const char* file) {
  auto text = ReadKernelFile(proc, std::to_string(pid) + "/" + file);
  if (text) return std::optional<std::string>(*std::move(text));
  if (HasEnded(text.error())) return std::optional<std::string>();
  return std::move(text).error();
}

}  // namespace

ProcSampler::ProcSampler(Fd proc, std::uint64_t exact_above_bytes, Clock clock)
    : proc_(std::move(proc)),
      exact_above_bytes_(exact_above_bytes),
      clock_(std::move(clock)),
      ticks_per_second_(::sysconf(_SC_CLK_TCK)) {}

Result<Sample> ProcSampler::Take() {
  Sample sample;
  std::uint64_t ticks = 0;
  std::vector<Counted> counted;
  const std::vector<std::uint64_t> pids = BJ_TRY(ListProcesses(proc_));
  for (const std::uint64_t pid : pids) {
    const auto text = BJ_TRY(ReadOf(proc_, pid, "stat"));
    if (!text) continue;
    const auto stat = ParseStat(*text);
    if (!stat) return Error(Kind::kInternal, "stat of a process has not the expected shape");
    ticks += stat->reaped_ticks;
    if (pid == kInit) continue;
    ticks += stat->own_ticks;
    sample.processes += stat->threads;
    const auto status = BJ_TRY(ReadOf(proc_, pid, "status"));
    if (!status) continue;
    const std::uint64_t bytes =
        BytesOf(*status, "RssAnon:") + BytesOf(*status, "RssShmem:") + BytesOf(*status, "VmPTE:");
    if (bytes != 0) counted.push_back({pid, bytes, BytesOf(*status, "VmPTE:")});
    sample.memory_bytes += bytes;
  }
  sample.cpu_time =
      std::chrono::microseconds(ticks * 1'000'000 / static_cast<std::uint64_t>(ticks_per_second_));
  if (sample.memory_bytes > exact_above_bytes_) UseShares(counted, sample);
  return sample;
}

void ProcSampler::UseShares(const std::vector<Counted>& all, Sample& sample) {
  const auto start = clock_();
  if (start >= next_walk_) {
    last_shares_ = ReadShares(all);
    const auto end = clock_();
    const bool over = last_shares_.bytes > exact_above_bytes_;
    next_walk_ = over ? end : end + kRestPerWalk * (end - start);
  }
  sample.memory_bytes = last_shares_.bytes;
  sample.memory_is_exact = last_shares_.exact;
}

// A process whose shares cannot be read counts with its upper bound.
ProcSampler::Shares ProcSampler::ReadShares(const std::vector<Counted>& all) const {
  Shares shares{0, true};
  for (const Counted& one : all) {
    const auto text = ReadKernelFile(proc_, std::to_string(one.pid) + "/smaps_rollup");
    if (text && NumberOf(*text, "Pss_Anon:")) {
      shares.bytes +=
          BytesOf(*text, "Pss_Anon:") + BytesOf(*text, "Pss_Shmem:") + one.page_table_bytes;
    } else if (text || !HasEnded(text.error())) {
      shares.bytes += one.upper_bound_bytes;
      shares.exact = false;
    }
  }
  return shares;
}

}  // namespace belljar::cell::limits
