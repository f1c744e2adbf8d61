// CopyFeeder: carries new records from the log into the database, a step behind.
//
// Nobody waits for the database when appending. A failure (locked, full, out of reach) is kept for
// those who search, and tried again until it goes away; no record is skipped.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "audit/search_copy.h"
#include "audit/writer.h"
#include "base/result.h"

namespace belljar::audit {

class CopyFeeder {
 public:
  // `copy` has every record that `writer` has now. Both must outlive the feeder.
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
  bool hurry_ = false;  // somebody waits
  bool stopped_ = false;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace belljar::audit
