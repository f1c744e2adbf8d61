// RunCell: the cell of one run, for as long as the run goes on: a fresh one, or a session's.
//
// It has all in which the two differ, one function for each stage of pipeline.h that is concerned.
// A stage that both go through alike is in the pipeline and not here.
//
// Used by the run's thread. Destroyed when the run is over, whatever ended it.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "foundation/base/fd.h"
#include "foundation/base/result.h"
#include "resource/tools/cell_endpoint.h"
#include "run/guest_compiler.h"
#include "run/machinery.h"
#include "run/run.h"

namespace belljar::run {

class RunCell {
 public:
  using SeatPtr = std::shared_ptr<resource::tools::CellToolEndpoint>;

  virtual ~RunCell() = default;

  // Validate: what belongs to runs of the other kind is an error.
  virtual Result<> Check(Run& run) = 0;
  // Assess: the sentence that refuses the run, if these walls cannot or may not hold it.
  virtual Result<std::optional<std::string>> WhyNotHeld(Run& run) = 0;
  // Place: the cell is there afterwards.
  virtual Result<> Enter(Run& run) = 0;
  // Provide: the caller's files and vaults, and what the cell may reach. Says in the run what was
  // in the workspace before.
  virtual Result<> Furnish(Run& run) = 0;
  // Where its calls of tools are answered; null: nowhere.
  virtual Result<SeatPtr> Seat() = 0;
  // Supervise: the program runs, and has ended when this returns.
  virtual Result<Observed> Supervise(Run& run) = 0;
  // Judge: what a verdict needs beside what was seen.
  virtual const Fd& workspace() const = 0;
  virtual request::BackendKind backend() const = 0;
  // Judge: the calls that went out of the cell by its network.
  virtual std::uint64_t EndNetwork() = 0;
  // Settle: what has effects outside of the cell.
  virtual void Settle(Run& run) = 0;
  // Close: the run is recorded, and needs the cell no more.
  virtual void Leave(Run& run) = 0;
};

std::unique_ptr<RunCell> MakeFreshCell(Machinery& machinery, GuestCompiler& compiler);
std::unique_ptr<RunCell> MakeSessionCell(Machinery& machinery, LiveSession& live);

}  // namespace belljar::run
