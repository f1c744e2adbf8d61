// Conversion of values to and from PostgreSQL's formats: numbers and text as text, bytes as binary.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "foundation/storage/database.h"
#include "foundation/storage/libpq.h"

namespace belljar::storage {

// Parameters in the form PQsendQueryParams takes. Borrows the text and bytes of `params`.
class PostgresParams {
 public:
  explicit PostgresParams(std::span<const Value> params);

  int count() const { return static_cast<int>(types_.size()); }
  const Oid* types() const { return types_.data(); }
  const char* const* values() const { return values_.data(); }
  const int* lengths() const { return lengths_.data(); }
  const int* formats() const { return formats_.data(); }

 private:
  std::vector<Oid> types_;
  std::vector<const char*> values_;
  std::vector<int> lengths_;
  std::vector<int> formats_;
  std::vector<std::string> numbers_;  // backing storage for the numbers in values_
};

// Reads one row of a result in text format. Integers of every width and booleans become
// std::int64_t, as SQLite returns them; so does the result of sum(), if it fits.
Result<Row> ReadRow(const Libpq& pq, const PGresult* result, int row);

}  // namespace belljar::storage
