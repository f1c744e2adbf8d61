// SessionFactory: living sessions, made of cells: opened, or resumed from what was saved.
//
// Thread-safe. The machinery must outlive it and its sessions.
#pragma once

#include <functional>
#include <memory>

#include "run/machinery.h"
#include "run/session/live_session.h"

namespace belljar::run {

class SessionFactory {
 public:
  using LivePtr = std::unique_ptr<LiveSession>;
  explicit SessionFactory(Machinery& machinery) : machinery_(machinery) {}

  // A cell that lives from run to run; what `asked` says, now with its artefacts' digests, holds.
  Result<LivePtr> Open(request::Request& asked);
  // The same with what an earlier one was, in a cell of its own. `prepare` makes the workspace what
  // it was then.
  Result<LivePtr> Resume(request::Request shape, const SavedMemory& memory,
                         cell::guest::RestoreAs as, const Cells::Fill& prepare);
  // Whether the policy lets a session have what it asks for.
  Result<> JudgeWishes(const request::Request& shape);
  // Ends a session's cell, and takes it apart later if there is a pool.
  void End(LiveSession&& session);

 private:
  using PolicyPtr = std::shared_ptr<const judgement::policy::Policy>;
  Result<> JudgeWishes(const request::Request& shape, const PolicyPtr& terms);
  Result<std::shared_ptr<Network>> OpenNetwork(const request::Request& shape,
                                               const PolicyPtr& terms, const cell::Cell& cell);
  Result<LivePtr> WithSeat(Result<LivePtr> live);

  Machinery& machinery_;
};

}  // namespace belljar::run
