// The SQLite kind of Database: a file with its write-ahead log, and one connection.
#pragma once

#include <memory>
#include <string>

#include "foundation/storage/database.h"

namespace belljar::storage {

// `path` must be absolute.
Result<std::unique_ptr<Database>> OpenSqlite(const std::string& path, const Options& options);

}  // namespace belljar::storage
