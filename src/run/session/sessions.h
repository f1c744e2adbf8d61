// Sessions: cells whose interpreters live from run to run, and what their callers do with them.
//
// A statement takes its turn at the session and goes the way of any request (pipeline.h). A session
// ends by being ended, by its program's exit, by a run that had to be killed, by a budget that is
// used up, or by lying idle for too long. What becomes of it besides is in the parts: the table of
// those that live, checkpoints, pauses, and what is taken away from them.
//
// Thread-safe. Engine, trees and archive must outlive this; its end is that of all sessions.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "run/engine.h"
#include "run/session/checkpoints.h"
#include "run/session/pauses.h"
#include "run/session/revocations.h"
#include "run/session/table.h"
#include "run/snapshot/store.h"

namespace belljar::run {

class Sessions {
 public:
  // `archive` may be null.
  Sessions(Engine& engine, snapshot::Store& trees, const SessionBounds& bounds,
           SessionArchive* archive);

  Result<SessionInfo> Create(const std::string& caller, SessionWish wish);
  // What a session was made with.
  Result<request::Request> Shape(const std::string& caller, const std::string& handle);
  // Waits for its turn, then runs. A caller that goes away while it waits is not run at all.
  Result<RunResult> Execute(const std::string& caller, const std::string& handle, Run& run);
  // Interrupts the run that is going on. None is an error.
  Result<> Interrupt(const std::string& caller, const std::string& handle);
  // `by` has the marks of the request that wants it, if it has any: its end is told with them.
  Result<> End(const std::string& caller, const std::string& handle, const Origin& by = {});
  // Lets `use` work on the workspace; the session cannot go away meanwhile.
  Result<> WithWorkspace(const std::string& caller, const std::string& handle,
                         const std::function<Result<>(const Fd&)>& use);

  // Those that live, to be listed and shown.
  SessionTable& table() { return table_; }
  SessionCheckpoints& checkpoints() { return checkpoints_; }
  SessionPauses& pauses() { return pauses_; }
  SessionRevocations& revocations() { return revocations_; }
  // What was paused and cannot be used any more: sentences for the operator.
  const std::vector<std::string>& troubles() const { return paused_.troubles(); }

 private:
  Result<RunResult> Go(SessionEntry& entry, Run& run);
  void Account(SessionEntry& entry, const RunResult& result);
  static std::optional<std::string> WhyRunEnds(const SessionEntry& entry,
                                               const Result<RunResult>& result);

  Engine& engine_;
  Paused paused_;
  SessionTable table_;
  SessionRevocations revocations_;
  SessionCheckpoints checkpoints_;
  SessionPauses pauses_;
};

}  // namespace belljar::run
