#include "run/session/factory.h"

#include "run/session/session_cell.h"
#include "run/tools.h"

namespace belljar::run {

Result<SessionFactory::LivePtr> SessionFactory::Open(request::Request& asked) {
  BJ_TRY(request::CheckRunnable(asked));
  BJ_TRY(RefuseVaults(asked));
  auto refused = BJ_TRY(machinery_.artefacts.Resolve(asked));
  if (refused) return Error(Kind::kDenied, *std::move(refused));
  request::Request shape = asked;
  Lift(machinery_.off, shape.limits);
  const auto terms = BJ_TRY(machinery_.assessment.PolicyFor(shape));
  BJ_TRY(JudgeWishes(shape, terms));
  HeldBy held = machinery_.cells->Hold(shape, terms.get());
  asked.backend = shape.backend = held.backend;
  shape.image = held.image;
  CellNeeds needs{ListenersFor(terms.get()), {}};
  if (!held.refusal) {
    held.refusal = BJ_TRY(machinery_.artefacts.Give(shape, needs.artefacts));
  }
  if (held.refusal) return Error(Kind::kDenied, *std::move(held.refusal));
  auto prepared = BJ_TRY(machinery_.cells->Take(shape, std::move(needs), std::nullopt));
  BJ_TRY(PutFilesOver(prepared.cell->workspace(), shape.files));
  auto network = BJ_TRY(OpenNetwork(shape, terms, *prepared.cell));
  return WithSeat(LiveSession::Begin(std::move(prepared), shape, machinery_.cells->cgroups(),
                                     std::move(network)));
}

Result<SessionFactory::LivePtr> SessionFactory::Resume(request::Request shape,
                                                       const SavedMemory& memory,
                                                       cell::guest::RestoreAs as,
                                                       const Cells::Fill& prepare) {
  const auto terms = BJ_TRY(machinery_.assessment.PolicyFor(shape));
  shape.backend = memory.backend;
  HeldBy held = machinery_.cells->Hold(shape, terms.get());
  shape.image = held.image;
  CellNeeds needs;
  if (!held.refusal) {
    held.refusal = BJ_TRY(machinery_.artefacts.Give(shape, needs.artefacts));
  }
  if (held.refusal) return Error(Kind::kDenied, *std::move(held.refusal));
  if (!memory.container) needs.listeners = ListenersFor(terms.get());
  auto prepared =
      BJ_TRY(memory.container
                 ? machinery_.cells->Restore(shape, std::move(needs), *memory.container, prepare)
                 : machinery_.cells->TakeCopy(shape, std::move(needs), memory.copy_of));
  if (!memory.container) BJ_TRY(prepare(prepared.cell->written()));
  auto network = BJ_TRY(OpenNetwork(shape, terms, *prepared.cell));
  return WithSeat(LiveSession::Resume(std::move(prepared), shape, machinery_.cells->cgroups(),
                                      memory, as, std::move(network)));
}

// A session has no approvals, so it reaches only the hosts that its policy lists.
Result<std::shared_ptr<Network>> SessionFactory::OpenNetwork(const request::Request& shape,
                                                             const PolicyPtr& terms,
                                                             const cell::Cell& cell) {
  if (shape.allow_hosts.empty()) return std::shared_ptr<Network>();
  auto network = BJ_TRY(machinery_.networks.Open(shape, terms->network, cell));
  network->KeepToPolicy(machinery_.assessment);
  return network;
}

Result<> SessionFactory::JudgeWishes(const request::Request& shape) {
  const auto terms = BJ_TRY(machinery_.assessment.PolicyFor(shape));
  return JudgeWishes(shape, terms);
}

// A session's wishes cannot be sent to review: each of its runs would need the approval.
Result<> SessionFactory::JudgeWishes(const request::Request& shape, const PolicyPtr& terms) {
  const auto decision = machinery_.assessment.Decide(shape, *terms);
  if (decision.action < judgement::policy::Action::kReview) return {};
  return Error(Kind::kDenied, decision.reasons.front() + ": not for a session");
}

Result<SessionFactory::LivePtr> SessionFactory::WithSeat(Result<LivePtr> live) {
  if (!live) return live;
  auto seat = BJ_TRY(machinery_.tools.SeatFor((*live)->cell()));
  (*live)->TakeSeat(std::move(seat));
  return live;
}

void SessionFactory::End(LiveSession&& session) {
  session.Kill();
  machinery_.cells->Discard(std::move(session).Release());
}

}  // namespace belljar::run
