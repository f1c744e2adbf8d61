#include "monitor/awake.h"

#include <fcntl.h>
#include <unistd.h>

#include <utility>

#include "base/sys.h"

namespace belljar::monitor {
namespace {

// Microseconds that a CPU may take to wake up.
constexpr std::int32_t kNone = 0;
constexpr std::int32_t kAnyNumber = 2'000'000'000;  // the kernel's own default

Fd OpenLatency() {
  if (std::thread::hardware_concurrency() > Awake::kMostCpus) return Fd();
  auto file = Open("/dev/cpu_dma_latency", O_WRONLY);
  return file ? *std::move(file) : Fd();
}

}  // namespace

Awake::Awake() : Awake(OpenLatency()) {}

Awake::Awake(Fd latency) : latency_(std::move(latency)) {
  if (!latency_) return;
  Ask(kAnyNumber);  // to open the file was to ask for none
  thread_ = std::jthread([this](const std::stop_token& stop) { Mind(stop); });
}

void Awake::ForAMoment() {
  if (!latency_) return;
  const std::lock_guard lock(mutex_);
  until_ = Clock::now() + kMoment;
  if (std::exchange(asked_, true)) return;
  Ask(kNone);
  changed_.notify_one();
}

void Awake::KeepOff(pid_t process) {
  const std::lock_guard lock(mutex_);
  if (asked_) apart_.Keep(process);
}

void Awake::Mind(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (changed_.wait(lock, stop, [this] { return asked_; })) {
    // Mostly there have been more calls by then, and the end is another.
    changed_.wait_for(lock, stop, kLook, [] { return false; });
    apart_.Look();
    if (Clock::now() < until_ && !stop.stop_requested()) continue;
    Ask(kAnyNumber);
    apart_.LetGo();
    asked_ = false;
  }
}

// Without it all is as it should be, and slower.
void Awake::Ask(std::int32_t most_us) const {
  const ssize_t ignored = ::write(latency_.get(), &most_us, sizeof(most_us));
  static_cast<void>(ignored);
}

}  // namespace belljar::monitor
