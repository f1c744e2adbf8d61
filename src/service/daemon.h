// Daemon: owns all parts of `belljar serve`, and creates and destroys them in order.
//
// There is one daemon per state directory: a file lock ensures it, and a second one is refused.
// Cells of a killed daemon die with it, since each ends when its supervisor's socket closes; their
// control groups are removed at the next start.
//
// Stopping: new runs are answered with 503; running ones finish or are cut off after the grace
// period (and answered as cancelled); sessions end and their workspaces are kept; the log is sealed
// by a signed checkpoint.
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
  // Creates the HTTP routes. The service outlives the router.
  std::function<Result<http::server::Router>(Service&)> make_router;
  // Engine options; the state directory is also the daemon's, the log is set by the daemon.
  run::Options engine;
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
  // The number of sessions left by a previous daemon that was killed.
  std::size_t orphans() const;

  // Starts serving; connections are accepted when it returns.
  Result<> Start();
  // Applies the settings that can change at run time, and returns the names of changed settings
  // that need a restart.
  std::vector<std::string> Reload(const config::Settings& wanted, run::Terms terms);
  // Stops in order. When `hurry` becomes readable the grace period ends at once.
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

// The default address of a daemon: a socket in the runtime directory.
std::string DefaultSocket(const std::string& state_dir);

}  // namespace belljar::service
