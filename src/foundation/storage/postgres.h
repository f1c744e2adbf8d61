// The PostgreSQL kind of Database: one connection to a server, through libpq.
#pragma once

#include <memory>
#include <string>

#include "foundation/storage/database.h"

namespace belljar::storage {

Result<std::unique_ptr<Database>> OpenPostgres(const std::string& url, const Options& options);

}  // namespace belljar::storage
