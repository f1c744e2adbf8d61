#include "run/artefacts.h"

#include <unistd.h>

namespace belljar::run {

std::optional<std::string> Artefacts::Recover() {
  if (::access(dir_.c_str(), F_OK) != 0) return std::nullopt;
  const auto store = Store();
  if (store) return std::nullopt;
  return store.error().message();
}

Result<resource::artefact::Store> Artefacts::Store() {
  const std::lock_guard lock(mutex_);
  if (!store_) store_ = BJ_TRY(resource::artefact::Store::Open(dir_));
  return *store_;
}

namespace {

// An artefact that is missing or has changed is the request's fault and refuses it; other errors
// are Belljar's.
Result<Artefacts::Refusal> RefusalOf(const Error& error) {
  if (error.kind() != Kind::kDenied && error.kind() != Kind::kNotFound) return error;
  return Artefacts::Refusal(error.message());
}

}  // namespace

Result<Artefacts::Refusal> Artefacts::Resolve(request::Request& request) {
  if (request.artefacts.empty()) return Refusal();
  const resource::artefact::Store store = BJ_TRY(Store());
  for (request::Artefact& wish : request.artefacts) {
    auto resolved = store.Resolve(wish);
    if (!resolved) return RefusalOf(resolved.error());
    wish = *std::move(resolved);
  }
  return Refusal();
}

Result<Artefacts::Refusal> Artefacts::Give(const request::Request& request, Given& given) {
  if (request.artefacts.empty()) return Refusal();
  const resource::artefact::Store store = BJ_TRY(Store());
  for (const request::Artefact& wish : request.artefacts) {
    const auto held = store.Hold(wish, marks_);
    if (!held) return RefusalOf(held.error());
    given.specs.push_back({wish.name, held->path, held->content});
    given.holds.push_back(held->hold);
  }
  return Refusal();
}

}  // namespace belljar::run
