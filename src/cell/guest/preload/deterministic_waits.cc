// Waits under virtual time. A wait with a relative timeout is passed on unchanged; an absolute
// deadline is translated to the real clock. Either advances the virtual clock when it has run its
// full length.
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cell/guest/preload/deterministic.h"

namespace belljar::deterministic {
namespace {

// The longest wait. A century does not overflow, and no wait reaches its end.
constexpr std::int64_t kForeverSeconds = 100LL * 365 * 24 * 3600;

Nanoseconds Bounded(const timespec& length) {
  return length.tv_sec > kForeverSeconds ? kForeverSeconds * kSecond : From(length);
}

// A point in time of a virtual clock, and the same point of the real one.
class Deadline {
 public:
  Deadline(clockid_t clock, const timespec& moment) {
    end_ = moment.tv_sec > 2 * kForeverSeconds ? kForeverSeconds * kSecond
                                               : From(moment) - StartOf(clock);
    timespec real_now{};
    Kernel(SYS_clock_gettime, clock, reinterpret_cast<long>(&real_now));
    const Nanoseconds left = end_ - Now();
    real_ = ToTimespec(From(real_now) + (left > 0 ? left : 0));
  }

  const timespec* real() const { return &real_; }

  // Advances the clock if `error`, the result of the wait, is a timeout.
  int Ended(int error) const {
    if (error == ETIMEDOUT) WaitedUntil(end_);
    return error;
  }
  // The same for a wait that returns -1 and leaves its error in errno.
  int EndedByErrno(int result) const {
    if (result != 0 && errno == ETIMEDOUT) WaitedUntil(end_);
    return result;
  }
  void Reached() const { WaitedUntil(end_); }

