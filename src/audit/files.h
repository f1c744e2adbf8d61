// LogFiles: the door to the file system for everything the log writes, and the place where a test
// can stand.
//
// The class as it stands makes system calls. A test derives from it and lets a call fail
// (files_fake.h). Reading needs no seam: what a test wants to read damaged it can damage.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/fd.h"
#include "base/result.h"

namespace belljar::audit {

class LogFiles {
 public:
  LogFiles() = default;
  LogFiles(const LogFiles&) = delete;
  LogFiles& operator=(const LogFiles&) = delete;
  virtual ~LogFiles() = default;

  virtual Result<> WriteAt(const Fd& file, std::string_view bytes, std::uint64_t offset,
                           std::string_view what) const;
  // Returns when what was written to `file` is on the disk.
  virtual Result<> SyncData(const Fd& file, std::string_view what) const;

  // Both at once. `through`, where there is one, is the same file by OpenThrough().
  virtual Result<> WriteThrough(const Fd& file, const Fd& through, std::string_view bytes,
                                std::uint64_t offset, std::string_view what) const;

  // A file with this content, and the directories above it. Not yet on the disk.
  virtual Result<Fd> Create(const std::string& path, std::string_view bytes, mode_t mode) const;
  // Returns when all of `files` are on the disk.
  virtual Result<> SyncFiles(std::span<const Fd> files, std::string_view what) const;
  // Returns when everything in the file system of `dir` is on the disk. A failure since `dir` was
  // opened is told.
  virtual Result<> SyncAll(const Fd& dir, std::string_view what) const;
  virtual Result<> Rename(const std::string& from, const std::string& to) const;
  // Returns when the names in the directory are on the disk.
  virtual Result<> SyncNames(const std::string& dir) const;
  // No error when there is no such file.
  virtual Result<> Remove(const std::string& path) const;
};

// The file for whole blocks that go to the disk past the page cache, each write waiting for it:
// half of what a write and fdatasync() take. None where the file system does not have it. `block`
// is what the file's first block holds, which is written once more to find out.
Fd OpenThrough(const std::string& path, std::string_view block);

struct NewFile {
  std::string path;  // below the root
  std::string bytes;
  mode_t mode = 0600;
};

// Puts every file in place of what had its name. Each is whole at any time, and all are on the
// disk when this returns. A failure may leave some replaced, and "*.new" files behind.
Result<> ReplaceFiles(const LogFiles& files, const std::string& root,
                      std::span<const NewFile> fresh);

constexpr std::string_view kUnfinished = ".new";  // the ending of a file on its way

}  // namespace belljar::audit
