// LogFiles: the interface to the file system for everything the log writes, so that tests can
// inject faults.
//
// This class makes the real system calls. A test derives from it and makes single calls fail
// (files_fake.h). Reading needs no such interface: a test can damage the files themselves.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"

namespace belljar::record {

class LogFiles {
 public:
  LogFiles() = default;
  LogFiles(const LogFiles&) = delete;
  LogFiles& operator=(const LogFiles&) = delete;
  virtual ~LogFiles() = default;

  virtual Result<> WriteAt(const Fd& file, std::string_view bytes, std::uint64_t offset,
                           std::string_view what) const;
  // Returns when the data written to `file` is on the disk (fdatasync).
  virtual Result<> SyncData(const Fd& file, std::string_view what) const;

  // WriteAt() and SyncData() in one call. `through`, if open, is a descriptor of the same file from
  // OpenThrough().
  virtual Result<> WriteThrough(const Fd& file, const Fd& through, std::string_view bytes,
                                std::uint64_t offset, std::string_view what) const;

  // Creates a file with this content, and missing directories above it. Does not sync.
  virtual Result<Fd> Create(const std::string& path, std::string_view bytes, mode_t mode) const;
  // Returns when all of `files` are on the disk.
  virtual Result<> SyncFiles(std::span<const Fd> files, std::string_view what) const;
  // Returns when the whole file system that contains `dir` is on the disk (syncfs). Reports also
  // write errors that happened since `dir` was opened.
  virtual Result<> SyncAll(const Fd& dir, std::string_view what) const;
  virtual Result<> Rename(const std::string& from, const std::string& to) const;
  // Returns when the directory's entries are on the disk (fsync of the directory).
  virtual Result<> SyncNames(const std::string& dir) const;
  // A missing file is no error.
  virtual Result<> Remove(const std::string& path) const;
};

// Opens the file for synchronous direct I/O (O_DIRECT | O_DSYNC) of whole blocks, which takes half
// the time of a write and fdatasync(). Returns a closed Fd where the file system does not support
// it. `block` is the current content of the file's first block, which is rewritten as a probe.
Fd OpenThrough(const std::string& path, std::string_view block);

struct NewFile {
  std::string path;  // relative to the root
  std::string bytes;
  mode_t mode = 0600;
};

// Replaces every file atomically (temporary file, sync, rename), and returns when all are on the
// disk. A failure may leave some files replaced and temporary "*.new" files behind.
Result<> ReplaceFiles(const LogFiles& files, const std::string& root,
                      std::span<const NewFile> fresh);

constexpr std::string_view kUnfinished = ".new";  // suffix of temporary files

}  // namespace belljar::record
