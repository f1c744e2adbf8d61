// redact_bench [MEGABYTES]: how fast text is redacted, on one core, as a line of JSON.
//
// The text is what programs print: log lines, JSON, tracebacks, tables, commits, prose, and a
// secret every few kilobytes. It is made here, from a fixed seed, and fed in pieces of 64 KiB.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "judgement/redaction/redactor.h"
#include "judgement/redaction/rule.h"

namespace {

using namespace belljar;
using Clock = std::chrono::steady_clock;

constexpr int kRounds = 5;
constexpr std::size_t kPieceBytes = 64 << 10;

// This thread's own time on its CPU, which others that run do not change.
double CpuSeconds() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

double Seconds(Clock::time_point since) {
  return std::chrono::duration<double>(Clock::now() - since).count();
}

std::string Line(std::uint32_t i, std::uint32_t x) {
  switch (i % 8) {
    case 0:
      return fmt::format(
          "2026-05-{:02} 12:{:02}:{:02},{:03} INFO  worker-{} handled request id={:08x} "
          "path=/api/v1/items/{} status=200 in {}.{:03} ms\n",
          i % 28 + 1, i % 60, x % 60, x % 1000, i % 16, x, x % 100000, x % 90, x % 1000);
    case 1:
      return fmt::format(
          "{{\"event\":\"login\",\"user\":{},\"ok\":true,\"elapsed\":{}.{},\"tags\":[\"alpha\","
          "\"beta\"],\"session\":\"{:08x}-{:04x}-4e29\"}}\n",
          x % 9999, x % 10, x % 10000, x, x % 65536);
    case 2:
      return fmt::format("The tests of group {} passed; the slowest of them took {} ms.\n", i,
                         x % 900);
    case 3:
      return fmt::format(
          "  File \"/usr/lib/python3.11/site-packages/pkg/module_{}.py\", line {}, in process\n"
          "    return self.handler(item, timeout={})\n",
          i % 100, i % 900, i % 30);
    case 4:
      return fmt::format("{:10.4f} {:10.4f} {:10.4f} {:10.4f} {:8} {:8}\n", x / 7e5, x / 9e6,
                         x / 1e7, x / 3e5, x % 99999, i);
    case 5:
      return fmt::format("commit {:08x}{:08x}{:08x}{:08x}{:08x}\n", x, x * 3, x * 7, x * 11,
                         x * 13);
    case 6:
      return fmt::format("Downloading package-{}.{}.{}.tar.gz ({} kB) from the mirror ... done\n",
                         i % 9, i % 20, i % 5, x % 9000);
    default:
      return fmt::format("epoch {:4} loss {:.6f} accuracy {:.4f} tokens {} password reset: no\n",
                         i % 1000, x / 4e9, x / 5e9, x % 100000);
  }
}

std::string MakeText(std::size_t bytes) {
  const auto rules = judgement::redaction::AllRules();
  std::string text;
  for (std::uint32_t i = 0; text.size() < bytes; ++i) {
    text += Line(i, i * 2654435761U);
    if (i % 64 == 0)
      text += judgement::redaction::ExpandExample(rules[i / 64 % rules.size()].rule->caught) + "\n";
  }
  return text;
}

struct Timing {
  double wall = 1e9, cpu = 1e9;
  std::uint64_t found = 0;
};

Timing Measure(const std::shared_ptr<const judgement::redaction::Redactor>& redactor,
               const std::string& text) {
  Timing best;
  for (int round = 0; round < kRounds; ++round) {
    judgement::redaction::StreamRedactor stream(redactor);
    const auto begun = Clock::now();
    const double cpu = CpuSeconds();
    for (std::size_t at = 0; at < text.size(); at += kPieceBytes) {
      const std::string out = stream.Feed(std::string_view(text).substr(at, kPieceBytes));
      if (out.size() > text.size() * 2) std::abort();  // so that it is used
    }
    stream.Finish();
    best.wall = std::min(best.wall, Seconds(begun));
    best.cpu = std::min(best.cpu, CpuSeconds() - cpu);
    best.found = 0;
    for (const auto& [kind, count] : stream.counts()) best.found += count;
  }
  return best;
}

}  // namespace

int main(int argc, char** argv) {
  const std::size_t megabytes = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 64;
  const std::string text = MakeText(megabytes * 1'000'000);
  for (const bool machines : {false, true}) {
    judgement::redaction::Options options;
    options.machine_addresses = machines;
    const auto begun = Clock::now();
    const auto redactor = judgement::redaction::Redactor::Create(options);
    if (!redactor) return 1;
    const double ready = Seconds(begun);
    const Timing timing = Measure(*redactor, text);
    const double size = static_cast<double>(text.size()) / 1e6;
    fmt::print(
        "{{\"machine_addresses\":{},\"create_ms\":{:.2f},\"megabytes\":{},\"found\":{},"
        "\"mb_per_s\":{:.0f},\"mb_per_cpu_s\":{:.0f}}}\n",
        machines, ready * 1e3, megabytes, timing.found, size / timing.wall, size / timing.cpu);
  }
  return 0;
}
