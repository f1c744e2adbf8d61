// PostgresConnection: one connection to a server, and one statement at a time on it.
//
// The socket is non-blocking, so that every wait is bounded: a server that has been stopped, or a
// network that drops packets, ends as an error. The server itself gets the same limits a little
// shorter, so that usually the server gives up first and the connection stays usable.
//
// A connection that has failed is never repaired: `usable()` turns false, and its owner opens
// another. Not thread-safe.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "foundation/storage/database.h"
#include "foundation/storage/libpq.h"
#include "foundation/storage/postgres_values.h"

namespace belljar::storage {

class PostgresConnection {
 public:
  static Result<std::unique_ptr<PostgresConnection>> Open(const Libpq& pq, const std::string& url,
                                                          const Options& options);
  PostgresConnection(const PostgresConnection&) = delete;
  PostgresConnection& operator=(const PostgresConnection&) = delete;

  // False when the connection has failed, or the server has closed it meanwhile. Sends nothing.
  bool usable();
  bool in_transaction() const;
  const std::string& name() const { return name_; }

  // The server's summary of a completed statement.
  struct Answer {
    std::string tag;  // such as "INSERT 0 1" or "COMMIT"
    std::uint64_t touched = 0;
  };
  // `rows` may be null: the rows are then discarded.
  Result<Answer> Run(const std::string& sql, const PostgresParams& params, std::vector<Row>* rows,
                     std::chrono::milliseconds limit);
  // Runs several statements; the answer is that of the last one.
  Result<Answer> Script(const std::string& sql, std::chrono::milliseconds limit);

 private:
  struct Finish {
    const Libpq* pq;
    void operator()(PGconn* connection) const { pq->PQfinish(connection); }
  };
  struct Clear {
    const Libpq* pq;
    void operator()(PGresult* result) const { pq->PQclear(result); }
  };
  using ResultPtr = std::unique_ptr<PGresult, Clear>;
  using Time = std::chrono::steady_clock;

  PostgresConnection(const Libpq& pq, PGconn* connection);
  Result<> Greet(const Options& options);
  Result<> Flush(Time::time_point deadline);
  Result<> Await(short events, Time::time_point deadline);
  Result<ResultPtr> Next(Time::time_point deadline);
  Result<Answer> Collect(std::vector<Row>* rows, std::chrono::milliseconds limit);
  Result<> Take(const PGresult* result, std::vector<Row>* rows, Answer& answer);
  Error Lost(std::string_view how);
  Error Failure(const PGresult* result);

  const Libpq pq_;
  std::unique_ptr<PGconn, Finish> connection_;
  std::string name_;
  bool failed_ = false;
};

}  // namespace belljar::storage
