// CallRecorder: records of calls that nobody has to wait for, each behind the one before.
//
// What became of a call is durable before its run is answered for: that is Flush(). One thread
// appends what has come together in kTogether, in one turn of the disk, so that a program that
// makes many calls does not wait for the disk at each. When it could not, the next ones are refused
// until one has succeeded.
//
// Thread-safe. The log must outlive it.
#pragma once

#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "record/log.h"

namespace belljar::run {

class CallRecorder {
 public:
  explicit CallRecorder(record::Log& log) : log_(log) {}
  ~CallRecorder();

  // Waits only where very much has come together. An error is that of an earlier one; this one is
  // tried nevertheless.
  Result<> Add(record::Entry entry);
  // Returns when all that was added before is durable.
  Result<> Flush();

 private:
  static constexpr std::size_t kMostWaiting = 1'000;
  static constexpr std::chrono::milliseconds kTogether{100};

  void Append(const std::stop_token& stop);

  record::Log& log_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::vector<record::Entry> waiting_;
  std::uint64_t added_ = 0;
  std::uint64_t done_ = 0;
  std::size_t flushing_ = 0;  // threads that wait
  std::optional<Error> trouble_;
  std::jthread thread_;  // started with the first record
};

}  // namespace belljar::run
