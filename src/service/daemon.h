// Daemon: everything that `belljar serve` is, put together and taken apart in order.
//
// One daemon per state directory: a lock says so, and a second one is refused. Cells of a daemon
// that was killed have died with it, since each ends when its supervisor's socket closes; their
// control groups are removed at the next start.
//
// Stopping: new runs are answered 503, running ones finish or are cut at the grace (and answered as
// cancelled), sessions end with their workspaces kept, the log is sealed under a signed checkpoint.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "foundation/base/result.h"
#include "foundation/http/server/router.h"
#include "foundation/log/logger.h"
#include "record/entry.h"
#include "run/engine.h"
#include "service/config/settings.h"

namespace belljar::service {

struct Service;

struct DaemonOptions {
  // What is served over HTTP. The service outlives the router.
  std::function<Result<http::server::Router>(Service&)> make_router;
  run::Options engine;        // its state directory is the daemon's; its log is the daemon's own
  config::Settings settings;  // with at least one address to listen on
  bool record_runs = true;
};

class Daemon {
 public:
  // The journal must outlive it.
  static Result<std::unique_ptr<Daemon>> Create(const DaemonOptions& options, log::Journal& journal,
                                                const cell::image::OnProgress& on_progress);
  ~Daemon();

  std::vector<std::string> addresses() const;
  const std::string& token_file() const;
  const run::Engine& engine() const;
  // Sessions of a daemon before this one that was killed.
  std::size_t orphans() const;

  // Serves from when it returns on.
  Result<> Start();
  // Takes over what can change while running, and returns the names of what cannot but would have.
  std::vector<std::string> Reload(const config::Settings& wanted, run::Terms terms);
  // Stops in order. When `hurry` becomes readable the grace is over at once.
  Result<> Stop(int hurry);

 private:
  struct Parts;
  explicit Daemon(std::unique_ptr<Parts> parts);
  static Result<> OpenStores(Parts& parts);
  static Result<> OpenArchive(Parts& parts);
  static Result<> Assemble(Parts& parts);
  static Result<> Listen(Parts& parts);
  Result<> Note(record::Event event, json::object detail);
  Result<> NoteRecovery();
  void NotePolicy(const run::Terms& terms);
  bool AwaitRuns(std::chrono::steady_clock::time_point deadline, int hurry);

  std::unique_ptr<Parts> parts_;
};

// Where a daemon listens unless told otherwise: a socket in the runtime directory.
std::string DefaultSocket(const std::string& state_dir);

}  // namespace belljar::service
