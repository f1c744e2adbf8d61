// An interpreter for seccomp programs. Tests run the programs in their own process and ask for the
// verdict on any call number, architecture and argument without making the call.
//
// It supports only those classic BPF instructions that libseccomp emits. Any other instruction, or
// a jump past the end of the program, yields no verdict.
#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>

#include <cstdint>
#include <optional>
#include <span>

namespace belljar::cell::native {

using Program = std::span<const sock_filter>;

std::optional<std::uint32_t> Evaluate(Program program, const seccomp_data& data);

// The verdict of programs stacked in the order in which they were installed: the strictest wins,
// and among equally strict ones the newest.
std::optional<std::uint32_t> EvaluateStacked(std::span<const Program> programs,
                                             const seccomp_data& data);

}  // namespace belljar::cell::native
