// FaultyFiles: the real file system with fault injection.
//
// A test can make an operation fail with a given errno, as a full or a read-only disk would, and
// undo that. Or it can simulate a crash: after a number of operations nothing is written any more,
// and the last operation is done by half.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>

#include "record/files.h"

namespace belljar::record {

class FaultyFiles : public LogFiles {
 public:
  // From now on `operation` ("write", "sync", "create", "rename", "names") fails with `sys`; with
  // `sys` 0 it succeeds again.
  void Fail(const std::string& operation, int sys);
  // Simulates a full disk: creating files and names fails with ENOSPC; existing blocks stay
  // writable.
  void FillDisk();
  void MakeReadOnly();
  void Mend();

  // Simulates a crash: after `count` more operations nothing reaches the disk.
  void CrashAfter(int count) { left_ = count; }
  int done() const { return done_; }  // operations so far

  Result<> WriteAt(const Fd& file, std::string_view bytes, std::uint64_t offset,
                   std::string_view what) const override;
  Result<> SyncData(const Fd& file, std::string_view what) const override;
  // Counts as two operations, so that each can fail alone.
  Result<> WriteThrough(const Fd& file, const Fd& through, std::string_view bytes,
                        std::uint64_t offset, std::string_view what) const override;
  Result<Fd> Create(const std::string& path, std::string_view bytes, mode_t mode) const override;
  Result<> SyncFiles(std::span<const Fd> files, std::string_view what) const override;
  Result<> SyncAll(const Fd& dir, std::string_view what) const override;
  Result<> Rename(const std::string& from, const std::string& to) const override;
  Result<> SyncNames(const std::string& dir) const override;
  Result<> Remove(const std::string& path) const override;

 private:
  enum class Fate { kWhole, kHalf, kNothing };
  Fate Next() const;
  Result<> Allowed(const std::string& operation, std::string_view what) const;

  mutable std::mutex mutex_;
  std::map<std::string, int> failing_;
  mutable std::atomic<int> left_{-1};  // -1: no crash
  mutable std::atomic<int> done_{0};
};

}  // namespace belljar::record
