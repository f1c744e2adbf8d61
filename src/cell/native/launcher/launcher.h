// The launcher: the zygote for programs that are exec'd, and the native guest it turns into.
#pragma once

#include <cstdint>

#include "cell/guest/protocol/environment.h"
#include "cell/native/launcher/orders.h"

namespace belljar::cell::native {

[[noreturn]] void BeLauncher(int socket);

// Points argv at `count` NUL-terminated strings. Returns their number, or -1 if they do not fit.
int SplitArgs(char* bytes, std::uint32_t count, char** argv, int max);

// Environment variables that make an exec'd program deterministic: NAME=VALUE strings, then null.
// Empty unless the order asks for determinism.
class DeterministicEnvironment {
 public:
  explicit DeterministicEnvironment(const Deterministic& order);
  DeterministicEnvironment(const DeterministicEnvironment&) = delete;
  DeterministicEnvironment& operator=(const DeterministicEnvironment&) = delete;
  char* operator[](int i) const { return variables_[i]; }

 private:
  char preload_[64] = "LD_PRELOAD=/.belljar/libbelljar-deterministic.so";
  char seed_[64] = {};
  // Hides the time stamp counter, which cannot be fixed, from OpenSSL's random number generator.
  char openssl_[32] = "OPENSSL_ia32cap=~0x10";
  char* variables_[4] = {};
};

// The environment, for execve, of an interpreter that waits for a program.
class InterpreterEnvironment {
 public:
  // `more` is one additional NAME=VALUE, or null.
  InterpreterEnvironment(const Deterministic& order, const char* more);
  char* const* get() { return variables_; }

 private:
  DeterministicEnvironment fixed_;
  char* variables_[guest::kDefaultVariables + 5] = {};
};

}  // namespace belljar::cell::native
