// The state directory of one Belljar installation, and the database in it.
#pragma once

#include <memory>
#include <string>

#include "foundation/base/result.h"
#include "foundation/storage/database.h"

namespace belljar::storage {

// Makes the directory, with mode 0700, if it is missing. An existing directory must be owned by
// this user and not writable by others; its mode is left unchanged, because it may serve other
// purposes too. Returns the absolute path.
Result<std::string> PrepareStateDir(const std::string& dir);

// Opens STATE/belljar.db; it is created with mode 0600 if it is missing.
Result<std::unique_ptr<Database>> OpenStateDatabase(const std::string& dir);

}  // namespace belljar::storage
