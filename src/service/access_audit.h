// AccessAudit: what happens at the door, recorded: calls that were refused, and callers that were
// let in or put out.
//
// Refused is who is not known (401), may not (403) or asks for too much (429). Whoever is refused
// costs nothing to refuse, and could so fill the log, or make others wait for its disk. So refusals
// are counted, and a thread records the counts. They are counted by status, caller, peer, method
// and route: the first of a kind is recorded within a second, those that follow together, once a
// minute. There are only so many kinds at a time; what is beyond them is counted by its status
// alone. What is counted and not yet recorded is lost when the daemon is killed.
//
// Changes of callers wait in their database (callers/change_log.h), and are recorded within a
// second, or at the next start.
//
// What cannot be recorded is kept and tried again. Thread-safe. Log and database must outlive it.
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
    std::function<void(const Error&)> on_trouble;  // told once for each new sentence
    std::function<std::chrono::system_clock::time_point()> wall = std::chrono::system_clock::now;
    std::function<std::chrono::steady_clock::time_point()> steady = std::chrono::steady_clock::now;
  };
  // `changes` is where callers are kept; the table must be there.
  AccessAudit(record::Log& log, storage::Database& changes, Options options);

  // For every answer; counts those that are refusals. Never waits for a disk.
  void Answered(const http::server::Served& served);

  // One round of what is done every second.
  void Round();
  // The last: everything that is counted is recorded now.
  void Close();

 private:
  using Sort = std::tuple<unsigned, std::string, std::string, std::string, std::string>;
  struct Tally {
    std::uint64_t count = 0;
    std::int64_t first_ms = 0, last_ms = 0;
    std::string run_id, correlation_id, traceparent;  // of the first
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
  std::mutex rounds_;  // one at a time
  std::string refusal_trouble_, change_trouble_;

  std::mutex mutex_;
  Tallies tallies_;
  std::map<Sort, std::chrono::steady_clock::time_point> recorded_;  // within the last minute
  std::condition_variable_any wake_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace belljar::service
