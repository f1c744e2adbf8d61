// Writer: makes records durable, many at a time, and folds them into tiles behind the callers'
// backs.
//
// Append() returns when its record is on the disk. Of the callers that wait, the first writes the
// records of all as one batch with one turn of the disk (group commit); the others find theirs
// done. There is no thread between a caller and the disk, so that a lone caller pays for nothing
// else.
//
// One thread folds: when the file in use is half full, when a record has waited for `fold_after`,
// or when somebody asks. It hands the callers the other pending file first, so that they go on
// meanwhile. When a fold fails (a full disk) the records stay where they are, durable, and it is
// tried again; when both files are full, Append() fails with the reason of the fold.
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

#include "audit/entry.h"
#include "audit/files.h"
#include "audit/folder.h"
#include "audit/pending.h"
#include "base/result.h"

namespace belljar::audit {

// Where a record is: its index, and its leaf hash in hex.
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

  // One position for each, one behind the other.
  Result<std::vector<Position>> Append(std::span<const Prepared> prepared);
  // The body is durable no later than the next record appended after this call.
  Result<> PutBody(const std::string& digest, std::string_view bytes);
  // A body that is not in its file yet.
  std::optional<std::string> FreshBody(const std::string& digest) const;

  // Everything appended before the call is under a signed checkpoint when it returns.
  Result<> FoldNow();
  // Ends appending, and folds what there is.
  Result<> Stop();

  std::uint64_t size() const;    // records that are durable
  std::uint64_t folded() const;  // records under the last checkpoint
  // Durable records from `index` on that are not folded; fewer than `limit` or just that many.
  std::vector<std::string> Unfolded(std::uint64_t index, std::size_t limit) const;
  // Waits until there are more than `size` records, or for `stop`.
  void WaitForMore(std::uint64_t size, const std::stop_token& stop) const;
  // So many records are in the database; told to whoever verifies the pending files.
  void SetIndexed(std::uint64_t indexed);

 private:
  struct Waiting {
    explicit Waiting(const Prepared* what) : prepared(what) {}
    const Prepared* prepared;
    std::optional<Result<Position>> result;
    std::condition_variable turn;
  };
  using Lock = std::unique_lock<std::mutex>;
  // By digest. Thousands of names that begin alike: a tree compares a dozen of them.
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
  std::condition_variable changed_;            // anything that WaitForRoom and the like wait for
  mutable std::condition_variable_any grown_;  // there are more records
  std::condition_variable fold_wanted_;
  std::deque<Waiting*> queue_;
  bool leading_ = false;  // somebody writes for all
  bool writing_ = false;  // and is at the file right now
  bool closed_ = false;   // no record is taken any more
  bool stopped_ = false;  // and nothing is folded
  bool fold_asked_ = false;

  std::array<PendingFile, 2> pending_;
  std::size_t active_ = 0;           // the file that takes new records
  std::uint64_t folded_ = 0;         // records under the last checkpoint
  std::uint64_t boundary_ = 0;       // records before this are in tiles or in the other file
  std::deque<std::string> entries_;  // from `folded_` on
  std::uint64_t indexed_ = 0;
  std::optional<std::chrono::steady_clock::time_point>
      oldest_;  // when the file in use got its first

  BodyMap fresh_;    // bodies for the next batch
  BodyMap leaving_;  // in the batch that is being written
  BodyMap durable_;  // in the file in use
  BodyMap folding_;  // in the other one
  std::size_t fresh_bytes_ = 0;
  std::unordered_map<std::string, std::chrono::steady_clock::time_point>
      stored_;  // lately put into files

  Folder folder_;  // used by the folding thread alone
  std::uint64_t fold_rounds_ = 0;
  std::optional<Error> fold_error_;  // of the last round
  std::jthread folder_thread_;       // last: it uses all of the above
};

}  // namespace belljar::audit
