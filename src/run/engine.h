// Engine: takes one request and returns one result. It is the whole interface that front doors
// (CLI, HTTP API) use.
//
// Owns the machinery of one process and the pipeline over it. Front doors turn what they receive
// into a Run and hand it in. The parts that the engine exposes (cells, tools, networks ...) offer
// the other operations on runs, cells and approvals.
//
// Thread-safe; each Go() uses the calling thread until the run has ended.
#pragma once

#include <memory>
#include <string>

#include "cell/image/store.h"
#include "foundation/base/result.h"
#include "run/machinery.h"
#include "run/pipeline.h"
#include "run/run.h"
#include "run/session/factory.h"

namespace belljar::run {

enum class AskInterpreter;
struct Checked;
struct Recorded;
struct Replayed;

class Engine {
 public:
  // `on_progress` is called for image builds during Create(), and later when an image is brought to
  // a backend.
  static Result<std::unique_ptr<Engine>> Create(const Options& options,
                                                const cell::image::OnProgress& on_progress);

  // Takes a request through the stages of pipeline.h.
  Result<RunResult> Go(Run& run) { return pipeline_.Go(run); }
  // Refuses a request without running it, and records the refusal.
  Result<RunResult> Refuse(Run& run, std::string reason) {
    return pipeline_.Refuse(run, std::move(reason));
  }
  // Judges a request and asks the interpreter whether its code parses (check.h).
  Result<Checked> Check(const request::Request& request, AskInterpreter ask);
  // Identifies the compiler for a request's code: the build of its image and Belljar's own parts
  // that affect compilation. Empty where compiled code cannot be kept.
  std::string CompilerOf(const request::Request& request);
  // Runs a recorded request again, with a seed, and compares (replay.h).
  Result<Replayed> Replay(const Recorded& recorded, Requester requester);

  // Sets the policies for later requests. Calls in progress that they do not allow are cancelled.
  void SetTerms(Terms terms);

  // Builds and holds the cells: backends, cgroups, the pool.
  Cells& cells() { return *machinery_.cells; }
  const Cells& cells() const { return *machinery_.cells; }
  SessionFactory& sessions() { return sessions_; }
  // Judges requests without running anything.
  Assessment& assessment() { return machinery_.assessment; }
  Asking& asking() { return machinery_.asking; }
  Artefacts& artefacts() { return machinery_.artefacts; }
  // Network access and tool calls of the runs in progress, which can be revoked.
  Networks& networks() { return machinery_.networks; }
  Tools& tools() { return machinery_.tools; }
  Recorder& recorder() { return machinery_.recorder; }
  const std::string& state_dir() const { return machinery_.options.state_dir; }

 private:
  Engine(const Options& options, const SwitchedOff& off, cell::image::ImageStore images)
      : machinery_(options, off, std::move(images)), sessions_(machinery_), pipeline_(machinery_) {}
  Result<> RecoverFromCrash();
  Result<> MakeCells(const cell::image::OnProgress& on_progress);

  Machinery machinery_;
  SessionFactory sessions_;
  Pipeline pipeline_;  // last: destroyed first, since it may have work in the background
};

// The state directory as an absolute path: the --state flag if given, else $BELLJAR_STATE, else
// /var/lib/belljar for root and $XDG_STATE_HOME/belljar for other users.
Result<std::string> StateDirOr(const std::string& said);

}  // namespace belljar::run
