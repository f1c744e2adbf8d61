// Run: one request on its way through the pipeline. The front door (CLI or HTTP API) that received
// the request creates it.
//
// The front door fills in the first part: the request, its sender and what the sender observes. The
// stages of pipeline.h fill in the rest, each for the stages after it. A Run is used for one
// request and must outlive the answer: if a cell is being built ahead for a request that is then
// refused, the Run's destructor tears that cell down, so the caller does not wait for it.
//
// Used by one thread, except the observer's functions: questions about a program's calls are
// reported from other threads, but never two at once.
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
  kRequested,  // requested by a caller
  kReplay,     // repeats a recorded run, under the policy of that time
  kInternal,   // Belljar's own question to an interpreter; not judged
};

// Callbacks for a caller that watches its run. Either may be empty.
struct Observer {
  std::function<void(Stream, std::string_view)> on_output;
  std::function<void(const judgement::approval::Question&)> on_question;
};

// The sender of a request, and the settings that apply while the sender waits.
struct Requester {
  Origin origin;
  Observer observer;
  cell::limits::CancelledBy cancel = cell::limits::kNeverCancelled;
  std::chrono::milliseconds answer_within{0};  // how long to wait for a person's answer
  // Releases the run's slot to other runs while this one waits for a person. Destroying the
  // returned object takes the slot back.
  std::function<std::shared_ptr<void>()> release_slot;
  std::uint32_t caller_share = 1;  // number of runs that share the caller's part of the CPUs
};

// A request's code as compiled by an interpreter of its image. It replaces exactly that text in
// exactly that image.
struct CompiledText {
  std::string text;
  std::string image;
  std::string bytes;
};

// The fields of a request that stages change, with the caller's original values.
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

  // False for a replay and for an internal run: they have no effects outside their cell, and the
  // code that starts them records them.
  bool has_effects() const { return kind == RunKind::kRequested; }
  // Ends the run with this result before it gets a cell.
  void Stop(RunResult with);
  bool stopped() const { return stopped_; }

  // ---- Set by the front door.
  request::Request request;  // validated by request::Validate
  Requester requester;
  RunKind kind = RunKind::kRequested;
  std::shared_ptr<const CompiledText> compiled;  // null: not compiled
  LiveSession* session = nullptr;                // the session to run in; null: a fresh cell
  std::shared_ptr<const RevokedCalls> revoked;   // shared with its session; null: no session
  bool is_fallback = false;                      // this run is the fallback of a failed run

  // ---- Validate. For a replay, the code that starts it sets the policy.
  AskedFor as_asked;
  std::shared_ptr<const judgement::policy::Policy> policy;  // null: not judged
  std::unique_ptr<RunCell> cell;                            // until the run is over
  std::optional<HeldBy> held_by;                            // the backend for it, once chosen
  std::optional<BegunCell> begun;   // a cell being built while the request is judged
  std::future<void> redactor_made;  // the redactor being made meanwhile

  // ---- Assess
  judgement::policy::Decision decision;
  json::object told_decision;  // the decision as JSON, with the approval that permitted the run
  std::shared_ptr<const judgement::redaction::Redactor>
      redactor;  // for everything that leaves; null: no redaction
  std::shared_ptr<const cell::guest::Guard> guard;  // enforced in the interpreter; null: none

  // ---- Provide
  std::map<std::string, std::string> env;  // in addition to the request's own
  std::shared_ptr<ToolTurn> tools;  // tool and database calls; shared with the watch; null: none
  Listing before;                   // workspace contents before the run
  std::uint64_t used_before = 0;    // bytes used in the workspace before the run

  // ---- Supervise
  std::function<void()> on_started;  // called once, after the program has started
  std::optional<Observed> seen;
  // The audit record, if it could be drafted during the run.
  std::optional<Result<json::object>> draft;

  // ---- Judge, Clean, Settle, Close
  std::optional<RunResult> result;
  judgement::policy::RecoveryTerms recovery;  // the policy's reaction to the outcome; usually none
  json::monotonic_resource memory;            // memory for `told`
  std::optional<json::object> told;           // the result as it was recorded

 private:
  bool stopped_ = false;
};

// A copy of the request as its caller sent it.
request::Request AsAsked(const Run& run);
// The result as JSON for the caller: the recorded JSON plus what has been added since.
json::object AnswerJson(Run& run, const RunResult& result);

}  // namespace belljar::run
