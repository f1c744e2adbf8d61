// Backends: those of one engine, each made when it is first asked for.
//
// To find out what a runtime or a Docker daemon can do takes longer than many a run, and most
// engines never need to know. One that could not be made is asked again by the next request: it may
// have been installed meanwhile.
//
// Thread-safe; it must outlive its cells.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>

#include "isolate/backend.h"

namespace belljar::isolate {

class Backends final : public Backend {
 public:
  using Maker = std::function<Result<std::unique_ptr<Backend>>()>;

  void Add(policy::BackendKind kind, Maker maker);

  // The error says what is missing.
  Result<Backend*> Get(policy::BackendKind kind);

  Result<std::unique_ptr<Cell>> Start(const CellSpec& spec, const Placement& placement) override;
  policy::Limits GroupLimits(const CellSpec& spec) const override;
  Patience PatienceFor(const CellSpec& spec) const override;
  json::object Layers() const override { return LayersOf(policy::BackendKind::kNative); }
  // Of one that has not been made: its name alone.
  json::object LayersOf(policy::BackendKind kind) const;
  bool IsGvisor(policy::BackendKind kind) const;
  std::string ImageOf(policy::BackendKind kind, const std::string& image) const;

 private:
  struct Entry {
    Maker maker;
    std::unique_ptr<Backend> made;
  };
  const Backend* Made(policy::BackendKind kind) const;

  mutable std::mutex mutex_;  // held while one is made
  std::map<policy::BackendKind, Entry> entries_;
};

}  // namespace belljar::isolate
