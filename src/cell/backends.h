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
  // Of one that has not been made: its name alone.
  json::object LayersOf(request::BackendKind kind) const;
  bool IsGvisor(request::BackendKind kind) const;
  std::string ImageOf(request::BackendKind kind, const std::string& image) const;

 private:
  struct Entry {
    Maker maker;
    std::unique_ptr<Backend> made;
  };
  const Backend* Made(request::BackendKind kind) const;

  mutable std::mutex mutex_;  // held while one is made
  std::map<request::BackendKind, Entry> entries_;
};

}  // namespace belljar::cell
