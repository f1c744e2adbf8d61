// Transaction: one job in its database, not over until it is committed or goes away.
//
// What reads is held to reading by the database itself and never by what the text of a statement
// looks like; what writes becomes durable by Commit() alone. One statement is run in a transaction,
// on a connection or an open file of its own, and nothing of it is used again: what a statement may
// leave behind (settings, locks, temporary tables) goes with it.
#pragma once

#include <memory>

#include "database/job.h"

namespace belljar::database {

class Transaction {
 public:
  virtual ~Transaction() = default;  // takes back what was not committed

  // Once.
  virtual Result<Answer> Run(const Job& job) = 0;
  virtual Result<> Commit() = 0;
  // From another thread: what is under way ends soon, with an error.
  virtual void Interrupt() = 0;
};

// Opens the database for the job's task.
Result<std::unique_ptr<Transaction>> Begin(const Job& job);
Result<std::unique_ptr<Transaction>> BeginSqlite(const Job& job);
Result<std::unique_ptr<Transaction>> BeginPostgres(const Job& job);

// {"tables": [{"schema", "name", "kind", "columns": [{"name", "type", "nullable"}]}]} of the rows
// schema, table, kind, column, type, nullable, in order.
json::array GroupColumns(const json::array& rows);

}  // namespace belljar::database
