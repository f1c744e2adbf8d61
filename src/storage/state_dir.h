// The directory in which one Belljar keeps what outlives it, and the database in it.
#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "storage/database.h"

namespace belljar::storage {

// Makes the directory, with mode 0700, if it is not there. One that is there must be this user's
// and closed to the writing of others; its mode is left alone, since it may be anybody's idea of a
// directory. The absolute path comes back.
Result<std::string> PrepareStateDir(const std::string& dir);

// STATE/belljar.db, made with mode 0600 if it is not there.
Result<std::unique_ptr<Database>> OpenStateDatabase(const std::string& dir);

}  // namespace belljar::storage
