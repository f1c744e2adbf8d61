// AccessAudit: records refused calls, and callers that were added or removed.
//
// A call is refused if its caller is unknown (401), lacks the permission (403) or exceeds a rate or
// quota (429). A refused call costs its sender nothing, so an attacker could fill the log with
// refusals, or make others wait for its disk. Therefore refusals are counted, and a thread records
// the counts. They are grouped by status, caller, peer, method and route: the first refusal of a
// group is recorded within a second, later ones together once a minute. The number of groups is
// bounded; refusals beyond the bound are grouped by status alone. Counts not yet recorded are lost
// when the daemon is killed.
//
// Changes of callers are queued in their database (callers/change_log.h), and are recorded within a
// second, or at the next start.
//
// Entries that cannot be recorded are kept and tried again. Thread-safe. Log and database must
// outlive this.
#pragma once

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "foundation/http/server/shared.h"
#include "foundation/storage/database.h"
#include "record/log.h"

namespace belljar::service {

class AccessAudit {
 public:
  static constexpr std::size_t kMostKinds = 256;
  static constexpr std::chrono::seconds kTogether{60};

  struct Options {
    std::function<void(const Error&)> on_trouble;  // called once per new message
    std::function<std::chrono::system_clock::time_point()> wall = std::chrono::system_clock::now;
    std::function<std::chrono::steady_clock::time_point()> steady = std::chrono::steady_clock::now;
  };
  // `changes` is the database of callers; its table must exist.
  AccessAudit(record::Log& log, storage::Database& changes, Options options);

  // Call it for every answer; it counts those that are refusals. Never waits for a disk.
  void Answered(const http::server::Served& served);

  // One round of the periodic work, run every second.
  void Round();
  // Records everything counted so far; the last call before destruction.
  void Close();

 private:
  using Sort = std::tuple<unsigned, std::string, std::string, std::string, std::string>;
  struct Tally {
    std::uint64_t count = 0;
    std::int64_t first_ms = 0, last_ms = 0;
    std::string run_id, correlation_id, traceparent;  // of the first refusal
  };
  using Tallies = std::map<Sort, Tally>;

  Sort SortOf(const http::server::Served& served) const;
  Tallies TakeDue(std::chrono::seconds together);
  void PutBack(const Tallies& tallies);
  void RecordRefusals(std::chrono::seconds together);
  Result<> RecordChanges();
  void Report(const Result<>& done, std::string& last);

  record::Log& log_;
  storage::Database& changes_;
  const Options options_;
  std::mutex rounds_;  // serialises rounds
  std::string refusal_trouble_, change_trouble_;

  std::mutex mutex_;
  Tallies tallies_;
  std::map<Sort, std::chrono::steady_clock::time_point> recorded_;  // within the last minute
  std::condition_variable_any wake_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace belljar::service
