// Meter: measures what a running cell has used so far, by the best means of the machine.
//
// A control group's counters are exact and cheap. Without a group, the cell's own procfs is
// sampled: processes that start and end between two samples are missed, so rlimits are a second
// line of defence. If a group counts only some resources (a kernel with cgroup_disable=memory, a
// user who was given only the pids controller), the others are sampled, so that every limit is
// checked.
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
  bool counts_denials = false;  // forks_denied comes from the kernel
};

class Meter {
 public:
  virtual ~Meter() = default;
  virtual Result<Reading> Read() = 0;
  // The readings that a SinceMeter subtracts; peaks are not read.
  virtual Result<Reading> ReadSums() { return Read(); }
  // How often a run in progress is measured.
  virtual std::chrono::milliseconds interval() const = 0;
};

class CgroupMeter final : public Meter {
 public:
  explicit CgroupMeter(const Cgroup& group) : group_(group) {}
  Result<Reading> Read() override { return ReadSome(Counted::kAll); }
  Result<Reading> ReadSums() override { return ReadSome(Counted::kSums); }
  // The kernel enforces the limits; a reading only serves to end a cell that has met one.
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

// Takes the group's counters where it has them, and samples the rest.
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

// Usage since this object was created: the share of one run in the usage of its session. A peak
// cannot be divided, and stays that of the session.
class SinceMeter final : public Meter {
 public:
  SinceMeter(Meter& whole, Reading before) : whole_(whole), before_(before) {}
  Result<Reading> Read() override;
  std::chrono::milliseconds interval() const override { return whole_.interval(); }

 private:
  Meter& whole_;
  Reading before_;
};

// Usage of a program in a container, without what its runtime had used when the program began. If
// processes are counted only by sampling, sampling must also enforce their limit: the runtime needs
// more processes than an rlimit for the program could allow.
class ContainedMeter final : public Meter {
 public:
  ContainedMeter(std::unique_ptr<Meter> whole, Reading before, std::uint32_t processes)
      : whole_(std::move(whole)), before_(before), processes_(processes) {}
  Result<Reading> Read() override;
  std::chrono::milliseconds interval() const override { return whole_->interval(); }

 private:
  std::unique_ptr<Meter> whole_;
  Reading before_;
  std::uint32_t processes_;  // the limit for runtime and program together
};

// Whether a cell's group counts every resource that would otherwise be sampled.
bool CountsAll(const CgroupSupport& support);

}  // namespace belljar::cell::limits
