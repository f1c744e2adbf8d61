// libbelljar-deterministic.so: loaded (LD_PRELOAD) into every program of a deterministic cell.
//
// It takes the place of the C library's functions that tell two runs apart: random bytes come from
// a stream that starts at the seed (BELLJAR_SEED), and time is virtual. Nothing here is a wall: a
// program may call the kernel itself and see the real clock. docs/deterministic.md says what is
// fixed and what is not.
//
// Virtual time moves only when a program asks for it (one step a reading) and when a wait has run
// its full length; a wait that an event ends early does not move it, because how early that was
// differs from run to run. Waits take their real time all the same.
//
// Each thread has its own time, so that readings of background threads, of which there are never
// twice the same number, do not shift the others'. `base` binds them together: whoever has waited,
// or has come kMostLead ahead, lifts it, and no thread's time is below it. It lies in a small file
// that all processes of a cell map, so that a shell sees how long its `sleep` has slept.
//
// Freestanding in spirit: no exceptions, no allocation, no C++ library. Definitions carry the name
// of what they replace as an assembler label: the headers' own declarations stay out of the way.
#pragma once

#include <dlfcn.h>
#include <time.h>

#include <cstddef>
#include <cstdint>

struct statx;

// Declares that a function is what callers of the C library's `name` get.
#define BJ_REPLACES(name) __asm__(#name) __attribute__((visibility("default"), used))

// The C library's own `name`.
#define BJ_REAL(name)                                        \
  ([] {                                                      \
    static void* found = nullptr;                            \
    if (found == nullptr) found = ::dlsym(RTLD_NEXT, #name); \
    return reinterpret_cast<decltype(&::name)>(found);       \
  }())

namespace belljar::deterministic {

using Nanoseconds = std::int64_t;  // where it is a point in time: since the cell's start

constexpr Nanoseconds kSecond = 1'000'000'000;
constexpr Nanoseconds kRealtimeStart = 1'704'067'200 * kSecond;  // 2024-01-01T00:00:00Z
constexpr Nanoseconds kMonotonicStart = 1'000 * kSecond;
constexpr Nanoseconds kStep = 1'000;
constexpr Nanoseconds kMostLead = 10'000'000;

// False in a guest that a zygote has just cloned, until it first asks for time or random bytes: it
// is still being sealed, and is told nothing but the truth.
bool HasBegun();
// The time, one step later than the last that this thread was told.
Nanoseconds Tick();
// The time without a step.
Nanoseconds Now();
// A wait that was to end at `end` has done so.
void WaitedUntil(Nanoseconds end);
// What the calling thread has used of the CPU: its readings.
Nanoseconds CpuTime();
// What a clock of the kernel's showed at the cell's start.
Nanoseconds StartOf(clockid_t clock);

constexpr Nanoseconds From(const timespec& t) { return t.tv_sec * kSecond + t.tv_nsec; }
constexpr timespec ToTimespec(Nanoseconds t) { return {t / kSecond, t % kSecond}; }

// The next bytes of the random stream.
void Fill(void* target, std::size_t size);

// The file's status as the program is to see it (deterministic_identity.cc).
int Statx(int dir, const char* path, int flags, unsigned mask, struct statx* result)
    BJ_REPLACES(statx);

// A system call as the kernel answers it: negative is an error's number.
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
