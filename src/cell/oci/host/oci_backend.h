// OciBackend: cells that gVisor's runsc builds, each with a kernel of its own. No other OCI runtime
// is accepted (runtime.h): behind crun or runc a guest would speak to the host's kernel.
//
// For each image a keeper process holds what its containers share (keeper.cc). A container is
// started as a whole, the shim and the interpreter in it, and then waits for one RUN frame as any
// other cell; so a pool of them is a pool of cells. Its control group is the cell's own, with room
// for the runtime's processes. Killing the container's keeper kills everything in it.
#pragma once

#include <memory>

#include "cell/backend.h"
#include "cell/native/launcher/orders.h"
#include "cell/oci/host/runtime.h"
#include "cell/slots.h"

namespace belljar::cell::oci {

// When the runtime is taken through its whole interface: on request (belljar doctor), or before the
// first cell of each image as well, which takes as long as two cells.
enum class Trial { kWhenAsked, kBeforeCells };

struct OciOptions {
  native::Identity identity;
  std::shared_ptr<Slots> slots;  // with the other backends
  Runtime runtime;
  std::chrono::milliseconds patience = Patience().time;  // until a guest's first word
  Trial trial = Trial::kWhenAsked;
};

class OciBackend final : public Backend {
 public:
  static Result<std::unique_ptr<OciBackend>> Create(const image::ImageStore& images,
                                                    const OciOptions& options);
  ~OciBackend() override;

  Result<std::unique_ptr<Cell>> Start(const CellSpec& spec, const Placement& placement) override;
  request::Limits GroupLimits(const CellSpec& spec) const override;
  Patience PatienceFor(const CellSpec& spec) const override;
  json::object Layers() const override;
  Result<> Examine(const std::string& image) override;
  bool HasGvisor() const override { return true; }

 private:
  class Impl;
  explicit OciBackend(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace belljar::cell::oci
