// Conversion of values to and from PostgreSQL's formats: text format, except for bytes.
#pragma once

#include <string>
#include <vector>

#include "foundation/storage/libpq.h"
#include "resource/database/job.h"

namespace belljar::resource::database {

// Parameters in the form that PQsendQueryPrepared takes. The server knows their types from the
// statement.
class PostgresParams {
 public:
  static Result<PostgresParams> From(const json::array& params);

  int count() const { return static_cast<int>(texts_.size()); }
  // The pointers refer to this object.
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

}  // namespace belljar::resource::database
