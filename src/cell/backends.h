// Backends: the backends of one engine, each created when it is first requested.
//
// Probing a runtime or a Docker daemon takes longer than many runs, and most engines never need to.
// Creation of a backend that failed is tried again at the next request, because the runtime may
// have been installed since.
//
// Thread-safe; it must outlive its cells.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "cell/backend.h"

namespace belljar::cell {

class Backends final : public Backend {
 public:
  using Maker = std::function<Result<std::unique_ptr<Backend>>()>;

  void Add(request::BackendKind kind, Maker maker);

  // The error says what is missing.
  Result<Backend*> Get(request::BackendKind kind);

  Result<std::unique_ptr<Cell>> Start(const CellSpec& spec, const Placement& placement) override;
  request::Limits GroupLimits(const CellSpec& spec) const override;
  Patience PatienceFor(const CellSpec& spec) const override;
  json::object Layers() const override { return LayersOf(request::BackendKind::kNative); }
  // For a backend that has not been created: only its name.
  json::object LayersOf(request::BackendKind kind) const;
  bool IsGvisor(request::BackendKind kind) const;
  std::string ImageOf(request::BackendKind kind, const std::string& image) const;

 private:
  struct Entry {
    Maker maker;
    std::unique_ptr<Backend> made;
  };
  const Backend* Made(request::BackendKind kind) const;

  mutable std::mutex mutex_;  // held while a backend is created
  std::map<request::BackendKind, Entry> entries_;
};

}  // namespace belljar::cell
