// Values on their way to and from PostgreSQL, all of them as text but bytes.
#pragma once

#include <string>
#include <vector>

#include "database/job.h"
#include "storage/libpq.h"

namespace belljar::database {

// In the form PQsendQueryPrepared takes. The server knows their types from the statement.
class PostgresParams {
 public:
  static Result<PostgresParams> From(const json::array& params);

  int count() const { return static_cast<int>(texts_.size()); }
  // Borrowed from this.
  std::vector<const char*> values() const;
  std::vector<int> lengths() const;
  const int* formats() const { return formats_.data(); }

 private:
  Result<> Add(const json::value& param);
  std::vector<std::string> texts_;
  std::vector<bool> null_;
  std::vector<int> formats_;
};

json::array ColumnsOf(const storage::Libpq& pq, const PGresult* result);
Result<json::array> RowOf(const storage::Libpq& pq, const PGresult* result, int row);

}  // namespace belljar::database
