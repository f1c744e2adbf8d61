#include "cell/limits/meter.h"

#include <algorithm>

namespace belljar::cell::limits {
namespace {

std::optional<std::uint64_t> Larger(std::optional<std::uint64_t> so_far, std::uint64_t now) {
  return std::max(so_far.value_or(0), now);
}

}  // namespace

Result<Reading> CgroupMeter::ReadSome(Counted counted) {
  const CgroupCounters counters = BJ_TRY(group_.Read(counted));
  return Reading{counters.cpu_us,    counters.memory_peak_bytes, counters.processes_peak,
                 counters.oom_kills, counters.forks_denied,      counters.counts_denials};
}

Result<Reading> SampleMeter::Read() {
  const Sample sample = BJ_TRY(sampler_.Take());
  so_far_.cpu_us = Larger(so_far_.cpu_us, static_cast<std::uint64_t>(sample.cpu_time.count()));
  // The smaller of two consecutive samples: between vfork and exec two processes are both charged
  // the same memory.
  const std::uint64_t sure = sample.memory_bytes <= limit_bytes_
                                 ? sample.memory_bytes
                                 : std::min(sample.memory_bytes, last_memory_bytes_);
  last_memory_bytes_ = sample.memory_bytes;
  so_far_.memory_peak_bytes = Larger(so_far_.memory_peak_bytes, sure);
  so_far_.processes_peak = Larger(so_far_.processes_peak, sample.processes);
  return so_far_;
}

Result<Reading> MixedMeter::Read() {
  const Reading sampled = BJ_TRY(samples_.Read());
  Reading reading = BJ_TRY(group_.Read());
  if (!reading.cpu_us) reading.cpu_us = sampled.cpu_us;
  if (!reading.memory_peak_bytes) reading.memory_peak_bytes = sampled.memory_peak_bytes;
  if (!reading.processes_peak) reading.processes_peak = sampled.processes_peak;
  return reading;
}

Result<Reading> SinceMeter::Read() {
  Reading reading = BJ_TRY(whole_.Read());
  if (reading.cpu_us) *reading.cpu_us -= std::min(*reading.cpu_us, before_.cpu_us.value_or(0));
  reading.oom_kills -= std::min(reading.oom_kills, before_.oom_kills);
  reading.forks_denied -= std::min(reading.forks_denied, before_.forks_denied);
  return reading;
}

Result<Reading> ContainedMeter::Read() {
  Reading reading = BJ_TRY(whole_->Read());
  if (reading.cpu_us) *reading.cpu_us -= std::min(*reading.cpu_us, before_.cpu_us.value_or(0));
  if (!reading.processes_peak) return reading;
  if (!reading.counts_denials && *reading.processes_peak > processes_) reading.forks_denied = 1;
  // One of the processes counted before was the program itself.
  const std::uint64_t others = std::max<std::uint64_t>(before_.processes_peak.value_or(1), 1) - 1;
  *reading.processes_peak -= std::min(*reading.processes_peak, others);
  return reading;
}

bool CountsAll(const CgroupSupport& support) {
  return support.memory != CgroupBy::kNone && support.cpu_usage != CgroupBy::kNone;
}

}  // namespace belljar::cell::limits
