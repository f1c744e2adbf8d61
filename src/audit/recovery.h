// Recovery: from whatever a crash has left to a log that can be written to.
#pragma once

#include <array>
#include <memory>
#include <string>

#include "audit/files.h"
#include "audit/folder.h"
#include "audit/pending.h"
#include "audit/search_copy.h"
#include "base/fd.h"
#include "base/result.h"

namespace belljar::audit {

struct Recovered {
  Fd lock;  // on the directory; the log is ours as long as it is open
  std::unique_ptr<SearchCopy> copy;
  Folder folder;                       // everything durable is in tiles and signed
  std::array<PendingFile, 2> pending;  // empty
};

// Makes the log if there is none. The database has every record when it returns.
Result<Recovered> Recover(const LogFiles& files, const std::string& state_dir,
                          const std::string& database);

// Puts the records from `first` up to `end` into `copy`.
Result<> CopyFromTiles(const std::string& dir, std::uint64_t first, std::uint64_t end,
                       std::uint64_t size, SearchCopy& copy);

}  // namespace belljar::audit
