#include "cell/backends.h"

namespace belljar::cell {

void Backends::Add(request::BackendKind kind, Maker maker) {
  const std::lock_guard lock(mutex_);
  entries_[kind].maker = std::move(maker);
}

Result<Backend*> Backends::Get(request::BackendKind kind) {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(kind);
  if (found == entries_.end()) {
    return Error(Kind::kNotFound, "there is no backend " + std::string(request::BackendName(kind)));
  }
  if (!found->second.made) {
    auto made = found->second.maker();
    if (!made) {
      return std::move(made).error().While("the backend " +
                                           std::string(request::BackendName(kind)));
    }
    found->second.made = *std::move(made);
  }
  return found->second.made.get();
}

Result<std::unique_ptr<Cell>> Backends::Start(const CellSpec& spec, const Placement& placement) {
  if (spec.resumes && spec.backend != request::BackendKind::kGvisor) {
    return Error(Kind::kInvalid, "a saved container goes on behind gVisor, and nowhere else");
  }
  Backend* const backend = BJ_TRY(Get(spec.backend));
  return backend->Start(spec, placement);
}

const Backend* Backends::Made(request::BackendKind kind) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(kind);
  return found == entries_.end() ? nullptr : found->second.made.get();
}

request::Limits Backends::GroupLimits(const CellSpec& spec) const {
  const Backend* const backend = Made(spec.backend);
  return backend == nullptr ? spec.limits : backend->GroupLimits(spec);
}

Patience Backends::PatienceFor(const CellSpec& spec) const {
  const Backend* const backend = Made(spec.backend);
  return backend == nullptr ? Patience() : backend->PatienceFor(spec);
}

json::object Backends::LayersOf(request::BackendKind kind) const {
  const Backend* const backend = Made(kind);
  if (backend == nullptr) return {{"backend", request::BackendName(kind)}};
  return backend->Layers();
}

std::string Backends::ImageOf(request::BackendKind kind, const std::string& image) const {
  const Backend* const backend = Made(kind);
  return backend == nullptr ? image : backend->ImageFor(image);
}

bool Backends::IsGvisor(request::BackendKind kind) const {
  const Backend* const backend = Made(kind);
  return backend != nullptr && backend->HasGvisor();
}

}  // namespace belljar::cell
