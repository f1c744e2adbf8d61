// Cells: creates the cells that requests run in, and chooses the backend that confines them.
//
// A cell is taken from the pool, or built while its request is judged, or built on demand. This
// class also determines which backend builds it, and whether that backend can and may confine the
// request. A cell is used for one owner and never returned to the pool: Discard() tears it down.
//
// Thread-safe. The images must outlive this, and this must outlive its cells.
#pragma once

#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "cell/backends.h"
#include "cell/image/store.h"
#include "cell/limits/cgroup.h"
#include "cell/pool/pool.h"
#include "judgement/policy/policy.h"
#include "request/request.h"
#include "run/artefacts.h"
#include "run/walls.h"

namespace belljar::run {

class SavedContainer;

// What a cell needs beyond the request's own fields.
struct CellNeeds {
  std::set<cell::CellListener> listeners;
  Artefacts::Given artefacts;
};

// A cell being built while its request is judged.
struct BegunCell {
  cell::CellSpec spec;
  std::future<Result<cell::pool::PreparedCell>> made;
};

struct CellOptions {
  std::size_t pool_target = 0;             // 0: no pool; each cell is built for its request
  std::set<std::string> allow_unenforced;  // limits that may be missing on this machine
  WallOptions walls;
  NativeParts native;
  cell::docker::DockerHooks docker;
};

class Cells {
 public:
  static Result<std::unique_ptr<Cells>> Create(const cell::image::ImageStore& images,
                                               const CellOptions& options);

  // ---- Walls
  HeldBy Hold(const request::Request& request, const judgement::policy::Policy* terms) const;
  // Why the policy does not trust this backend, as a sentence; nullopt if it does.
  std::optional<std::string> RefuseWeak(request::BackendKind backend,
                                        const judgement::policy::Policy* terms) const;
  // The layers that confine a run, as reported in its result.
  json::object Layers(request::BackendKind backend = request::BackendKind::kNative) const;
  // Makes a backend ready; the error says what is missing.
  Result<> Require(request::BackendKind backend) const;
  // Tries every restriction the backend supports; the error names those that have no effect.
  Result<> Examine(request::BackendKind backend) const;
  const cell::limits::CgroupSupport& cgroups() const { return groups_.support(); }

  // ---- Cells. `request` names the backend and the image.
  // Starts building the cell. Returns nullopt where a pooled cell will be used, or where the cell
  // depends on more than the request says.
  std::optional<BegunCell> BuildAhead(const request::Request& request, const HeldBy& held,
                                      std::set<cell::CellListener> listeners);
  Result<cell::pool::PreparedCell> Take(const request::Request& request, CellNeeds needs,
                                        std::optional<BegunCell> begun);
  // A cell in which a copy of that template's interpreter can continue.
  Result<cell::pool::PreparedCell> TakeCopy(const request::Request& request, CellNeeds needs,
                                            const std::shared_ptr<cell::CellTemplate>& of);
  // Resumes a saved container. `fill` restores the workspace's contents.
  using Fill = std::function<Result<>(const Fd& workspace)>;
  Result<cell::pool::PreparedCell> Restore(const request::Request& request, CellNeeds needs,
                                           const SavedContainer& saved, const Fill& fill);
  // Tears down a used cell, in the background if there is a pool.
  void Discard(cell::pool::PreparedCell used);

  // ---- The pool, if there is one
  bool has_pool() const { return pool_ != nullptr; }
  // Prebuilds `count` cells for requests like this one.
  Result<> Warm(const request::Request& request, std::size_t count);
  // Called when a session statement starts: delays the building of pool cells slightly.
  void StandBack();
  // While the returned object is held, the pool builds nothing, so that a caller can take many
  // cells at once.
  std::unique_ptr<cell::pool::WarmPool::Quiet> QuietPool();

 private:
  Cells(cell::limits::CgroupTree groups, std::unique_ptr<cell::Backends> backends,
        const CellOptions& options);
  cell::CellSpec SpecFor(const request::Request& request, request::BackendKind backend,
                         const std::string& image) const;
  cell::CellSpec SpecFor(const request::Request& request, CellNeeds& needs) const;
  Result<cell::pool::PreparedCell> Make(const cell::CellSpec& spec, CellNeeds needs);

  const std::set<std::string> allow_unenforced_;
  cell::limits::CgroupTree groups_;
  const std::unique_ptr<cell::Backends> backends_;
  cell::pool::CellFactory factory_;
  std::unique_ptr<cell::pool::WarmPool> pool_;  // null: each cell is built on demand
};

}  // namespace belljar::run
