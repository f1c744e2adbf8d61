// Transaction: one job in its database; destroying it without Commit() rolls it back.
//
// The database itself enforces that a read does not write; the text of a statement is never
// inspected for that. A write becomes durable only by Commit(). Each statement has its own
// connection or open file, which is not reused, so that settings, locks and temporary tables that a
// statement leaves behind disappear with it.
#pragma once

#include <memory>

#include "resource/database/job.h"

namespace belljar::resource::database {

class Transaction {
 public:
  virtual ~Transaction() = default;  // rolls back what was not committed

  // Must be called once.
  virtual Result<Answer> Run(const Job& job) = 0;
  virtual Result<> Commit() = 0;
  // May be called from another thread: the running statement soon ends with an error.
  virtual void Interrupt() = 0;
};

// Opens the database for the job's task.
Result<std::unique_ptr<Transaction>> Begin(const Job& job);
Result<std::unique_ptr<Transaction>> BeginSqlite(const Job& job);
Result<std::unique_ptr<Transaction>> BeginPostgres(const Job& job);

// Groups rows (schema, table, kind, column, type, nullable), in this order, into {"tables":
// [{"schema", "name", "kind", "columns": [{"name", "type", "nullable"}]}]}.
json::array GroupColumns(const json::array& rows);

}  // namespace belljar::resource::database
