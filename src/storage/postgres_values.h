// Values on their way to and from PostgreSQL: numbers and text as text, bytes as bytes.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "storage/database.h"
#include "storage/libpq.h"

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
  std::vector<std::string> numbers_;  // what the values of numbers point into
};

// One row of a result in text form. Whole numbers of every width, and truth, are std::int64_t, as
// SQLite has them; so is what sum() makes of them, if it fits.
Result<Row> ReadRow(const Libpq& pq, const PGresult* result, int row);

}  // namespace belljar::storage
