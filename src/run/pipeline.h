// Pipeline: the way of a request, one line per stage, for runs in fresh cells and for statements of
// sessions.
//
//   Validate   what parsers could not know: it may run here, its policy, its artefacts; unless
//   there
//              is a pool its cell begins to be built
//   Assess     its code is read, the policy decides, a person is asked; its walls can hold it
//   Place      a cell of the pool, the one that was begun, a new one; or the session's own
//   Provide    files, vaults, network, tools
//   Supervise  the guest runs, limits are watched
//   Judge      outcome, usage, changes of files
//   Clean      findings and decision are told, and what is told is redacted
//   Settle     vaults are committed or dropped; side effects are held against what was expected
//   Close      recorded, then answered; the policy's reaction to a run that did not end well
//
// What differs between a fresh cell and a session's is behind RunCell. A request that is not to run
// is stopped in one of the first two stages and closed. An Error is a fault, of the request or of
// Belljar's own; how a program ended is a result.
//
// Thread-safe; Go() uses the calling thread until the run is over.
#pragma once

#include "run/guest_compiler.h"
#include "run/machinery.h"
#include "run/run.h"

namespace belljar::run {

class Pipeline {
 public:
  // `machinery` must outlive it.
  explicit Pipeline(Machinery& machinery);

  Result<RunResult> Go(Run& run);
  // The result of a request that is not to run, recorded.
  Result<RunResult> Refuse(Run& run, std::string reason);

 private:
  Result<> Validate(Run& run);
  Result<> Assess(Run& run);
  Result<> Place(Run& run);
  Result<> Provide(Run& run);
  Result<> Supervise(Run& run);
  Result<> Judge(Run& run);
  Result<> Clean(Run& run);
  Result<> Settle(Run& run);
  Result<RunResult> Close(Run& run);

  void BuildAhead(Run& run);
  Result<> Decide(Run& run);
  Result<> AskPerson(Run& run);
  void StopDecided(Run& run, Outcome outcome, std::string reason);
  Result<RunResult> FallBack(Run& first_run, RunResult first);

  Machinery& machinery_;
  GuestCompiler compiler_;
};

}  // namespace belljar::run
