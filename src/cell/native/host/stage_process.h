// StageProcess: the supervisor's handle on the agent of one image, which starts its zygotes.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "cell/backend.h"
#include "cell/image/store.h"
#include "cell/native/host/native_cell.h"
#include "cell/native/host/process.h"
#include "cell/native/host/spawn.h"
#include "cell/native/launcher/orders.h"
#include "foundation/base/sys.h"

namespace belljar::cell::native {

// A process that clones guests: the launcher, or a Python zygote. One order at a time.
class Zygote {
 public:
  Zygote(Process process, Fd socket, Fd errors)
      : process_(std::move(process)), socket_(std::move(socket)), errors_(std::move(errors)) {}

  Result<Process> Clone(const GuestOrder& order, std::span<const int> fds);

  // Whether to replace this zygote: all its children share one address space layout.
  bool IsWorn() const {
    return born_ >= kMostChildren || std::chrono::steady_clock::now() - started_ > kMostAge;
  }
  std::chrono::steady_clock::time_point last_used() const { return last_used_; }
  static constexpr std::uint64_t kMostChildren = 20'000;
  static constexpr std::chrono::minutes kMostAge{15};

 private:
  Result<Process> Ask(const GuestOrder& order, std::span<const int> fds);
  void ReadStderr();

  std::mutex mutex_;
  Process process_;
  Fd socket_;
  Fd errors_;
  std::string last_words_;  // its stderr before it died, for all threads that wait for it
  std::atomic<std::uint64_t> born_{0};
  std::atomic<std::chrono::steady_clock::time_point> last_used_{std::chrono::steady_clock::now()};
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

// The vaults of a cell as the processes inside it number them: in byte order of their names.
struct VaultOrder {
  explicit VaultOrder(const CellSpec& spec);

  std::vector<std::string> names;
  std::vector<std::size_t> places;  // index of each in the spec
  std::uint32_t read_only = 0;      // bit i: the i-th vault
};

// The cell's listeners as bits for GuestOrder and AgentOrder.
std::uint32_t ListenerBits(const CellSpec& spec);

class StageProcess {
 public:
  struct Config {
    image::Image image;
    Identity identity;
    StepMask off = 0;
    std::string compiled_guest;     // empty: not compiled
    std::string_view tools_client;  // empty: not installed
  };
  static Result<std::unique_ptr<StageProcess>> Start(const Config& config);

  struct NewInit {
    Process process;
    Fd socket;
    Fd workspace;
    std::vector<Fd> vaults;  // in the order of the spec
    Fd procfs;
    std::array<Fd, kListenerCount> listeners;
  };
  // `views` are those of the spec's artefacts, in order.
  Result<NewInit> MakeInit(const CellSpec& spec, std::uint32_t uid, std::span<const Fd> views);
  Result<std::unique_ptr<Zygote>> StartLauncher(Deterministic deterministic);
  Result<std::unique_ptr<Zygote>> StartPython(Deterministic deterministic);

  const image::Image& image() const { return config_.image; }
  // The path of the Python guest inside a cell.
  const char* GuestPath() const {
    return config_.compiled_guest.empty() ? "/.belljar/guest.py" : "/.belljar/guest.pyc";
  }
  const std::shared_ptr<IdleNets>& nets() const { return nets_; }
  bool IsAlive() const { return process_.IsAlive(); }

 private:
  StageProcess(Config config, Process process, Fd orders)
      : config_(std::move(config)), process_(std::move(process)), orders_(std::move(orders)) {}

  Result<Process> Order(const AgentOrder& order, std::span<const int> fds);
  Result<std::unique_ptr<Zygote>> StartZygote(AgentOrder& order);

  Config config_;
  std::mutex mutex_;
  Process process_;
  Fd orders_;
  const std::shared_ptr<IdleNets> nets_ = std::make_shared<IdleNets>();
};

}  // namespace belljar::cell::native
