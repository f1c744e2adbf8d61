// Writer: makes records durable in batches (group commit), and folds them into tiles in the
// background.
//
// Append() returns when its record is on the disk. The first caller that waits becomes the leader:
// it writes the records of all waiting callers as one batch with one disk sync, and the others find
// theirs done. No thread stands between a caller and the disk, so a lone caller pays no hand-over.
//
// One background thread folds: when the file in use is half full, when a record has waited for
// `fold_after`, or on request. It first switches the callers to the other pending file, so that
// they can continue meanwhile. When a fold fails (a full disk), the records stay durable in the
// pending file and the fold is retried; when both files are full, Append() fails with the fold's
// error.
//
// Thread-safe.
#pragma once

#include <array>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include "foundation/base/result.h"
#include "record/entry.h"
#include "record/files.h"
#include "record/folder.h"
#include "record/pending.h"

namespace belljar::record {

// The position of a record: its index, and its leaf hash in hexadecimal.
struct Position {
  std::uint64_t index = 0;
  std::string hash;
};

class Writer {
 public:
  // Both pending files must be empty.
  Writer(const LogFiles& files, std::string state_dir, Folder folder,
         std::array<PendingFile, 2> pending, std::chrono::milliseconds fold_after);
  ~Writer();

  // Appends all, with consecutive indexes; returns one position for each.
  Result<std::vector<Position>> Append(std::span<const Prepared> prepared);
  // Stores a body; it is durable no later than the next record appended after this call.
  Result<> PutBody(const std::string& digest, std::string_view bytes);
  // A body that is only in memory or in a pending file so far; nullopt for others.
  std::optional<std::string> FreshBody(const std::string& digest) const;

  // Returns when everything appended before the call is under a signed checkpoint.
  Result<> FoldNow();
  // Stops appending and folds all pending records.
  Result<> Stop();

  std::uint64_t size() const;    // records that are durable
  std::uint64_t folded() const;  // records under the last checkpoint
  // At most `limit` durable records from `index` on that are not folded yet.
  std::vector<std::string> Unfolded(std::uint64_t index, std::size_t limit) const;
  // Blocks until there are more than `size` records, or until `stop`.
  void WaitForMore(std::uint64_t size, const std::stop_token& stop) const;
  // Sets how many records are in the database; stored in each batch for the verifier.
  void SetIndexed(std::uint64_t indexed);

 private:
  struct Waiting {
    explicit Waiting(const Prepared* what) : prepared(what) {}
    const Prepared* prepared;
    std::optional<Result<Position>> result;
    std::condition_variable turn;
  };
  using Lock = std::unique_lock<std::mutex>;
  // By digest. A hash map, because in a tree the thousands of digests with a common prefix would
  // cost a dozen string comparisons each.
  using BodyMap = std::unordered_map<std::string, std::string>;

  void LeadOne(Lock& lock);
  std::vector<Waiting*> TakeTurn();
  Result<> WriteBatch(Lock& lock, Batch& batch);
  Result<> WaitForRoom(Lock& lock, const Batch& batch, std::string& bytes);
  void Finish(const std::vector<Waiting*>& turn, const Batch& batch, const Result<>& written);
  void RequestFold();
  void FoldLoop();
  Result<> FoldOnce(Lock& lock);
  bool FoldIsDue() const;
  void Remember(const BodyMap& bodies);

  const LogFiles& files_;
  const std::string state_dir_;
  const std::chrono::milliseconds fold_after_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;            // signals WaitForRoom and other waits on state
  mutable std::condition_variable_any grown_;  // signals new records
  std::condition_variable fold_wanted_;
  std::deque<Waiting*> queue_;
  bool leading_ = false;  // a leader is writing for all waiting callers
  bool writing_ = false;  // the leader is writing to the file right now
  bool closed_ = false;   // no more records are accepted
  bool stopped_ = false;  // the folding thread has stopped
  bool fold_asked_ = false;

  std::array<PendingFile, 2> pending_;
  std::size_t active_ = 0;           // index of the file that takes new records
  std::uint64_t folded_ = 0;         // records under the last checkpoint
  std::uint64_t boundary_ = 0;       // records before this are in tiles or in the inactive file
  std::deque<std::string> entries_;  // the records from `folded_` on
  std::uint64_t indexed_ = 0;
  std::optional<std::chrono::steady_clock::time_point>
      oldest_;  // when the active file got its first record

  BodyMap fresh_;    // bodies for the next batch
  BodyMap leaving_;  // bodies in the batch being written
  BodyMap durable_;  // bodies in the active file
  BodyMap folding_;  // bodies in the file being folded
  std::size_t fresh_bytes_ = 0;
  std::unordered_map<std::string, std::chrono::steady_clock::time_point>
      stored_;  // when bodies were last written to their files

  Folder folder_;  // used only by the folding thread
  std::uint64_t fold_rounds_ = 0;
  std::optional<Error> fold_error_;  // error of the last round, if it failed
  std::jthread folder_thread_;       // last member: the thread uses all members above
};

}  // namespace belljar::record
