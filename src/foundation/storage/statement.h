// Checks that both kinds of Database make before a statement is sent, so that neither accepts what
// the other would refuse.
#pragma once

#include <span>
#include <string_view>

#include "foundation/base/result.h"
#include "foundation/storage/database.h"

namespace belljar::storage {

// Checks the number and size of parameters, that text is UTF-8 without NUL, and that numbers are
// finite.
Result<> CheckParams(std::span<const Value> params);

// Refuses BEGIN, COMMIT and similar statements, which would begin or end a transaction without
// Database::Transaction knowing, and placeholders that are not exactly $1 to $`params`. This guards
// against programming mistakes: statement texts never come from a caller.
Result<> CheckStatement(std::string_view sql, std::size_t params);

// Counts the rows and bytes that a query has returned so far, and fails above the limits.
class ResultMeter {
 public:
  Result<> Count(const Row& row);

 private:
  std::size_t rows_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace belljar::storage
