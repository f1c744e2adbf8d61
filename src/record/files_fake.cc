#include "record/files_fake.h"

#include "foundation/base/sys.h"

namespace belljar::record {

void FaultyFiles::Fail(const std::string& operation, int sys) {
  const std::lock_guard guard(mutex_);
  failing_[operation] = sys;
}

void FaultyFiles::FillDisk() {
  Fail("create", ENOSPC);
  Fail("rename", ENOSPC);
}

void FaultyFiles::MakeReadOnly() {
  for (const char* const operation : {"write", "create", "rename"}) Fail(operation, EROFS);
}

void FaultyFiles::Mend() {
  const std::lock_guard guard(mutex_);
  failing_.clear();
}

FaultyFiles::Fate FaultyFiles::Next() const {
  ++done_;
  if (left_ < 0) return Fate::kWhole;
  const int left = left_.fetch_sub(left_ > 0 ? 1 : 0);
  return left > 1 ? Fate::kWhole : left == 1 ? Fate::kHalf : Fate::kNothing;
}

Result<> FaultyFiles::Allowed(const std::string& operation, std::string_view what) const {
  const std::lock_guard guard(mutex_);
  const auto failing = failing_.find(operation);
  if (failing == failing_.end() || failing->second == 0) return {};
  return SysError(operation, what, failing->second);
}

Result<> FaultyFiles::WriteAt(const Fd& file, std::string_view bytes, std::uint64_t offset,
                              std::string_view what) const {
  BJ_TRY(Allowed("write", what));
  const Fate fate = Next();
  if (fate == Fate::kWhole) return LogFiles::WriteAt(file, bytes, offset, what);
  if (fate == Fate::kHalf) {
    BJ_TRY(LogFiles::WriteAt(file, bytes.substr(0, bytes.size() / 2), offset, what));
  }
  return SysError("write", what, EIO);
}

Result<> FaultyFiles::SyncData(const Fd& file, std::string_view what) const {
  BJ_TRY(Allowed("sync", what));
  if (Next() != Fate::kWhole) return SysError("sync", what, EIO);
  return LogFiles::SyncData(file, what);
}

Result<> FaultyFiles::WriteThrough(const Fd& file, [[maybe_unused]] const Fd& through,
                                   std::string_view bytes, std::uint64_t offset,
                                   std::string_view what) const {
  BJ_TRY(WriteAt(file, bytes, offset, what));
  return SyncData(file, what);
}

Result<Fd> FaultyFiles::Create(const std::string& path, std::string_view bytes, mode_t mode) const {
  BJ_TRY(Allowed("create", path));
  const Fate fate = Next();
  if (fate == Fate::kWhole) return LogFiles::Create(path, bytes, mode);
  if (fate == Fate::kHalf) BJ_TRY(LogFiles::Create(path, bytes.substr(0, bytes.size() / 2), mode));
  return SysError("create", path, EIO);
}

Result<> FaultyFiles::SyncFiles(std::span<const Fd> files, std::string_view what) const {
  BJ_TRY(Allowed("sync", what));
  if (Next() != Fate::kWhole) return SysError("sync", what, EIO);
  return LogFiles::SyncFiles(files, what);
}

Result<> FaultyFiles::SyncAll(const Fd& dir, std::string_view what) const {
  BJ_TRY(Allowed("sync", what));
  if (Next() != Fate::kWhole) return SysError("sync", what, EIO);
  return LogFiles::SyncAll(dir, what);
}

Result<> FaultyFiles::Rename(const std::string& from, const std::string& to) const {
  BJ_TRY(Allowed("rename", to));
  if (Next() != Fate::kWhole) return SysError("rename", to, EIO);
  return LogFiles::Rename(from, to);
}

Result<> FaultyFiles::SyncNames(const std::string& dir) const {
  BJ_TRY(Allowed("names", dir));
  if (Next() != Fate::kWhole) return SysError("names", dir, EIO);
  return LogFiles::SyncNames(dir);
}

Result<> FaultyFiles::Remove(const std::string& path) const {
  if (Next() != Fate::kWhole) return SysError("remove", path, EIO);
  return LogFiles::Remove(path);
}

}  // namespace belljar::record
