// FaultyFiles: the real file system, until a test says otherwise.
//
// Single operations can be made to fail with a stated errno, as a full or a read-only disk makes
// them, and be mended again. Or everything stops after a number of operations, the last of which
// is done by half: what is on the disk then is what a crash at that point leaves.
#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <string>

#include "audit/files.h"

namespace belljar::audit {

class FaultyFiles : public LogFiles {
 public:
  // From now on `operation` ("write", "sync", "create", "rename", "names") fails with `sys`; 0
  // lets it pass again.
  void Fail(const std::string& operation, int sys);
  // The disk holds no more new files and takes no new names: ENOSPC. Blocks that a file has stay.
  void FillDisk();
  void MakeReadOnly();
  void Mend();

  // After `count` more operations nothing reaches the disk any more.
  void CrashAfter(int count) { left_ = count; }
  int done() const { return done_; }  // operations so far

  Result<> WriteAt(const Fd& file, std::string_view bytes, std::uint64_t offset,
                   std::string_view what) const override;
  Result<> SyncData(const Fd& file, std::string_view what) const override;
  // In two operations, so that one of them can fail.
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

}  // namespace belljar::audit
