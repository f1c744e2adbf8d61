// NativeBackend: cells made of namespaces, seccomp, Landlock and control groups.
//
// Each image has one agent, which lives inside the image's root (stage.h). The agent clones the
// init of every cell; the launcher or the Python zygote then clones the guest into the init's
// namespaces, and the guest seals itself (child.cc). All of them are children of this process,
// which alone reads wait statuses. When this process ends, their sockets close, and they end too.
//
// As root, the backend gives every cell a host uid of its own; for an ordinary user it gives every
// guest a user namespace of its own. The choice is made once, in NativeOptions.
#pragma once

#include <memory>
#include <string>

#include "cell/backend.h"
#include "cell/native/launcher/orders.h"
#include "cell/slots.h"

namespace belljar::cell::native {

// Programs installed in cells for shells. The program that calls tools is a megabyte, and a single
// run without tools need not wait for it.
enum class ForShells { kNothing, kToolsClient };

struct NativeOptions {
  Identity identity;
  std::shared_ptr<Slots> slots = std::make_shared<Slots>();  // shared with the other backends
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

  // Starts the processes that cells of this spec are cloned from (agent, zygote) ahead of the first
  // request.
  Result<> Prepare(const CellSpec& spec);

 private:
  class Impl;
  explicit NativeBackend(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace belljar::cell::native
