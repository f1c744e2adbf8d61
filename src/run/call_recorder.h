// CallRecorder: group commit for the audit records of calls, in order.
//
// The record of a call must be durable before its run is answered, which Flush() ensures. One
// thread appends the records collected over kTogether in one disk write, so that a program that
// makes many calls does not wait for the disk at each. After a failed write, further calls are
// refused until a write succeeds.
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

  // Blocks only when kMostWaiting records are queued. A returned error is that of an earlier write;
  // this entry is queued nevertheless.
  Result<> Add(record::Entry entry);
  // Returns when everything added before is durable.
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
  std::size_t flushing_ = 0;  // threads waiting in Flush()
  std::optional<Error> trouble_;
  std::jthread thread_;  // started with the first record
};

}  // namespace belljar::run
