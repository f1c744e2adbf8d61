// CopyFeeder: copies new records from the log into the search database, asynchronously.
//
// Appending to the log never waits for the database. After a failure (database locked, full,
// unreachable) the copy is retried until it succeeds, and searches report the error meanwhile; no
// record is skipped.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "foundation/base/result.h"
#include "record/search_copy.h"
#include "record/writer.h"

namespace belljar::record {

class CopyFeeder {
 public:
  // `copy` must already hold every record that `writer` has now. Both must outlive the feeder.
  CopyFeeder(Writer& writer, std::string dir, SearchCopy& copy);
  ~CopyFeeder();

  // Waits until everything appended before the call is in the database.
  Result<> CatchUp(std::chrono::milliseconds patience);

 private:
  void Feed(const std::stop_token& stop);
  Result<> FeedSome();
  void Pause(std::chrono::milliseconds pause);

  Writer& writer_;
  const std::string dir_;
  SearchCopy& copy_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::uint64_t indexed_;
  std::optional<Error> error_;
  bool hurry_ = false;  // a caller waits in CatchUp()
  bool stopped_ = false;
  std::jthread thread_;  // last member: the thread uses all members above
};

}  // namespace belljar::record
