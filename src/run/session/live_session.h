// LiveSession: a cell whose interpreter lives from run to run.
//
// Variables, imports, open files and the working directory stay where they are: in the living
// process. A run is sent to it, and is over when the guest says so or when a limit has ended it; in
// the second case the guest is first interrupted and may live on, or is killed with its cell, and
// the session is then over. What a run printed, displayed and raised is the guest's word, as it is
// for any program; clock, counters and limits are the supervisor's.
//
// One run at a time: whoever owns a LiveSession sees to that. workspace() and Kill() may be used
// beside a run.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <utility>

#include "cell/guest/protocol/session_dialogue.h"
#include "cell/limits/meter.h"
#include "cell/pool/cell_factory.h"
#include "resource/tools/cell_endpoint.h"
#include "run/network.h"
#include "run/run.h"
#include "run/session/saved_container.h"
#include "run/workspace.h"

namespace belljar::run {

// The interpreter of a session as it was at one moment. Sealed: nobody can change it any more.
struct SavedMemory {
  request::BackendKind backend = request::BackendKind::kNative;
  std::shared_ptr<const SavedContainer> container;  // instead of all below, where it was in one
  std::shared_ptr<const Fd> file;
  std::shared_ptr<const Fd> base;               // what the file builds on, if on anything
  std::shared_ptr<cell::CellTemplate> copy_of;  // whose copies can become it
  std::uint64_t runs = 0;                       // that the session had seen by then
  std::uint64_t bytes = 0;
  std::uint64_t base_bytes = 0;
};

// The memory that such a file takes now.
std::uint64_t BytesOf(const Fd& file);

class LiveSession {
 public:
  // Makes a session of a cell that waits for its first request. `shape` says language,
  // environment and limits.
  static Result<std::unique_ptr<LiveSession>> Begin(cell::pool::PreparedCell prepared,
                                                    const request::Request& shape,
                                                    const cell::limits::CgroupSupport& support,
                                                    std::shared_ptr<Network> network);

  // Goes on with what was saved, in a cell that waits for its first request, whose workspace is as
  // it was then.
  static Result<std::unique_ptr<LiveSession>> Resume(cell::pool::PreparedCell prepared,
                                                     const request::Request& shape,
                                                     const cell::limits::CgroupSupport& support,
                                                     const SavedMemory& memory,
                                                     cell::guest::RestoreAs as,
                                                     std::shared_ptr<Network> network);

  // Between two runs. A refusal (kInvalid) names what cannot be carried, and nothing has changed.
  // `take_files` is called while nothing in the cell changes what it has written; containers are
  // kept below `state_dir`.
  Result<SavedMemory> Save(std::uint64_t room, const std::string& state_dir,
                           const std::function<Result<>(const Fd& written)>& take_files);
  // Files of memory that this one has made, or goes on from, and that somebody still has.
  std::vector<std::shared_ptr<const Fd>> Files();

  // One statement: it is over when this returns.
  Result<Observed> Execute(const Run& run);

  request::BackendKind backend() const { return backend_; }
  // Null if it has none.
  const std::shared_ptr<Network>& network() const { return network_; }
  const Fd& workspace() const { return prepared_.cell->workspace(); }
  // Where it began empty, on a tmpfs.
  const std::optional<std::uint64_t>& size_when_empty() const { return size_when_empty_; }
  const cell::Cell& cell() const { return *prepared_.cell; }
  // Where its calls of tools are answered; null: nowhere.
  const std::shared_ptr<resource::tools::CellToolEndpoint>& seat() const { return seat_; }
  void TakeSeat(std::shared_ptr<resource::tools::CellToolEndpoint> seat) {
    seat_ = std::move(seat);
  }
  // What its workspace held after its last run; once, and nothing where there was none.
  void KeepLeft(std::optional<Listing> left) { left_ = std::move(left); }
  std::optional<Listing> TakeLeft() { return std::exchange(left_, std::nullopt); }
  // Whether another run can be sent: the guest is there, and was not killed.
  bool alive() const { return alive_ && !HasGone(); }
  // The end of every process in the cell, now.
  void Kill() { prepared_.cell->Kill(); }
  // For whoever takes the cell apart.
  cell::pool::PreparedCell Release() && { return std::move(prepared_); }

 private:
  LiveSession(cell::pool::PreparedCell prepared, const request::Request& shape);
  static Result<std::unique_ptr<LiveSession>> GoOn(std::unique_ptr<LiveSession> live,
                                                   cell::guest::RestoreAs as);
  Result<> AwaitReady();
  Result<> ReadUntil(const std::function<bool()>& done, std::string_view what);
  Result<SavedMemory> SaveContainer(std::uint64_t room, const std::string& state_dir,
                                    const std::function<Result<>(const Fd&)>& take_files);
  Result<SavedMemory> SaveProcess(std::uint64_t room);
  Result<bool> AskToSave(std::uint64_t room, const Fd& file);
  Result<> Send(std::string_view bytes);
  bool HasGone() const;
  // What the guest said, put where it belongs; false when it broke the protocol.
  bool Hear(std::string_view bytes, Observed& seen);
  Result<> WatchRun(const Run& run, cell::limits::Meter& meter, Observed& seen);

  cell::pool::PreparedCell prepared_;
  std::shared_ptr<Network> network_;  // shared: with who takes it away
  request::Lang lang_;
  request::BackendKind backend_;
  std::uint64_t memory_limit_;
  std::optional<std::uint64_t> size_when_empty_;  // of the workspace
  cell::guest::SessionDialogue dialogue_;
  std::unique_ptr<cell::limits::Meter> meter_;
  std::optional<cell::guest::SessionEvent> answer_;  // the last one outside of a run
  std::uint64_t runs_ = 0;
  std::optional<Listing> left_;
  std::shared_ptr<const cell::guest::Guard> sent_guard_;  // with the last run
  std::shared_ptr<const Fd> base_;                        // shared: with checkpoints
  std::uint64_t base_bytes_ = 0;                          // when it was sealed
  std::vector<std::weak_ptr<const Fd>> made_;
  bool leaving_ = false;  // the program has asked for its own end
  std::atomic<bool> alive_{true};
  std::shared_ptr<resource::tools::CellToolEndpoint> seat_;  // shared with the run that goes on
};

}  // namespace belljar::run
