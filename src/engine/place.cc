// Where a request runs: in a cell of the pool, in one that was begun ahead, or in one built now.
#include "engine/parts.h"
#include "engine/saved_container.h"

namespace belljar::engine {

// Only what a cell is built to; what the watch enforces from outside does not make another cell.
isolate::CellSpec Engine::SpecFor(const policy::Request& request) const {
  isolate::CellSpec spec;
  spec.backend = request.backend.value_or(policy::BackendKind::kNative);
  spec.image = request.image;
  spec.limits = request.limits;
  const policy::Limits defaults;
  spec.limits.wall = defaults.wall;
  spec.limits.cpu_time = defaults.cpu_time;
  spec.limits.output_bytes = defaults.output_bytes;
  spec.limits.output_lines = defaults.output_lines;
  spec.limits.file_operations = defaults.file_operations;
  spec.deterministic = request.deterministic;
  for (const policy::Vault& vault : request.vaults) {
    spec.vaults.push_back({std::string(policy::VaultName(vault)), vault.mode});
  }
  if (!request.allow_hosts.empty()) spec.doors.insert(isolate::Door::kEgress);
  if (!request.command.empty() || request.lang == policy::Lang::kBash) {
    spec.guest = isolate::GuestKind::kNative;
  } else if (request.lang == policy::Lang::kJavaScript) {
    spec.guest = isolate::GuestKind::kNode;
  } else {
    // A zygote pays off from the second cell on.
    const bool native = spec.backend == policy::BackendKind::kNative;
    const bool warm = parts_->pool != nullptr || (native && request.deterministic.has_value());
    spec.guest = warm ? isolate::GuestKind::kPythonWarm : isolate::GuestKind::kPythonCold;
  }
  return spec;
}

namespace {

// Seeds, vaults, artefacts and networks are many, and seldom asked for twice: no cells are built
// ahead for one. Tools follow from the policy, which is the same for most.
bool IsCommon(const isolate::CellSpec& spec) {
  return !spec.deterministic && spec.vaults.empty() && spec.artefacts.empty() &&
         !spec.doors.contains(isolate::Door::kEgress);
}

}  // namespace

Result<session::PreparedCell> Engine::Place(const policy::Request& request, Wanted wanted) {
  // Docker's image has the compiled guest in it: a later one would be brought there as a whole.
  if (request.backend == policy::BackendKind::kDocker) CompileGuestOnce(request.image);
  isolate::CellSpec spec = SpecFor(request);
  spec.doors.merge(wanted.doors);
  spec.artefacts = std::move(wanted.artefacts.specs);
  if (parts_->pool && IsCommon(spec)) return parts_->pool->Take(spec);
  const auto begun = std::move(parts_->begun);
  if (begun && begun->spec == spec) return begun->made.get();
  auto made = BJ_TRY(parts_->factory->Make(spec));
  made.holds = std::move(wanted.artefacts.holds);
  return made;
}

void Engine::Begin(const policy::Request& request) {
  const auto terms = assessment().PolicyFor(request);
  policy::Request held = request;
  // Whoever judges the request says what is wrong with it.
  if (!terms || CannotBeHeld(held, terms->get())) return;
  parts_->redactor = std::async(std::launch::async, [this, policy = *terms] {
    static_cast<void>(assessment().RedactorFor(*policy));
  });
  isolate::CellSpec spec = SpecFor(held);
  spec.doors.merge(DoorsFor(terms->get()));
  // Others need the image to be brought somewhere first, in its final form.
  if (spec.backend != policy::BackendKind::kNative || !IsCommon(spec)) return;
  if (!held.artefacts.empty()) return;
  auto made = std::async(std::launch::async, [this, spec] { return parts_->factory->Make(spec); });
  parts_->begun = std::make_unique<BegunCell>(BegunCell{std::move(spec), std::move(made)});
}

// A ready cell will do if it has the same addresses; as a rule it has.
Result<session::PreparedCell> Engine::PlaceCopy(const policy::Request& request,
                                                const std::shared_ptr<isolate::CellTemplate>& of) {
  isolate::CellSpec spec = SpecFor(request);
  const auto terms = BJ_TRY(assessment().PolicyFor(request));
  spec.doors.merge(DoorsFor(terms.get()));
  Artefacts::Given given;
  if (auto refusal = BJ_TRY(artefacts().Give(request, given))) {
    return Error(Kind::kDenied, *std::move(refusal));
  }
  spec.artefacts = std::move(given.specs);
  if (parts_->pool && IsCommon(spec)) {
    auto ready = parts_->pool->TakeReady(spec);
    if (ready && ready->cell->copy_of()->Is(*of)) return *std::move(ready);
    if (ready) parts_->pool->Discard(*std::move(ready));
  }
  spec.copy_of = of;
  auto made = BJ_TRY(parts_->factory->Make(spec));
  made.holds = std::move(given.holds);
  return made;
}

Result<session::PreparedCell> Engine::PlaceSaved(const policy::Request& request,
                                                 const SavedContainer& saved, const Prepare& fill) {
  isolate::CellSpec spec = SpecFor(request);
  Artefacts::Given given;
  if (auto refusal = BJ_TRY(artefacts().Give(request, given))) {
    return Error(Kind::kDenied, *std::move(refusal));
  }
  spec.artefacts = std::move(given.specs);
  spec.resumes = std::make_shared<isolate::Resumption>(isolate::Resumption{saved.saved(), fill});
  auto made = BJ_TRY(parts_->factory->Make(spec));
  made.holds = std::move(given.holds);
  return made;
}

std::unique_ptr<session::WarmPool::Quiet> Engine::QuietPool() {
  if (!parts_->pool) return nullptr;
  return std::make_unique<session::WarmPool::Quiet>(*parts_->pool);
}

void Engine::StandBack() {
  if (parts_->pool) parts_->pool->StandBack();
}

void Engine::Settle(session::PreparedCell used) {
  if (parts_->pool) parts_->pool->Discard(std::move(used));
}

Result<> Engine::Warm(const policy::Request& request, std::size_t count) {
  if (!parts_->pool) return {};
  return parts_->pool->Fill(SpecFor(request), count);
}

}  // namespace belljar::engine
