// RunCell: the cell of one run, for as long as the run lasts: either a fresh cell or a session's.
//
// It holds everything in which the two kinds differ, with one function for each pipeline stage
// concerned. Steps common to both are in the pipeline.
//
// Used by the run's thread. Destroyed when the run is over, however it ended.
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

  // Validate: an error if the request has fields that only the other kind of run supports.
  virtual Result<> Check(Run& run) = 0;
  // Assess: a sentence that refuses the run, if this backend cannot or may not confine it.
  virtual Result<std::optional<std::string>> WhyNotHeld(Run& run) = 0;
  // Place: obtains the cell.
  virtual Result<> Enter(Run& run) = 0;
  // Provide: puts the caller's files and vaults into the cell and sets up its network. Stores in
  // the run what the workspace held before.
  virtual Result<> Furnish(Run& run) = 0;
  // The endpoint for the cell's tool calls; null: it has none.
  virtual Result<SeatPtr> Seat() = 0;
  // Supervise: runs the program and returns when it has ended.
  virtual Result<Observed> Supervise(Run& run) = 0;
  // Judge: inputs of the verdict besides what was observed.
  virtual const Fd& workspace() const = 0;
  virtual request::BackendKind backend() const = 0;
  // Judge: ends the network and returns the number of calls made through it.
  virtual std::uint64_t EndNetwork() = 0;
  // Settle: applies effects outside the cell, such as committing vaults.
  virtual void Settle(Run& run) = 0;
  // Close: the run is recorded and no longer needs the cell.
  virtual void Leave(Run& run) = 0;
};

std::unique_ptr<RunCell> MakeFreshCell(Machinery& machinery, GuestCompiler& compiler);
std::unique_ptr<RunCell> MakeSessionCell(Machinery& machinery, LiveSession& live);

}  // namespace belljar::run
