// PostgresServer: a real PostgreSQL for tests, from Debian's package, in a directory of its own.
//
// It listens on a Unix socket in that directory and on nothing else. As root it runs as the user
// `postgres`, because PostgreSQL refuses root. The server stops when this object is destroyed, or
// when the thread that started it ends, if that is earlier; the directory is removed too.
//
// Starting one takes a second or two: tests use Shared(), each with a NewPlace() of its own.
#pragma once

#include <sys/types.h>

#include <string>

#include "foundation/base/result.h"

namespace belljar::storage {

class PostgresServer {
 public:
  // The server of this test program, started on first use.
  static PostgresServer& Shared();

  PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;
  ~PostgresServer();

  // The URL of a new, empty place for tables: a schema of its own, which is created faster than a
  // database.
  std::string NewPlace();
  std::string url() const;

  // PostgreSQL's "fast" shutdown: connections are cut, transactions rolled back.
  void Stop();
  void Start();
  // Freeze() stops every process of the server with SIGSTOP; Thaw() continues them.
  void Freeze() const;
  void Thaw() const;

 private:
  Result<> Initialise();
  [[noreturn]] void Stumble(const std::string& what);
  Result<pid_t> Spawn(const std::string& program, const std::string& arguments) const;
  void SignalAll(int signal) const;

  std::string binaries_;
  std::string dir_;
  uid_t uid_ = 0;
  gid_t gid_ = 0;
  pid_t pid_ = -1;
  int places_ = 0;
};

}  // namespace belljar::storage
