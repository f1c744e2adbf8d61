#include "cell/guest/preload/deterministic.h"

#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/times.h>
#include <unistd.h>

#include <atomic>

namespace belljar::deterministic {
namespace {

constexpr const char* kBaseFile = "/run/.belljar-clock";
constexpr std::size_t kPage = 4096;

struct Base {
  std::atomic<Nanoseconds> time;
};

// The kernel zeroes it in a new process (MADV_WIPEONFORK), no matter how that was cloned.
struct Alive {
  bool is;
};

Base lonely_base;
Base* base = &lonely_base;
Alive* alive = nullptr;
std::uint64_t seed = 0;
bool is_first = false;
std::atomic<std::uint64_t> stream;
thread_local Nanoseconds thread_time = 0;
thread_local Nanoseconds thread_cpu = 0;

constexpr std::uint64_t kGolden = 0x9E3779B97F4A7C15;

// SplitMix64's output function.
std::uint64_t Mix(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return z ^ (z >> 31);
}

std::uint64_t Pid() { return static_cast<std::uint64_t>(Kernel(SYS_getpid)); }

// Parses "SEED" or "SEED:first". Belljar adds ":first" for the program that it starts itself. The
// descendants of that program have random streams of their own, distinguished by process id; pids
// in a cell are assigned in order.
void ReadSeed() {
  char* const text = ::getenv("BELLJAR_SEED");
  if (text == nullptr) return;
  char* end = nullptr;
  seed = ::strtoull(text, &end, 10);
  is_first = *end == ':';
  *end = '\0';
}

void MapBase() {
  const int fd = ::open(kBaseFile, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return;  // a zygote, which is not in a cell yet
  void* page = MAP_FAILED;
  if (::ftruncate(fd, kPage) == 0) {
    page = ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  }
  ::close(fd);
  if (page != MAP_FAILED) base = static_cast<Base*>(page);
}

void MapAlive() {
  static Alive always{};
  void* const page =
      ::mmap(nullptr, kPage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  alive = page == MAP_FAILED ? &always : static_cast<Alive*>(page);
  if (page != MAP_FAILED) ::madvise(page, kPage, MADV_WIPEONFORK);
}

// Starts the stream at the seed and time at 0, in a new program or in a guest that a zygote has
// cloned.
void Begin() {
  const int err = errno;
  if (alive == nullptr) MapAlive();
  alive->is = true;
  stream = is_first ? Mix(seed + kGolden) : Mix(seed + Mix(Pid()));
  thread_time = 0;
  thread_cpu = 0;
  MapBase();
  errno = err;
}

// A child made by fork() continues with its parent's time, and has a random stream of its own.
void AfterFork() {
  alive->is = true;
  stream = Mix(stream ^ Mix(Pid()));
}

void Lift(Nanoseconds time) {
  Nanoseconds now = base->time.load(std::memory_order_relaxed);
  while (now < time && !base->time.compare_exchange_weak(now, time)) {
  }
}

// Node 18, as packaged by Debian, gives parts of its garbage collection to whichever thread is
// free, and its main thread reads the clock for each part that it does itself, so the number of
// readings varies. Its programs are shown whole milliseconds, which seldom reveal the difference.
bool shows_milliseconds = false;

int FindEngine(dl_phdr_info* info, std::size_t, void*) {
  shows_milliseconds = ::strstr(info->dlpi_name, "/libnode.so.108") != nullptr;
  return shows_milliseconds ? 1 : 0;
}

__attribute__((constructor)) void Load() {
  ReadSeed();
  Begin();
  ::dl_iterate_phdr(FindEngine, nullptr);
  ::pthread_atfork(nullptr, nullptr, AfterFork);
}

bool IsCpuClock(clockid_t clock) {
  return clock < 0 || clock == CLOCK_PROCESS_CPUTIME_ID || clock == CLOCK_THREAD_CPUTIME_ID;
}

bool IsCoarse(clockid_t clock) {
  return clock == CLOCK_REALTIME_COARSE || clock == CLOCK_MONOTONIC_COARSE;
}

// Reading a coarse clock does not advance time. libuv reads one in every turn of its loop, and the
// number of turns depends on the timing of events.
timespec ReadClock(clockid_t clock) {
  Nanoseconds now = IsCoarse(clock) ? Now() : Tick();
  if (shows_milliseconds) now -= now % (kSecond / 1000);
  return ToTimespec(IsCpuClock(clock) ? CpuTime() : StartOf(clock) + now);
}

int Fail(int number) {
  errno = number;
  return -1;
}

}  // namespace

bool HasBegun() { return alive != nullptr && alive->is; }

Nanoseconds Now() {
  if (!HasBegun()) Begin();
  const Nanoseconds least = base->time.load(std::memory_order_relaxed);
  if (thread_time < least) thread_time = least;
  return thread_time;
}

Nanoseconds Tick() {
  thread_time = Now() + kStep;
  thread_cpu += kStep;
  if (thread_time - base->time.load(std::memory_order_relaxed) > kMostLead) Lift(thread_time);
  return thread_time;
}

void WaitedUntil(Nanoseconds end) {
  if (Now() < end) thread_time = end;
  Lift(end);
}

void Fill(void* target, std::size_t size) {
  if (!HasBegun()) Begin();
  char* bytes = static_cast<char*>(target);
  while (size > 0) {
    const std::uint64_t word = Mix(stream.fetch_add(kGolden) + kGolden);
    const std::size_t part = size < sizeof(word) ? size : sizeof(word);
    ::memcpy(bytes, &word, part);
    bytes += part;
    size -= part;
  }
}

Nanoseconds CpuTime() { return thread_cpu; }

Nanoseconds StartOf(clockid_t clock) {
  const bool realtime =
      clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI;
  return realtime ? kRealtimeStart : kMonotonicStart;
}

// Replacements: random bytes.

ssize_t GetRandom(void* buffer, std::size_t size, unsigned flags) BJ_REPLACES(getrandom);
ssize_t GetRandom(void* buffer, std::size_t size, unsigned) {
  Fill(buffer, size);
  return static_cast<ssize_t>(size);
}

int GetEntropy(void* buffer, std::size_t size) BJ_REPLACES(getentropy);
int GetEntropy(void* buffer, std::size_t size) {
  if (size > 256) return Fail(EIO);
  Fill(buffer, size);
  return 0;
}

void Arc4RandomBuf(void* buffer, std::size_t size) BJ_REPLACES(arc4random_buf);
void Arc4RandomBuf(void* buffer, std::size_t size) { Fill(buffer, size); }

std::uint32_t Arc4Random() BJ_REPLACES(arc4random);
std::uint32_t Arc4Random() {
  std::uint32_t value = 0;
  Fill(&value, sizeof(value));
  return value;
}

std::uint32_t Arc4RandomUniform(std::uint32_t bound) BJ_REPLACES(arc4random_uniform);
std::uint32_t Arc4RandomUniform(std::uint32_t bound) {
  std::uint64_t value = 0;
  Fill(&value, sizeof(value));
  // 64 bits: the bias is negligible
  return bound < 2 ? 0 : static_cast<std::uint32_t>(value % bound);
}

// Replacements: clocks.

int ClockGettime(clockid_t clock, timespec* result) BJ_REPLACES(clock_gettime);
int ClockGettime(clockid_t clock, timespec* result) {
  if (clock > CLOCK_TAI) return Fail(EINVAL);
  *result = ReadClock(clock);
  return 0;
}

// libuv uses the coarse clock only if its resolution is 1 ms or better.
int ClockGetres(clockid_t clock, timespec* result) BJ_REPLACES(clock_getres);
int ClockGetres(clockid_t clock, timespec* result) {
  if (clock > CLOCK_TAI) return Fail(EINVAL);
  if (result != nullptr) *result = {0, IsCoarse(clock) ? 1'000'000 : 1};
  return 0;
}

int GetTimeOfDay(timeval* result, void* zone) BJ_REPLACES(gettimeofday);
int GetTimeOfDay(timeval* result, void* zone) {
  const timespec now = ReadClock(CLOCK_REALTIME);
  if (result != nullptr) *result = {now.tv_sec, now.tv_nsec / 1000};
  if (zone != nullptr) ::memset(zone, 0, sizeof(struct timezone));
  return 0;
}

time_t Time(time_t* result) BJ_REPLACES(time);
time_t Time(time_t* result) {
  const time_t now = ReadClock(CLOCK_REALTIME).tv_sec;
  if (result != nullptr) *result = now;
  return now;
}

int TimespecGet(timespec* result, int time_base) BJ_REPLACES(timespec_get);
int TimespecGet(timespec* result, int time_base) {
  if (time_base != TIME_UTC) return 0;
  *result = ReadClock(CLOCK_REALTIME);
  return time_base;
}

clock_t Clock() BJ_REPLACES(clock);
clock_t Clock() {
  Tick();
  return CpuTime() / (kSecond / CLOCKS_PER_SEC);
}

clock_t Times(tms* result) BJ_REPLACES(times);
clock_t Times(tms* result) {
  constexpr Nanoseconds kTick = kSecond / 100;  // sysconf(_SC_CLK_TCK) is 100 on Linux
  const Nanoseconds now = Tick();
  if (result != nullptr) *result = {CpuTime() / kTick, 0, 0, 0};
  return (kMonotonicStart + now) / kTick;
}

int GetRusage(int who, rusage* result) BJ_REPLACES(getrusage);
int GetRusage(int who, rusage* result) {
  Tick();
  ::memset(result, 0, sizeof(*result));
  if (who == RUSAGE_CHILDREN) return 0;
  result->ru_utime = {CpuTime() / kSecond, CpuTime() % kSecond / 1000};
  return 0;
}

// For programs that use syscall() directly, as libuv and libcrypto do.
long Syscall(long number, long a, long b, long c, long d, long e, long f) BJ_REPLACES(syscall);
long Syscall(long number, long a, long b, long c, long d, long e, long f) {
  if (number == SYS_getrandom) {
    return GetRandom(reinterpret_cast<void*>(a), static_cast<std::size_t>(b), 0);
  }
  if (number == SYS_clock_gettime) {
    return ClockGettime(static_cast<clockid_t>(a), reinterpret_cast<timespec*>(b));
  }
  if (number == SYS_statx) {
    return Statx(static_cast<int>(a), reinterpret_cast<const char*>(b), static_cast<int>(c),
                 static_cast<unsigned>(d), reinterpret_cast<struct statx*>(e));
  }
  const long result = Kernel(number, a, b, c, d, e, f);
  return result < 0 && result > -4096 ? Fail(static_cast<int>(-result)) : result;
}

}  // namespace belljar::deterministic
