#include "resource/database/transaction.h"

namespace belljar::resource::database {

Result<std::unique_ptr<Transaction>> Begin(const Job& job) {
  return job.place.engine == Engine::kSqlite ? BeginSqlite(job) : BeginPostgres(job);
}

json::array GroupColumns(const json::array& rows) {
  json::array tables;
  for (const json::value& each : rows) {
    const json::array& row = each.get_array();
    const bool same = !tables.empty() && tables.back().at("schema") == row[0] &&
                      tables.back().at("name") == row[1];
    if (!same) {
      tables.push_back(
          {{"schema", row[0]}, {"name", row[1]}, {"kind", row[2]}, {"columns", json::array()}});
    }
    const bool nullable = row[5] == json::value(true) || row[5] == json::value(1);
    tables.back().at("columns").as_array().push_back(
        {{"name", row[3]}, {"type", row[4]}, {"nullable", nullable}});
  }
  return tables;
}

}  // namespace belljar::resource::database
