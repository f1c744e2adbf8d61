// Daemon: everything that `belljar serve` is, put together and taken apart in order.
//
// One daemon per state directory: a lock says so, and a second one is refused. Cells of a daemon
// that was killed have died with it, since each ends when its supervisor's socket closes; their
// control groups are removed at the next start.
//
// Stopping: no new connections, running runs finish or are cut at the grace, sessions end, the log
// is sealed.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "audit/entry.h"
#include "base/result.h"
#include "engine/engine.h"

namespace belljar::server {

struct DaemonOptions {
  engine::Options engine;           // its log is the daemon's own
  std::vector<std::string> listen;  // "unix:PATH", "HOST:PORT"
  std::string database;             // of the audit log's copy; empty: SQLite in the state directory
  std::size_t jobs = 0;             // runs at once; 0: twice the CPUs
  std::chrono::milliseconds grace{10'000};
  std::chrono::seconds keep_workspaces{24 * 3600};  // of sessions that ended unasked
};

class Daemon {
 public:
  static Result<std::unique_ptr<Daemon>> Create(const DaemonOptions& options,
                                                const image::OnProgress& on_progress);
  ~Daemon();

  std::vector<std::string> addresses() const;
  const std::string& token_file() const;
  const engine::Engine& engine() const;

  // Serves until `stop` becomes readable, then stops in order.
  Result<> Serve(int stop);

 private:
  struct Parts;
  explicit Daemon(std::unique_ptr<Parts> parts);
  static Result<> OpenStores(Parts& parts);
  static Result<> OpenKeeper(Parts& parts);
  static Result<> Assemble(Parts& parts);
  Result<> Note(audit::Event event);
  Result<> Stop();

  std::unique_ptr<Parts> parts_;
};

// Where a daemon listens unless told otherwise: a socket in the runtime directory.
std::string DefaultSocket(const std::string& state_dir);

}  // namespace belljar::server
