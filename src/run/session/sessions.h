// Sessions: cells whose interpreters stay alive between runs, and the operations on them.
//
// A statement waits for its turn in the session and passes through the same pipeline as any request
// (pipeline.h). A session ends when its caller ends it, when its program exits, when a run had to
// be killed, when a budget is used up, or after an idle timeout. The parts do the rest: the table
// of living sessions, checkpoints, pauses and revocations.
//
// Thread-safe. Engine, trees and archive must outlive this; its destructor ends all sessions.
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
  // The request that describes the session's cell.
  Result<request::Request> Shape(const std::string& caller, const std::string& handle);
  // Waits for its turn, then runs. If the caller disconnects while waiting, nothing is run.
  Result<RunResult> Execute(const std::string& caller, const std::string& handle, Run& run);
  // Interrupts the current run; an error if there is none.
  Result<> Interrupt(const std::string& caller, const std::string& handle);
  // `by` has the trace context of the request to end the session, if there is one; it is recorded
  // with the end.
  Result<> End(const std::string& caller, const std::string& handle, const Origin& by = {});
  // Calls `use` on the workspace; the session cannot end meanwhile.
  Result<> WithWorkspace(const std::string& caller, const std::string& handle,
                         const std::function<Result<>(const Fd&)>& use);

  // The living sessions, to be listed and shown.
  SessionTable& table() { return table_; }
  SessionCheckpoints& checkpoints() { return checkpoints_; }
  SessionPauses& pauses() { return pauses_; }
  SessionRevocations& revocations() { return revocations_; }
  // Problems with paused sessions that cannot be used any more, as sentences for the operator.
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
