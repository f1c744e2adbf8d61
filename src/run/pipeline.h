// Pipeline: the stages of a request, for runs in fresh cells and for statements in sessions.
//
//   Validate   checks what parsers cannot know: the backend, the policy, the artefacts; where a
//              cell is built ahead, building starts here
//   Assess     analyses the code, decides by the policy, asks a person if needed, and checks that
//              the backend can confine the request
//   Place      takes a cell: from the pool, the one built ahead, a new one, or the session's own
//   Provide    files, vaults, network, tools
//   Supervise  runs the guest and watches its limits
//   Judge      determines outcome, usage and file changes
//   Clean      adds findings and decision to the result, and redacts it
//   Settle     commits or drops vaults; compares side effects with what was expected
//   Close      records the result, then answers; applies the policy's reaction to a failed run
//
// Differences between a fresh cell and a session's are behind RunCell. A refused request is stopped
// in one of the first two stages and goes straight to Close. An Error means a fault, of the request
// or of Belljar itself; the way a program ended is a result.
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
  // Refuses a request without running it, and records the refusal.
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
