// LiveSession: a cell whose interpreter process stays alive between runs.
//
// Variables, imports, open files and the working directory persist because the process does. A run
// is sent to the process and ends when the guest says so or when a limit is exceeded. In the second
// case the guest is first interrupted and may survive; otherwise it is killed with its cell, which
// ends the session. What a run printed, displayed and raised is reported by the guest and is not
// trusted, as for any program; clock, counters and limits are the supervisor's.
//
// One run at a time: the owner of a LiveSession ensures this. workspace() and Kill() may be used
// concurrently with a run.
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

// The saved memory of a session's interpreter. The files are sealed (F_SEAL_*), so they cannot
// change any more.
struct SavedMemory {
  request::BackendKind backend = request::BackendKind::kNative;
  // Set for a session in a container; the members below are then unused.
  std::shared_ptr<const SavedContainer> container;
  std::shared_ptr<const Fd> file;
  std::shared_ptr<const Fd> base;  // the earlier save that the file is a delta of; may be null
  std::shared_ptr<cell::CellTemplate> copy_of;  // the template whose copies can be restored to it
  std::uint64_t runs = 0;                       // runs of the session up to the save
  std::uint64_t bytes = 0;
  std::uint64_t base_bytes = 0;
};

// The memory that such a file occupies now.
std::uint64_t BytesOf(const Fd& file);

class LiveSession {
 public:
  // Starts a session in a cell that waits for its first request. `shape` gives language,
  // environment and limits.
  static Result<std::unique_ptr<LiveSession>> Begin(cell::pool::PreparedCell prepared,
                                                    const request::Request& shape,
                                                    const cell::limits::CgroupSupport& support,
                                                    std::shared_ptr<Network> network);

  // Restores saved memory into a cell that waits for its first request. Its workspace already has
  // the contents of the time of the save.
  static Result<std::unique_ptr<LiveSession>> Resume(cell::pool::PreparedCell prepared,
                                                     const request::Request& shape,
                                                     const cell::limits::CgroupSupport& support,
                                                     const SavedMemory& memory,
                                                     cell::guest::RestoreAs as,
                                                     std::shared_ptr<Network> network);

  // Saves the interpreter; call it between two runs. A refusal (kInvalid) names what cannot be
  // saved, and changes nothing. `take_files` is called while nothing in the cell changes the files
  // it has written; containers are stored below `state_dir`.
  Result<SavedMemory> Save(std::uint64_t room, const std::string& state_dir,
                           const std::function<Result<>(const Fd& written)>& take_files);
  // The memory files that this session has created or was restored from, and that are still
  // referenced.
  std::vector<std::shared_ptr<const Fd>> Files();

  // Runs one statement and returns when it is over.
  Result<Observed> Execute(const Run& run);

  request::BackendKind backend() const { return backend_; }
  // Null: no network access.
  const std::shared_ptr<Network>& network() const { return network_; }
  const Fd& workspace() const { return prepared_.cell->workspace(); }
  // st_size of the empty workspace, if it began empty on a tmpfs.
  const std::optional<std::uint64_t>& size_when_empty() const { return size_when_empty_; }
  const cell::Cell& cell() const { return *prepared_.cell; }
  // The endpoint for the cell's tool calls; null: none.
  const std::shared_ptr<resource::tools::CellToolEndpoint>& seat() const { return seat_; }
  void TakeSeat(std::shared_ptr<resource::tools::CellToolEndpoint> seat) {
    seat_ = std::move(seat);
  }
  // The listing of the workspace after the last run. TakeLeft() returns it once; unset where there
  // was none.
  void KeepLeft(std::optional<Listing> left) { left_ = std::move(left); }
  std::optional<Listing> TakeLeft() { return std::exchange(left_, std::nullopt); }
  // Whether another run can be sent: the guest is alive and was not killed.
  bool alive() const { return alive_ && !HasGone(); }
  // Kills every process in the cell.
  void Kill() { prepared_.cell->Kill(); }
  // Hands over the cell to be torn down.
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
  // Processes the guest's messages; false on a protocol violation.
  bool Hear(std::string_view bytes, Observed& seen);
  Result<> WatchRun(const Run& run, cell::limits::Meter& meter, Observed& seen);

  cell::pool::PreparedCell prepared_;
  std::shared_ptr<Network> network_;  // shared: revocation holds it too
  request::Lang lang_;
  request::BackendKind backend_;
  std::uint64_t memory_limit_;
  std::optional<std::uint64_t> size_when_empty_;  // of the workspace
  cell::guest::SessionDialogue dialogue_;
  std::unique_ptr<cell::limits::Meter> meter_;
  std::optional<cell::guest::SessionEvent> answer_;  // the last answer outside a run
  std::uint64_t runs_ = 0;
  std::optional<Listing> left_;
  std::shared_ptr<const cell::guest::Guard> sent_guard_;  // the guard sent with the last run
  std::shared_ptr<const Fd> base_;                        // shared: with checkpoints
  std::uint64_t base_bytes_ = 0;                          // size of the base when it was sealed
  std::vector<std::weak_ptr<const Fd>> made_;
  bool leaving_ = false;  // the program is exiting by itself
  std::atomic<bool> alive_{true};
  std::shared_ptr<resource::tools::CellToolEndpoint> seat_;  // shared with the current run
};

}  // namespace belljar::run
