// NativeBackend: cells made of namespaces, seccomp, Landlock and control groups.
//
// For each image one agent lives inside the image's root (stage.h). It clones the init of every
// cell; the launcher or the Python zygote then clones the guest into the init's namespaces, and
// the guest seals itself (child.cc). All of them are children of this process, which alone reads
// wait statuses. When this process ends, their sockets close, and they end too.
//
// Root gives every cell a host uid of its own; an ordinary user gives every guest a user namespace
// of its own. Both are decided here, once.
#pragma once

#include <memory>
#include <string>

#include "cell/backend.h"
#include "cell/native/launcher/orders.h"
#include "cell/slots.h"

namespace belljar::cell::native {

// What cells have for shells. The program that calls tools is a megabyte, which a single run that
// has none need not wait for.
enum class ForShells { kNothing, kToolsClient };

struct NativeOptions {
  Identity identity;
  std::shared_ptr<Slots> slots = std::make_shared<Slots>();  // with the other backends
  StepMask off = 0;                                          // belljar-loose only
  ForShells for_shells = ForShells::kNothing;
};

class NativeBackend final : public Backend {
 public:
  static Result<std::unique_ptr<NativeBackend>> Create(const image::ImageStore& images,
                                                       const NativeOptions& options);
  ~NativeBackend() override;

  Result<std::unique_ptr<Cell>> Start(const CellSpec& spec, const Placement& placement) override;
  json::object Layers() const override;

  // Starts what cells of this spec are made from (agent, zygote) ahead of the first request.
  Result<> Prepare(const CellSpec& spec);

 private:
  class Impl;
  explicit NativeBackend(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace belljar::cell::native
