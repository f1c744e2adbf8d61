// Recovery: brings the log into a writable state after a clean stop or a crash.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "record/files.h"
#include "record/folder.h"
#include "record/pending.h"
#include "record/search_copy.h"

namespace belljar::record {

struct Recovered {
  Fd lock;  // an flock on the directory, held while it is open
  std::unique_ptr<SearchCopy> copy;
  Folder folder;                       // all durable records are in tiles and signed
  std::array<PendingFile, 2> pending;  // empty
};

// Creates the log if it does not exist. When it returns, the database holds every record.
Result<Recovered> Recover(const LogFiles& files, const std::string& state_dir,
                          const std::string& database);

// Copies the records [first, end) from the tiles into `copy`.
Result<> CopyFromTiles(const std::string& dir, std::uint64_t first, std::uint64_t end,
                       std::uint64_t size, SearchCopy& copy);

}  // namespace belljar::record
