// Limits: the resource limits of one run. A plain value with the product's defaults.
#pragma once

#include <chrono>
#include <cstdint>

namespace belljar::request {

constexpr std::uint64_t kMiB = 1 << 20;

struct Limits {
  std::chrono::milliseconds wall{30'000};
  std::chrono::milliseconds cpu_time{61'000};  // summed over all processes; see DefaultCpuTime
  std::uint64_t memory_bytes = 512 * kMiB;
  std::uint32_t cpu_millis = 1000;  // thousandths of a CPU
  std::uint32_t processes = 64;     // processes and threads
  std::uint32_t output_lines = 1000;
  std::uint64_t output_bytes = 1 * kMiB;
  std::uint64_t workspace_bytes = 256 * kMiB;
  std::uint32_t workspace_inodes = 16'384;
  std::uint32_t open_files = 512;
  std::uint64_t file_size_bytes = 256 * kMiB;
  std::uint64_t file_operations = 100'000;

  bool operator==(const Limits&) const = default;
};

}  // namespace belljar::request
