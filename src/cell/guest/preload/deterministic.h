// libbelljar-deterministic.so: loaded (LD_PRELOAD) into every program of a deterministic cell.
//
// It replaces the C library's functions whose results differ between runs: random bytes come from a
// stream that starts at the seed (BELLJAR_SEED), and time is virtual. It is no security boundary: a
// program may call the kernel directly and see the real clock. docs/deterministic.md says what is
// fixed and what is not.
//
// Virtual time advances only when a program reads it (one step for each reading) and when a wait
// has run its full length. A wait that an event ends early does not advance it, because how early
// that was differs from run to run. Waits still take their real time.
//
// Each thread has its own time, so that readings of background threads, whose number differs from
// run to run, do not shift those of other threads. `base` is the lower bound of the times of all
// threads: a thread that has waited, or has come kMostLead ahead, raises it. It is in a small file
// that all processes of a cell map, so that a shell sees how long its `sleep` has slept.
//
// No exceptions, no allocation, no C++ library. A definition sets the name of the function that it
// replaces as an assembler label, so that it does not conflict with the headers' declarations.
#pragma once

#include <dlfcn.h>
#include <time.h>

#include <cstddef>
#include <cstdint>

struct statx;

// Declares that callers of the C library's `name` get this function instead.
#define BJ_REPLACES(name) __asm__(#name) __attribute__((visibility("default"), used))

// The C library's own function `name`.
#define BJ_REAL(name)                                        \
  ([] {                                                      \
    static void* found = nullptr;                            \
    if (found == nullptr) found = ::dlsym(RTLD_NEXT, #name); \
    return reinterpret_cast<decltype(&::name)>(found);       \
  }())

namespace belljar::deterministic {

using Nanoseconds = std::int64_t;  // as a point in time: since the cell's start

constexpr Nanoseconds kSecond = 1'000'000'000;
constexpr Nanoseconds kRealtimeStart = 1'704'067'200 * kSecond;  // 2024-01-01T00:00:00Z
constexpr Nanoseconds kMonotonicStart = 1'000 * kSecond;
constexpr Nanoseconds kStep = 1'000;
constexpr Nanoseconds kMostLead = 10'000'000;

// False in a guest that a zygote has just cloned, until it first asks for time or random bytes:
// until then the guest is being sealed, and the functions return the real values.
bool HasBegun();
// Advances the calling thread's time by one step and returns it.
Nanoseconds Tick();
// Returns the time without a step.
Nanoseconds Now();
// Call when a wait that was to end at `end` has run its full length.
void WaitedUntil(Nanoseconds end);
// The virtual CPU time of the calling thread: one step for each reading.
Nanoseconds CpuTime();
// The value of a kernel clock at the cell's start.
Nanoseconds StartOf(clockid_t clock);

constexpr Nanoseconds From(const timespec& t) { return t.tv_sec * kSecond + t.tv_nsec; }
constexpr timespec ToTimespec(Nanoseconds t) { return {t / kSecond, t % kSecond}; }

// The next bytes of the random stream.
void Fill(void* target, std::size_t size);

// statx() with the ids that the program is shown (deterministic_identity.cc).
int Statx(int dir, const char* path, int flags, unsigned mask, struct statx* result)
    BJ_REPLACES(statx);

// Makes a system call. A negative result is a negated errno.
inline long Kernel(long number, long a = 0, long b = 0, long c = 0, long d = 0, long e = 0,
                   long f = 0) {
  long result = 0;
  register long r10 __asm__("r10") = d;
  register long r8 __asm__("r8") = e;
  register long r9 __asm__("r9") = f;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
                   : "rcx", "r11", "memory");
  return result;
}

}  // namespace belljar::deterministic
