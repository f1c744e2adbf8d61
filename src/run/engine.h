// Engine: one request in, one result out. Everything a front listener needs.
//
// Owns the machinery of one process and the pipeline over it. Front listeners make a Run of what
// they were sent and hand it in; what else they may do to runs, cells and people is in the parts
// that the engine hands out.
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
  // `on_progress` hears of images that are built, now, and brought to a backend, later.
  static Result<std::unique_ptr<Engine>> Create(const Options& options,
                                                const cell::image::OnProgress& on_progress);

  // Takes a request through the stages of pipeline.h.
  Result<RunResult> Go(Run& run) { return pipeline_.Go(run); }
  // The result of a request that is not to run, recorded.
  Result<RunResult> Refuse(Run& run, std::string reason) {
    return pipeline_.Refuse(run, std::move(reason));
  }
  // Judges a request and asks the interpreter whether it is a program at all (check.h).
  Result<Checked> Check(const request::Request& request, AskInterpreter ask);
  // What compiles the code of a request: the build of its image, and all of ours that has a say.
  // Empty where nothing that is compiled can be kept.
  std::string CompilerOf(const request::Request& request);
  // Runs a recorded request again, with a seed, and compares (replay.h).
  Result<Replayed> Replay(const Recorded& recorded, Requester requester);

  // What requests are judged by from now on. Calls that it does not allow are given up.
  void SetTerms(Terms terms);

  // Where requests run: walls, cells, the pool.
  Cells& cells() { return *machinery_.cells; }
  const Cells& cells() const { return *machinery_.cells; }
  SessionFactory& sessions() { return sessions_; }
  // Judges what a request would be given, and runs nothing.
  Assessment& assessment() { return machinery_.assessment; }
  Asking& asking() { return machinery_.asking; }
  Artefacts& artefacts() { return machinery_.artefacts; }
  // What runs have while they go on, to be taken away.
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
  Pipeline pipeline_;  // last: it may still have work of its own in the background
};

// Where state lives, as an absolute path: where it was said (--state), else $BELLJAR_STATE,
// /var/lib/belljar for root, $XDG_STATE_HOME/belljar for others.
Result<std::string> StateDirOr(const std::string& said);

}  // namespace belljar::run