 private:
  Nanoseconds end_;
  timespec real_;
};

// The clock of a condition variable cannot be queried, but the values of the two clocks lie far
// apart.
clockid_t ClockOf(const timespec& moment) {
  return From({moment.tv_sec < INT_MAX ? moment.tv_sec : INT_MAX, 0}) < kRealtimeStart / 2
             ? CLOCK_MONOTONIC
             : CLOCK_REALTIME;
}

// For waits that return the number of events, which is 0 after a timeout.
template <class Result>
Result Ended(Result events, Nanoseconds end) {
  if (events == 0) WaitedUntil(end);
  return events;
}

Nanoseconds InMilliseconds(int length) {
  return Now() + (length > 0 ? Nanoseconds{length} * 1'000'000 : 0);
}

}  // namespace

// Sleeps.

int Nanosleep(const timespec* length, timespec* left) BJ_REPLACES(nanosleep);
int Nanosleep(const timespec* length, timespec* left) {
  const Nanoseconds end = Now() + Bounded(*length);
  const int result = BJ_REAL(nanosleep)(length, left);
  if (result == 0) WaitedUntil(end);
  return result;
}

int ClockNanosleep(clockid_t clock, int flags, const timespec* moment, timespec* left)
    BJ_REPLACES(clock_nanosleep);
int ClockNanosleep(clockid_t clock, int flags, const timespec* moment, timespec* left) {
  if ((flags & TIMER_ABSTIME) == 0) {
    const Nanoseconds end = Now() + Bounded(*moment);
    const int error = BJ_REAL(clock_nanosleep)(clock, flags, moment, left);
    if (error == 0) WaitedUntil(end);
    return error;
  }
  const Deadline deadline(clock, *moment);
  const int error = BJ_REAL(clock_nanosleep)(clock, flags, deadline.real(), left);
  if (error == 0) deadline.Reached();
  return error;
}

int Usleep(useconds_t microseconds) BJ_REPLACES(usleep);
int Usleep(useconds_t microseconds) {
  const timespec length = ToTimespec(Nanoseconds{microseconds} * 1000);
  return Nanosleep(&length, nullptr);
}

unsigned Sleep(unsigned seconds) BJ_REPLACES(sleep);
unsigned Sleep(unsigned seconds) {
  const int err = errno;
  const timespec length{static_cast<time_t>(seconds), 0};
  timespec left{};
  if (Nanosleep(&length, &left) == 0) return 0;
  errno = err;
  return static_cast<unsigned>(left.tv_sec + (left.tv_nsec >= kSecond / 2 ? 1 : 0));
}

// Waits for events.

int Poll(pollfd* fds, nfds_t count, int milliseconds) BJ_REPLACES(poll);
int Poll(pollfd* fds, nfds_t count, int milliseconds) {
  const Nanoseconds end = InMilliseconds(milliseconds);
  return Ended(BJ_REAL(poll)(fds, count, milliseconds), end);
}

int Ppoll(pollfd* fds, nfds_t count, const timespec* length, const sigset_t* mask)
    BJ_REPLACES(ppoll);
int Ppoll(pollfd* fds, nfds_t count, const timespec* length, const sigset_t* mask) {
  const Nanoseconds end = Now() + (length != nullptr ? Bounded(*length) : 0);
  return Ended(BJ_REAL(ppoll)(fds, count, length, mask), end);
}

int Select(int count, fd_set* in, fd_set* out, fd_set* other, timeval* length) BJ_REPLACES(select);
int Select(int count, fd_set* in, fd_set* out, fd_set* other, timeval* length) {
  const timespec asked =
      length != nullptr ? timespec{length->tv_sec, length->tv_usec * 1000} : timespec{};
  const Nanoseconds end = Now() + Bounded(asked);
  return Ended(BJ_REAL(select)(count, in, out, other, length), end);
}

int Pselect(int count, fd_set* in, fd_set* out, fd_set* other, const timespec* length,
            const sigset_t* mask) BJ_REPLACES(pselect);
int Pselect(int count, fd_set* in, fd_set* out, fd_set* other, const timespec* length,
            const sigset_t* mask) {
  const Nanoseconds end = Now() + (length != nullptr ? Bounded(*length) : 0);
  return Ended(BJ_REAL(pselect)(count, in, out, other, length, mask), end);
}

int EpollWait(int fd, epoll_event* events, int most, int milliseconds) BJ_REPLACES(epoll_wait);
int EpollWait(int fd, epoll_event* events, int most, int milliseconds) {
  const Nanoseconds end = InMilliseconds(milliseconds);
  return Ended(BJ_REAL(epoll_wait)(fd, events, most, milliseconds), end);
}

int EpollPwait(int fd, epoll_event* events, int most, int milliseconds, const sigset_t* mask)
    BJ_REPLACES(epoll_pwait);
int EpollPwait(int fd, epoll_event* events, int most, int milliseconds, const sigset_t* mask) {
  const Nanoseconds end = InMilliseconds(milliseconds);
  return Ended(BJ_REAL(epoll_pwait)(fd, events, most, milliseconds, mask), end);
}

// Waits for other threads.

int SemTimedwait(sem_t* semaphore, const timespec* moment) BJ_REPLACES(sem_timedwait);
int SemTimedwait(sem_t* semaphore, const timespec* moment) {
  const Deadline deadline(CLOCK_REALTIME, *moment);
  return deadline.EndedByErrno(BJ_REAL(sem_timedwait)(semaphore, deadline.real()));
}

int SemClockwait(sem_t* semaphore, clockid_t clock, const timespec* moment)
    BJ_REPLACES(sem_clockwait);
int SemClockwait(sem_t* semaphore, clockid_t clock, const timespec* moment) {
  const Deadline deadline(clock, *moment);
  return deadline.EndedByErrno(BJ_REAL(sem_clockwait)(semaphore, clock, deadline.real()));
}

int CondTimedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* moment)
    BJ_REPLACES(pthread_cond_timedwait);
int CondTimedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* moment) {
  const Deadline deadline(ClockOf(*moment), *moment);
  return deadline.Ended(BJ_REAL(pthread_cond_timedwait)(condition, mutex, deadline.real()));
}

int CondClockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                  const timespec* moment) BJ_REPLACES(pthread_cond_clockwait);
int CondClockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                  const timespec* moment) {
  const Deadline deadline(clock, *moment);
  return deadline.Ended(BJ_REAL(pthread_cond_clockwait)(condition, mutex, clock, deadline.real()));
}

int MutexTimedlock(pthread_mutex_t* mutex, const timespec* moment)
    BJ_REPLACES(pthread_mutex_timedlock);
int MutexTimedlock(pthread_mutex_t* mutex, const timespec* moment) {
  const Deadline deadline(CLOCK_REALTIME, *moment);
  return deadline.Ended(BJ_REAL(pthread_mutex_timedlock)(mutex, deadline.real()));
}

int MutexClocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* moment)
    BJ_REPLACES(pthread_mutex_clocklock);
int MutexClocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* moment) {
  const Deadline deadline(clock, *moment);
  return deadline.Ended(BJ_REAL(pthread_mutex_clocklock)(mutex, clock, deadline.real()));
}

}  // namespace belljar::deterministic
