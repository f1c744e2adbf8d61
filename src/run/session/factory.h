// SessionFactory: opens living sessions in new cells, or restores them from saved state.
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

  // Starts a session. The request `asked` describes its cell; its artefacts' digests are filled in.
  Result<LivePtr> Open(request::Request& asked);
  // Restores saved memory in a new cell. `prepare` restores the contents of the workspace.
  Result<LivePtr> Resume(request::Request shape, const SavedMemory& memory,
                         cell::guest::RestoreAs as, const Cells::Fill& prepare);
  // Checks whether the policy permits everything the session asks for.
  Result<> JudgeWishes(const request::Request& shape);
  // Ends a session's cell, and tears it down in the background if there is a pool.
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
