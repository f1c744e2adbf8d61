// FakeBackend: cells without walls and without processes, for tests of the layers above.
//
// A fake cell consists of a few descriptors and a script: what its guest has written to the control
// channel by the time the cell is handed out. A pipe stands for the pidfd: the backend keeps its
// other end and closes it when the test ends the guest. Every failure of a start can be scripted.
//
// Thread-safe, as a real backend is; a FakeCell belongs to one thread at a time. The backend must
// outlive its cells.
#pragma once

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "cell/backend.h"

namespace belljar::cell {

enum class FakeGuest {
  kSaysHello,
  kSaysHelloInTwoParts,  // sent as two packets
  kDiesBeforeHello,      // after writing a few words to stderr
  kSaysGarbage,
  kSaysMoreThanHello,  // the hello, then a message that only a running program may send
  kIsNotStarted,       // Start() fails
};

class FakeBackend final : public Backend {
 public:
  FakeBackend() = default;
  FakeBackend(const FakeBackend&) = delete;
  FakeBackend& operator=(const FakeBackend&) = delete;

  // Sets the behaviour of the guests of cells started from now on.
  void Script(FakeGuest guest);
  // Start() calls of all threads but the calling one block until Release().
  void HoldOtherThreads();
  void Release();
  // Ends the guests of all living cells; the cells stay.
  void EndGuests();

  Result<std::unique_ptr<Cell>> Start(const CellSpec& spec, const Placement& placement) override;
  json::object Layers() const override { return {{"backend", "fake"}}; }

  std::size_t started() const;                    // calls of Start(), failed ones too
  std::size_t alive() const;                      // cells that have not been destroyed
  std::vector<std::thread::id> builders() const;  // the thread of each call of Start()
  Placement last_placement() const;
  // Waits until Start() has been called `count` times.
  void AwaitStarted(std::size_t count) const;
  // Waits until `count` cells are left.
  void AwaitAlive(std::size_t count) const;

 private:
  friend class FakeCell;
  void EndGuest(int number);
  void Remove(int number);

  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  FakeGuest script_ = FakeGuest::kSaysHello;
  std::optional<std::thread::id> only_;  // the thread that is not held
  std::vector<std::thread::id> builders_;
  Placement placement_;
  int next_ = 1;
  // by number: the kept end of the life pipe, closed when the guest has ended
  std::map<int, Fd> cells_;
};

class FakeCell final : public Cell {
 public:
  struct Parts {
    Fd control;
    Fd stdin_pipe;
    Fd stdout_pipe;
    Fd stderr_pipe;
    Fd life;                     // hangs up when the guest has ended
    std::vector<Fd> guest_ends;  // kept open in place of the guest, which has no process
  };
  FakeCell(FakeBackend& backend, int number, Parts parts)
      : backend_(backend), number_(number), parts_(std::move(parts)) {}
  ~FakeCell() override { backend_.Remove(number_); }

  const Fd& control() const override { return parts_.control; }
  Fd& stdin_pipe() override { return parts_.stdin_pipe; }
  const Fd& stdout_pipe() const override { return parts_.stdout_pipe; }
  const Fd& stderr_pipe() const override { return parts_.stderr_pipe; }
  const Fd& workspace() const override { return none_; }
  const std::vector<Fd>& vaults() const override { return no_vaults_; }
  const Fd& procfs() const override { return none_; }
  const Fd& listener(CellListener) const override { return none_; }
  const Fd& ended() const override { return parts_.life; }
  Result<Ending> Reap() override { return Ending{0, {}}; }
  pid_t number() const override { return number_; }

  void Interrupt() override {}
  void Kill() override { backend_.EndGuest(number_); }
  void Finish() override { Kill(); }

 private:
  FakeBackend& backend_;
  int number_;
  Parts parts_;
  Fd none_;
  std::vector<Fd> no_vaults_;
};

}  // namespace belljar::cell
