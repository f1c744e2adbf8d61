// Cells: where requests run on this machine, and what holds them there.
//
// A cell comes out of the pool, or is begun while its request is judged, or is built when it is
// wanted. Which backend builds it, and whether that can and may hold the request, is found out
// here, too. A cell is used for one owner and never given back: Discard() has it taken apart.
//
// Thread-safe. The images must outlive it, and it must outlive its cells.
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

// What a cell has besides what its request says.
struct CellNeeds {
  std::set<cell::CellListener> listeners;
  Artefacts::Given artefacts;
};

// A cell that is being built while the request that it is for is judged.
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
  // The sentence that refuses walls which that policy does not trust.
  std::optional<std::string> RefuseWeak(request::BackendKind backend,
                                        const judgement::policy::Policy* terms) const;
  // What holds a run, as its result says it.
  json::object Layers(request::BackendKind backend = request::BackendKind::kNative) const;
  // Makes a backend ready; the error says what it lacks.
  Result<> Require(request::BackendKind backend) const;
  // Tries all that its walls may be told; the error says what they do not do.
  Result<> Examine(request::BackendKind backend) const;
  const cell::limits::CgroupSupport& cgroups() const { return groups_.support(); }

  // ---- Cells. `request` says by which backend, and in which image.
  // Starts to build the cell; nothing where a ready one will be taken, or where it needs more than
  // the request says.
  std::optional<BegunCell> BuildAhead(const request::Request& request, const HeldBy& held,
                                      std::set<cell::CellListener> listeners);
  Result<cell::pool::PreparedCell> Take(const request::Request& request, CellNeeds needs,
                                        std::optional<BegunCell> begun);
  // A cell that a copy of an interpreter of that template can go on in.
  Result<cell::pool::PreparedCell> TakeCopy(const request::Request& request, CellNeeds needs,
                                            const std::shared_ptr<cell::CellTemplate>& of);
  // A saved container that goes on. `fill` makes the workspace what it was.
  using Fill = std::function<Result<>(const Fd& workspace)>;
  Result<cell::pool::PreparedCell> Restore(const request::Request& request, CellNeeds needs,
                                           const SavedContainer& saved, const Fill& fill);
  // Has a used cell taken apart, later if there is a pool.
  void Discard(cell::pool::PreparedCell used);

  // ---- The pool, if there is one
  bool has_pool() const { return pool_ != nullptr; }
  // Builds `count` cells for requests like this one ahead of time.
  Result<> Warm(const request::Request& request, std::size_t count);
  // Something begins in a session: cells that nobody waits for are built a little later.
  void StandBack();
  // While held, the pool leaves the machine to a caller that takes many of its cells at once.
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
  std::unique_ptr<cell::pool::WarmPool> pool_;  // null: cells are built one by one
};

}  // namespace belljar::run
