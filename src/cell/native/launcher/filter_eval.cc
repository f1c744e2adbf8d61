#include "cell/native/launcher/filter_eval.h"

#include <cstring>

namespace belljar::cell::native {
namespace {

bool Holds(std::uint16_t code, std::uint32_t accumulator, std::uint32_t k) {
  switch (BPF_OP(code)) {
    case BPF_JEQ:
      return accumulator == k;
    case BPF_JGT:
      return accumulator > k;
    case BPF_JGE:
      return accumulator >= k;
    default:
      return (accumulator & k) != 0;
  }
}

bool IsJump(std::uint16_t code) {
  return code == (BPF_JMP | BPF_JEQ | BPF_K) || code == (BPF_JMP | BPF_JGT | BPF_K) ||
         code == (BPF_JMP | BPF_JGE | BPF_K) || code == (BPF_JMP | BPF_JSET | BPF_K);
}

// The kernel compares actions as signed numbers, so that KILL_PROCESS is the lowest.
std::int32_t Leniency(std::uint32_t verdict) {
  return static_cast<std::int32_t>(verdict & SECCOMP_RET_ACTION_FULL);
}

}  // namespace

std::optional<std::uint32_t> Evaluate(Program program, const seccomp_data& data) {
  std::uint32_t accumulator = 0;
  for (std::size_t at = 0; at < program.size(); ++at) {
    const sock_filter& line = program[at];
    if (line.code == (BPF_LD | BPF_W | BPF_ABS)) {
      if (line.k % 4 != 0 || line.k > sizeof(data) - sizeof(accumulator)) return std::nullopt;
      std::memcpy(&accumulator, reinterpret_cast<const char*>(&data) + line.k, sizeof(accumulator));
    } else if (line.code == (BPF_ALU | BPF_AND | BPF_K)) {
      accumulator &= line.k;
    } else if (line.code == (BPF_JMP | BPF_JA)) {
      at += line.k;
    } else if (IsJump(line.code)) {
      at += Holds(line.code, accumulator, line.k) ? line.jt : line.jf;
    } else if (line.code == (BPF_RET | BPF_K)) {
      return line.k;
    } else {
      return std::nullopt;
    }
  }
  return std::nullopt;
}

std::optional<std::uint32_t> EvaluateStacked(std::span<const Program> programs,
                                             const seccomp_data& data) {
  std::uint32_t strictest = SECCOMP_RET_ALLOW;
  for (std::size_t newer = programs.size(); newer > 0; --newer) {
    const auto verdict = Evaluate(programs[newer - 1], data);
    if (!verdict) return std::nullopt;
    if (Leniency(*verdict) < Leniency(strictest)) strictest = *verdict;
  }
  return strictest;
}

}  // namespace belljar::cell::native
