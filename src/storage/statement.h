// What both kinds of Database check before anything is sent, so that neither accepts what the
// other could not.
#pragma once

#include <span>
#include <string_view>

#include "base/result.h"
#include "storage/database.h"

namespace belljar::storage {

// Counts and sizes; text that is UTF-8 without NUL; numbers that are numbers.
Result<> CheckParams(std::span<const Value> params);

// Refuses BEGIN, COMMIT and their like, which would end or open a transaction behind
// Database::Transaction's back, and placeholders that are not exactly $1 to $`params`. A guard
// against mistakes: statement texts are never a caller's.
Result<> CheckStatement(std::string_view sql, std::size_t params);

// Counts what a query has brought so far, and refuses what is too much.
class ResultMeter {
 public:
  Result<> Count(const Row& row);

 private:
  std::size_t rows_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace belljar::storage
