// FakeBackend: cells without walls and without processes, for tests of what stands above them.
//
// A fake cell is a few descriptors and a script: what its guest has said on the control channel by
// the time the cell is handed out. Its life is a pipe whose other end the backend keeps, so that
// it hangs up, as a pidfd becomes readable, when the test ends the guest. Every way in which a
// start can go wrong can be asked for.
//
// Thread-safe, as the real one is; a FakeCell belongs to one thread at a time. The backend must
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
  kSaysHelloInTwoParts,  // as two reads see it
  kDiesBeforeHello,      // with a few words on stderr
  kSaysGarbage,
  kSaysMoreThanHello,  // the hello, and then what only a running program may say
  kIsNotStarted,       // Start() fails
};

class FakeBackend final : public Backend {
 public:
  FakeBackend() = default;
  FakeBackend(const FakeBackend&) = delete;
  FakeBackend& operator=(const FakeBackend&) = delete;

  // What guests do from now on.
  void Script(FakeGuest guest);
  // Start() calls of all threads but the one that calls this wait until Release().
  void HoldOtherThreads();
  void Release();
  // The guests that live end by themselves; their cells stay.
  void EndGuests();

  Result<std::unique_ptr<Cell>> Start(const CellSpec& spec, const Placement& placement) override;
  json::object Layers() const override { return {{"backend", "fake"}}; }

  std::size_t started() const;                    // calls of Start(), failed ones too
  std::size_t alive() const;                      // cells that have not been destroyed
  std::vector<std::thread::id> builders() const;  // the thread of each call
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
  std::map<int, Fd> cells_;  // by number: the kept end of its life, closed when the guest has ended
};

class FakeCell final : public Cell {
 public:
  struct Parts {
    Fd control;
    Fd stdin_pipe;
    Fd stdout_pipe;
    Fd stderr_pipe;
    Fd life;                     // hangs up when the guest has ended
    std::vector<Fd> guest_ends;  // kept open for the guest, who is not there to do it
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
