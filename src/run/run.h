// Run: one request on its way through the pipeline, made once by the listener that it came in by.
//
// The first part is the listener's: the request, who sent it and what they watch. Everything below
// is filled in by the stages of pipeline.h, each for those that follow. A Run is used for one
// request and must outlive the answer: the cell that is built ahead for a request that is then
// refused is taken apart when the Run goes, and not before the caller has its result.
//
// Used by one thread, but for the observer's functions: where programs can make calls that people
// are asked about, questions come from other threads, never two at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cell/guest/protocol/wire.h"
#include "cell/limits/watch.h"
#include "foundation/base/json.h"
#include "foundation/base/result.h"
#include "judgement/approval/question.h"
#include "judgement/policy/decide.h"
#include "judgement/policy/policy.h"
#include "judgement/redaction/redactor.h"
#include "request/request.h"
#include "run/cells.h"
#include "run/observed.h"
#include "run/options.h"
#include "run/run_result.h"
#include "run/workspace.h"

namespace belljar::run {

class LiveSession;
class RunCell;
class ToolTurn;
struct RevokedCalls;

enum class RunKind {
  kRequested,  // by a caller, as it is
  kReplay,     // of a recorded run, under the policy of then
  kInternal,   // a question of Belljar's own to an interpreter: not judged
};

// What a caller watches while its run goes on. Any of them may be empty.
struct Observer {
  std::function<void(Stream, std::string_view)> on_output;
  std::function<void(const judgement::approval::Question&)> on_question;
};

// Who sent a request, and what holds while they wait for it.
struct Requester {
  Origin origin;
  Observer observer;
  cell::limits::CancelledBy cancel = cell::limits::kNeverCancelled;
  std::chrono::milliseconds answer_within{0};  // how long a person's answer is waited for
  // Lends the run's slot to others, while it waits for a person, until what it returns is gone.
  std::function<std::shared_ptr<void>()> release_slot;
  std::uint32_t caller_share = 1;  // runs among which the caller's part of the CPUs is shared
};

// The code of a request as an interpreter of its image has compiled it. It takes the place of that
// text in that image and of nothing else.
struct CompiledText {
  std::string text;
  std::string image;
  std::string bytes;
};

// What stages change of a request, as its caller asked for it.
struct AskedFor {
  static AskedFor Of(const request::Request& request);

  std::optional<request::BackendKind> backend;
  std::string image;
  request::Limits limits;
  std::vector<request::Vault> vaults;
  std::vector<std::string> allow_hosts;
  std::vector<request::Artefact> artefacts;
};

struct Run {
  Run();
  Run(request::Request asked, Requester by);
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run();

  // A replay and a question of Belljar's own have no effects outside of their cell, and are
  // recorded by what starts them.
  bool has_effects() const { return kind == RunKind::kRequested; }
  // Ends the run before it has a cell, with this result.
  void Stop(RunResult with);
  bool stopped() const { return stopped_; }

  // ---- From the listener.
  request::Request request;  // has passed request::Validate
  Requester requester;
  RunKind kind = RunKind::kRequested;
  std::shared_ptr<const CompiledText> compiled;  // of the request's code; null: there is none
  LiveSession* session = nullptr;                // whose cell it runs in; null: a fresh one
  std::shared_ptr<const RevokedCalls> revoked;   // shared with its session; null: it has none
  bool is_fallback = false;                      // of a run that did not end well

  // ---- Validate. A replay's policy is given by what starts it.
  AskedFor as_asked;
  std::shared_ptr<const judgement::policy::Policy> policy;  // null: it is not judged
  std::unique_ptr<RunCell> cell;                            // until the run is over
  std::optional<HeldBy> held_by;    // the walls for it, once they have been looked up
  std::optional<BegunCell> begun;   // the cell that is built while it is judged
  std::future<void> redactor_made;  // likewise

  // ---- Assess
  judgement::policy::Decision decision;
  json::object told_decision;  // with the approval that let it run
  std::shared_ptr<const judgement::redaction::Redactor>
      redactor;                                     // of what leaves; null: it leaves as it is
  std::shared_ptr<const cell::guest::Guard> guard;  // in the interpreter; null: none

  // ---- Provide
  std::map<std::string, std::string> env;  // besides the request's own
  std::shared_ptr<ToolTurn> tools;         // what it may call; shared with the watch; null: nothing
  Listing before;                          // of the workspace
  std::uint64_t used_before = 0;           // bytes of it that are not this run's

  // ---- Supervise
  std::function<void()> on_started;  // called once while it runs
  std::optional<Observed> seen;
  std::optional<Result<json::object>> draft;  // of its record, if there was time for it

  // ---- Judge, Clean, Settle, Close
  std::optional<RunResult> result;
  judgement::policy::RecoveryTerms
      recovery;                      // what the policy wants done about its end: nothing, as a rule
  json::monotonic_resource memory;   // of what follows
  std::optional<json::object> told;  // the result, as it was recorded

 private:
  bool stopped_ = false;
};

// A copy of the request, as its caller sent it.
request::Request AsAsked(const Run& run);
// The result of a run as its caller gets it: as it was recorded, with what has been added since.
json::object AnswerJson(Run& run, const RunResult& result);

}  // namespace belljar::run
