// PostgresConnection: one connection to a server, and one statement at a time on it.
//
// Non-blocking underneath, so that every wait has an end: a server that has been stopped, or a
// network that swallows packets, ends as an error. The server is told the same limits and a
// little earlier, so that it is usually the server that gives up, and in order.
//
// A connection that has failed is never mended: `usable()` turns false, and its owner opens
// another. Not thread-safe.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "storage/database.h"
#include "storage/libpq.h"
#include "storage/postgres_values.h"

namespace belljar::storage {

class PostgresConnection {
 public:
  static Result<std::unique_ptr<PostgresConnection>> Open(const Libpq& pq, const std::string& url,
                                                          const Options& options);
  PostgresConnection(const PostgresConnection&) = delete;
  PostgresConnection& operator=(const PostgresConnection&) = delete;

  // False when it has failed, or the server has ended it meanwhile. Nothing is sent.
  bool usable();
  bool in_transaction() const;
  const std::string& name() const { return name_; }

  // What the server says when a statement is done.
  struct Answer {
    std::string tag;  // such as "INSERT 0 1" or "COMMIT"
    std::uint64_t touched = 0;
  };
  // `rows` may be null: then they are not kept.
  Result<Answer> Run(const std::string& sql, const PostgresParams& params, std::vector<Row>* rows,
                     std::chrono::milliseconds limit);
  // Several statements; the answer is the last one's.
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
