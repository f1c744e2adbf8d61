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

#include "engine/artefacts.h"
#include "engine/walls.h"
#include "image/store.h"
#include "isolate/backends.h"
#include "monitor/cgroup.h"
#include "policy/policy.h"
#include "policy/request.h"
#include "session/pool.h"

namespace belljar::engine {

class SavedContainer;

// What a cell has besides what its request says.
struct CellNeeds {
  std::set<isolate::Door> doors;
  Artefacts::Given artefacts;
};

// A cell that is being built while the request that it is for is judged.
struct BegunCell {
  isolate::CellSpec spec;
  std::future<Result<session::PreparedCell>> made;
};

struct CellOptions {
  std::size_t pool_target = 0;             // 0: no pool; each cell is built for its request
  std::set<std::string> allow_unenforced;  // limits that may be missing on this machine
  WallOptions walls;
  NativeParts native;
  isolate::DockerHooks docker;
};

class Cells {
 public:
  static Result<std::unique_ptr<Cells>> Create(const image::ImageStore& images,
                                               const CellOptions& options);

  // ---- Walls
  HeldBy Hold(const policy::Request& request, const policy::Policy* terms) const;
  // The sentence that refuses walls which that policy does not trust.
  std::optional<std::string> RefuseWeak(policy::BackendKind backend,
                                        const policy::Policy* terms) const;
  // What holds a run, as its result says it.
  json::object Layers(policy::BackendKind backend = policy::BackendKind::kNative) const;
  // Makes a backend ready; the error says what it lacks.
  Result<> Require(policy::BackendKind backend) const;
  // Tries all that its walls may be told; the error says what they do not do.
  Result<> Examine(policy::BackendKind backend) const;
  const monitor::CgroupSupport& cgroups() const { return groups_.support(); }

  // ---- Cells. `request` says by which backend, and in which image.
  // Starts to build the cell; nothing where a ready one will be taken, or where it needs more than
  // the request says.
  std::optional<BegunCell> BuildAhead(const policy::Request& request, const HeldBy& held,
                                      std::set<isolate::Door> doors);
  Result<session::PreparedCell> Take(const policy::Request& request, CellNeeds needs,
                                     std::optional<BegunCell> begun);
  // A cell that a copy of an interpreter of that template can go on in.
  Result<session::PreparedCell> TakeCopy(const policy::Request& request, CellNeeds needs,
                                         const std::shared_ptr<isolate::CellTemplate>& of);
  // A saved container that goes on. `fill` makes the workspace what it was.
  using Fill = std::function<Result<>(const Fd& workspace)>;
  Result<session::PreparedCell> Restore(const policy::Request& request, CellNeeds needs,
                                        const SavedContainer& saved, const Fill& fill);
  // Has a used cell taken apart, later if there is a pool.
  void Discard(session::PreparedCell used);

  // ---- The pool, if there is one
  bool has_pool() const { return pool_ != nullptr; }
  // Builds `count` cells for requests like this one ahead of time.
  Result<> Warm(const policy::Request& request, std::size_t count);
  // Something begins in a session: cells that nobody waits for are built a little later.
  void StandBack();
  // While held, the pool leaves the machine to a caller that takes many of its cells at once.
  std::unique_ptr<session::WarmPool::Quiet> QuietPool();

 private:
  Cells(monitor::CgroupTree groups, std::unique_ptr<isolate::Backends> backends,
        const CellOptions& options);
  isolate::CellSpec SpecFor(const policy::Request& request, policy::BackendKind backend,
                            const std::string& image) const;
  isolate::CellSpec SpecFor(const policy::Request& request, CellNeeds& needs) const;
  Result<session::PreparedCell> Make(const isolate::CellSpec& spec, CellNeeds needs);

  const std::set<std::string> allow_unenforced_;
  monitor::CgroupTree groups_;
  const std::unique_ptr<isolate::Backends> backends_;
  session::CellFactory factory_;
  std::unique_ptr<session::WarmPool> pool_;  // null: cells are built one by one
};

}  // namespace belljar::engine
