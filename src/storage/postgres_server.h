// PostgresServer: a real PostgreSQL for tests, from Debian's package, in a directory of its own.
//
// It listens on a Unix socket in that directory and on nothing else. As root it runs as the user
// `postgres`, because PostgreSQL refuses root. It ends with this object, and with the thread that
// made it should that end first; the directory goes too.
//
// Starting one takes a second or two: tests share Shared(), and take a place each.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/result.h"

namespace belljar::storage {

class PostgresServer {
 public:
  // The one of this test program, started on first use.
  static PostgresServer& Shared();

  PostgresServer();
  PostgresServer(const PostgresServer&) = delete;
  PostgresServer& operator=(const PostgresServer&) = delete;
  ~PostgresServer();

  // The URL of a new, empty place: a schema of its own, which takes less time to make than a
  // database of its own.
  std::string NewPlace();
  std::string url() const;

  // "Fast": connections are cut, transactions rolled back.
  void Stop();
  void Start();
  // Freezes every process of the server, and lets them go on.
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
