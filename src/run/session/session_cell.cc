// A RunCell for one statement in a session; the cell exists before the statement and stays after
// it.
#include "run/session/session_cell.h"

#include "foundation/tree/replace.h"
#include "run/network.h"
#include "run/run_cell.h"
#include "run/session/live_session.h"
#include "run/supervise.h"
#include "run/verdict.h"
#include "run/workspace.h"

namespace belljar::run {

Result<> RefuseVaults(const request::Request& request) {
  if (request.vaults.empty()) return {};
  return Error(Kind::kInvalid, "\"vaults\" belong to runs in a cell of their own, not to sessions");
}

Result<> PutFilesOver(const Fd& workspace, const std::vector<request::InputFile>& files) {
  if (files.empty()) return {};
  const std::uint32_t owner = WorkspaceOwner(workspace);
  for (const request::InputFile& file : files) {
    BJ_TRY(
        tree::WriteFileBeneath(workspace, {file.path, owner, 0644}, file.bytes).While("workspace"));
  }
  return {};
}

namespace {

class SessionCell final : public RunCell {
 public:
  SessionCell(Machinery& machinery, LiveSession& live) : machinery_(machinery), live_(live) {}
  SessionCell(const SessionCell&) = delete;
  SessionCell& operator=(const SessionCell&) = delete;
  // After this the run's id no longer identifies the session's network.
  ~SessionCell() override {
    if (has_network_turn_) live_.network()->EndRun();
  }

  // Vaults and fallbacks are refused: a session has no end at which its writes could be judged, and
  // its state cannot be undone for a simpler request. A failed statement rolls back or keeps the
  // state.
  Result<> Check(Run& run) override {
    BJ_TRY(RefuseVaults(run.request));
    if (run.request.fallback) {
      return Error(Kind::kInvalid,
                   "\"fallback\" belongs to runs in a cell of their own, not to sessions");
    }
    machinery_.cells->StandBack();
    // Lets the import check consider the session's files.
    run.request.session = run.requester.origin.session_id;
    return {};
  }

  // The policy may have changed since the session got its backend.
  Result<std::optional<std::string>> WhyNotHeld(Run& run) override {
    return machinery_.cells->RefuseWeak(backend(), run.policy.get());
  }

  Result<> Enter(Run&) override { return {}; }

  Result<> Furnish(Run& run) override {
    BJ_TRY(PutFilesOver(workspace(), run.request.files));
    run.before = List(workspace(), live_.size_when_empty());
    const WorkspaceUse used = BJ_TRY(MeasureWorkspace(workspace()));
    run.used_before = used.used_bytes;
    if (!live_.network()) return {};
    live_.network()->BeginRun(run.requester.origin, run.request.correlation_id);
    has_network_turn_ = true;
    return {};
  }

  Result<SeatPtr> Seat() override { return live_.seat(); }

  Result<Observed> Supervise(Run& run) override {
    Observed seen = BJ_TRY(live_.Execute(run));
    seen.size_when_empty = live_.size_when_empty();
    return seen;
  }

  const Fd& workspace() const override { return live_.workspace(); }
  request::BackendKind backend() const override { return live_.backend(); }

  std::uint64_t EndNetwork() override {
    return live_.network() ? live_.network()->CallsOfRun() : 0;
  }

  // Passes the listing on, so that the archive's mirror does not list the files again.
  void Settle(Run& run) override { live_.KeepLeft(std::move(run.seen->left)); }

  void Leave(Run&) override {}

 private:
  Machinery& machinery_;
  LiveSession& live_;
  bool has_network_turn_ = false;
};

}  // namespace

std::unique_ptr<RunCell> MakeSessionCell(Machinery& machinery, LiveSession& live) {
  return std::make_unique<SessionCell>(machinery, live);
}

}  // namespace belljar::run
