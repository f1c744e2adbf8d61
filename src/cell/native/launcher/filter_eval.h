// Runs seccomp programs in the test's own process, as the kernel would run them, so that a verdict
// can be asked for any number, architecture and argument without making the call.
//
// Only what seccomp accepts of classic BPF, and of that only what libseccomp writes, is known: an
// instruction beyond that, or a jump past the end, is no verdict.
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
