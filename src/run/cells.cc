#include "run/cells.h"

#include "run/session/saved_container.h"
#include "run/unenforced.h"

namespace belljar::run {

using cell::pool::PreparedCell;

Result<std::unique_ptr<Cells>> Cells::Create(const cell::image::ImageStore& images,
                                             const CellOptions& options) {
  auto groups = BJ_TRY(cell::limits::CgroupTree::Open());
  auto backends = MakeBackends(images, options.walls, options.native, options.docker);
  BJ_TRY(backends->Get(request::BackendKind::kNative));
  return std::unique_ptr<Cells>(new Cells(std::move(groups), std::move(backends), options));
}

Cells::Cells(cell::limits::CgroupTree groups, std::unique_ptr<cell::Backends> backends,
             const CellOptions& options)
    : allow_unenforced_(options.allow_unenforced),
      groups_(std::move(groups)),
      backends_(std::move(backends)),
      factory_(*backends_, groups_) {
  if (options.pool_target == 0) return;
  pool_ = std::make_unique<cell::pool::WarmPool>(factory_, options.pool_target);
}

HeldBy Cells::Hold(const request::Request& request, const judgement::policy::Policy* terms) const {
  HeldBy held = ChooseWalls(request, terms, *backends_);
  if (held.refusal) return held;
  held.refusal = RefuseUnenforced(request, held.backend, cgroups(), allow_unenforced_);
  return held;
}

std::optional<std::string> Cells::RefuseWeak(request::BackendKind backend,
                                             const judgement::policy::Policy* terms) const {
  return RefuseWeakWalls(backend, terms, *backends_);
}

json::object Cells::Layers(request::BackendKind backend) const {
  json::object layers = backends_->LayersOf(backend);
  json::object limits;
  for (const LimitLayer& layer : LimitLayers(cgroups())) limits[layer.limit] = layer.by;
  layers["limits"] = std::move(limits);
  return layers;
}

Result<> Cells::Require(request::BackendKind backend) const {
  BJ_TRY(backends_->Get(backend));
  return {};
}

Result<> Cells::Examine(request::BackendKind backend) const {
  cell::Backend* const made = BJ_TRY(backends_->Get(backend));
  return made->Examine(made->ImageFor(request::Request().image));
}

// Sets only what a cell is built with. Limits that the supervisor enforces from outside do not
// require a different cell.
cell::CellSpec Cells::SpecFor(const request::Request& request, request::BackendKind backend,
                              const std::string& image) const {
  cell::CellSpec spec;
  spec.backend = backend;
  spec.image = image;
  spec.limits = request.limits;
  const request::Limits defaults;
  spec.limits.wall = defaults.wall;
  spec.limits.cpu_time = defaults.cpu_time;
  spec.limits.output_bytes = defaults.output_bytes;
  spec.limits.output_lines = defaults.output_lines;
  spec.limits.file_operations = defaults.file_operations;
  spec.deterministic = request.deterministic;
  for (const request::Vault& vault : request.vaults) {
    spec.vaults.push_back({std::string(request::VaultName(vault)), vault.mode});
  }
  if (!request.allow_hosts.empty()) spec.listeners.insert(cell::CellListener::kEgress);
  if (!request.command.empty() || request.lang == request::Lang::kBash) {
    spec.guest = cell::GuestKind::kNative;
  } else if (request.lang == request::Lang::kJavaScript) {
    spec.guest = cell::GuestKind::kNode;
  } else {
    // A zygote pays off only from the second cell on.
    const bool native = backend == request::BackendKind::kNative;
    const bool warm = has_pool() || (native && request.deterministic.has_value());
    spec.guest = warm ? cell::GuestKind::kPythonWarm : cell::GuestKind::kPythonCold;
  }
  return spec;
}

cell::CellSpec Cells::SpecFor(const request::Request& request, CellNeeds& needs) const {
  cell::CellSpec spec =
      SpecFor(request, request.backend.value_or(request::BackendKind::kNative), request.image);
  spec.listeners.merge(needs.listeners);
  spec.artefacts = std::move(needs.artefacts.specs);
  return spec;
}

namespace {

// Whether cells of this kind are worth building ahead. Seeds, vaults, artefacts and networks vary
// and rarely repeat, so they are not; tools follow from the policy, which most requests share.
bool IsCommon(const cell::CellSpec& spec) {
  return !spec.deterministic && spec.vaults.empty() && spec.artefacts.empty() &&
         !spec.listeners.contains(cell::CellListener::kEgress);
}

}  // namespace

std::optional<BegunCell> Cells::BuildAhead(const request::Request& request, const HeldBy& held,
                                           std::set<cell::CellListener> listeners) {
  if (held.refusal || has_pool() || !request.artefacts.empty()) return std::nullopt;
  cell::CellSpec spec = SpecFor(request, held.backend, held.image);
  spec.listeners.merge(listeners);
  // Other backends need the image to be copied to them first, in its final form.
  if (spec.backend != request::BackendKind::kNative || !IsCommon(spec)) return std::nullopt;
  auto made = std::async(std::launch::async, [this, spec] { return factory_.Make(spec); });
  return BegunCell{std::move(spec), std::move(made)};
}

Result<PreparedCell> Cells::Make(const cell::CellSpec& spec, CellNeeds needs) {
  auto made = BJ_TRY(factory_.Make(spec));
  made.holds = std::move(needs.artefacts.holds);
  return made;
}

Result<PreparedCell> Cells::Take(const request::Request& request, CellNeeds needs,
                                 std::optional<BegunCell> begun) {
  const cell::CellSpec spec = SpecFor(request, needs);
  if (pool_ && IsCommon(spec)) return pool_->Take(spec);
  if (begun && begun->spec == spec) return begun->made.get();
  return Make(spec, std::move(needs));
}

// A pooled cell can be used if its template has the same address layout, which is the usual case.
Result<PreparedCell> Cells::TakeCopy(const request::Request& request, CellNeeds needs,
                                     const std::shared_ptr<cell::CellTemplate>& of) {
  cell::CellSpec spec = SpecFor(request, needs);
  if (pool_ && IsCommon(spec)) {
    auto ready = pool_->TakeReady(spec);
    if (ready && ready->cell->copy_of()->Is(*of)) return *std::move(ready);
    if (ready) pool_->Discard(*std::move(ready));
  }
  spec.copy_of = of;
  return Make(spec, std::move(needs));
}

Result<PreparedCell> Cells::Restore(const request::Request& request, CellNeeds needs,
                                    const SavedContainer& saved, const Fill& fill) {
  cell::CellSpec spec = SpecFor(request, needs);
  spec.resumes = std::make_shared<cell::Resumption>(cell::Resumption{saved.saved(), fill});
  return Make(spec, std::move(needs));
}

void Cells::Discard(PreparedCell used) {
  if (pool_) pool_->Discard(std::move(used));
}

Result<> Cells::Warm(const request::Request& request, std::size_t count) {
  if (!pool_) return {};
  CellNeeds none;
  return pool_->Fill(SpecFor(request, none), count);
}

void Cells::StandBack() {
  if (pool_) pool_->StandBack();
}

std::unique_ptr<cell::pool::WarmPool::Quiet> Cells::QuietPool() {
  if (!pool_) return nullptr;
  return std::make_unique<cell::pool::WarmPool::Quiet>(*pool_);
}

}  // namespace belljar::run
