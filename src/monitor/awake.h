// Awake: keeps CPUs that have nothing to do from falling asleep, for a moment.
//
// A statement of a session is passed on half a dozen times: client, daemon, guest, daemon, disk,
// daemon, client. Whoever is next is mostly woken on a CPU that has just fallen asleep, and in a
// virtual machine that takes 30 to 100 us each time: the host has to be asked. The kernel can be
// asked instead to let idle CPUs look out for work meanwhile, by a number in /dev/cpu_dma_latency:
// nobody then has to be interrupted, and whatever becomes ready runs at once. A spinning thread of
// our own would do the same for one wake-up of one thread, and stand in the way of others.
//
// It costs what CPUs use that do not sleep, so it ends by itself one to three milliseconds after
// the last call, whatever goes on then: a thread looks every two, since to look takes a CPU, too.
// On a machine with many CPUs all of them would be kept up for the few that are needed: there, and
// where the file may not be opened (it is root's), nothing is done.
//
// Thread-safe.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

#include "base/fd.h"
#include "monitor/apart.h"

namespace belljar::monitor {

class Awake {
 public:
  static constexpr std::chrono::milliseconds kMoment{1};
  static constexpr std::chrono::milliseconds kLook{2};
  static constexpr unsigned kMostCpus = 16;

  Awake();
  // What is asked for is written to `latency`; none: nothing is done.
  explicit Awake(Fd latency);

  void ForAMoment();
  // The same, for the calling thread: it keeps off the CPU of that process (apart.h).
  void KeepOff(pid_t process);

 private:
  using Clock = std::chrono::steady_clock;

  void Mind(const std::stop_token& stop);
  void Ask(std::int32_t most_us) const;

  const Fd latency_;  // the kernel forgets what was asked when it is closed
  std::mutex mutex_;
  std::condition_variable_any changed_;
  Clock::time_point until_;
  bool asked_ = false;
  Apart apart_;
  std::jthread thread_;  // ends it
};

}  // namespace belljar::monitor
