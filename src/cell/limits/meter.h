// Meter: what a running cell has used so far, by the best means this machine has.
//
// A control group's counters are exact and cheap. Where there is no group, the cell's own procfs
// is sampled: processes that live and die between two looks are missed, which is why the kernel's
// rlimits stand underneath. Where a group counts one thing and not another (a kernel with
// cgroup_disable=memory, a user who was given only the pids controller), each is asked for what it
// has, so that no limit is left without anybody who looks.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "cell/limits/cgroup.h"
#include "cell/limits/sampler.h"
#include "foundation/base/result.h"

namespace belljar::cell::limits {

struct Reading {
  std::optional<std::uint64_t> cpu_us;
  std::optional<std::uint64_t> memory_peak_bytes;
  std::optional<std::uint64_t> processes_peak;
  std::uint64_t oom_kills = 0;
  std::uint64_t forks_denied = 0;
  bool counts_denials = false;  // forks_denied is the kernel's count, not a guess
};

class Meter {
 public:
  virtual ~Meter() = default;
  virtual Result<Reading> Read() = 0;
  // What a SinceMeter takes off; without peaks where those would be read for nothing.
  virtual Result<Reading> ReadSums() { return Read(); }
  // How often a run that goes on is looked at.
  virtual std::chrono::milliseconds interval() const = 0;
};

class CgroupMeter final : public Meter {
 public:
  explicit CgroupMeter(const Cgroup& group) : group_(group) {}
  Result<Reading> Read() override { return ReadSome(Counted::kAll); }
  Result<Reading> ReadSums() override { return ReadSome(Counted::kSums); }
  // The kernel enforces; looking only serves to end what it has already stopped.
  std::chrono::milliseconds interval() const override { return std::chrono::milliseconds(50); }

 private:
  Result<Reading> ReadSome(Counted counted);
  const Cgroup& group_;
};

class SampleMeter final : public Meter {
 public:
  SampleMeter(Fd proc, std::uint64_t limit_bytes)
      : sampler_(std::move(proc), limit_bytes), limit_bytes_(limit_bytes) {}
  Result<Reading> Read() override;
  std::chrono::milliseconds interval() const override { return std::chrono::milliseconds(20); }

 private:
  ProcSampler sampler_;
  std::uint64_t limit_bytes_;
  std::uint64_t last_memory_bytes_ = 0;
  Reading so_far_;
};

// The group's word where it has one, the sample's for the rest.
class MixedMeter final : public Meter {
 public:
  MixedMeter(const Cgroup& group, SampleMeter samples)
      : group_(group), samples_(std::move(samples)) {}
  Result<Reading> Read() override;
  std::chrono::milliseconds interval() const override { return samples_.interval(); }

 private:
  CgroupMeter group_;
  SampleMeter samples_;
};

// What was used since this was made: a run's part of what its session has used. Peaks have no
// parts, and stay the session's.
class SinceMeter final : public Meter {
 public:
  SinceMeter(Meter& whole, Reading before) : whole_(whole), before_(before) {}
  Result<Reading> Read() override;
  std::chrono::milliseconds interval() const override { return whole_.interval(); }

 private:
  Meter& whole_;
  Reading before_;
};

// What a program in a container has used: less what its runtime had used when the program began.
// Where nothing but looking counts processes, looking must also hold their limit: the runtime needs
// more of them than any resource limit could allow for.
class ContainedMeter final : public Meter {
 public:
  ContainedMeter(std::unique_ptr<Meter> whole, Reading before, std::uint32_t processes)
      : whole_(std::move(whole)), before_(before), processes_(processes) {}
  Result<Reading> Read() override;
  std::chrono::milliseconds interval() const override { return whole_->interval(); }

 private:
  std::unique_ptr<Meter> whole_;
  Reading before_;
  std::uint32_t processes_;  // the limit, of the runtime's and the program's together
};

// Whether the group of a cell counts all that is limited by looking.
bool CountsAll(const CgroupSupport& support);

}  // namespace belljar::cell::limits
