// OciBackend: cells in containers of gVisor's runsc, each with a kernel of its own. No other OCI
// runtime is accepted (runtime.h): behind crun or runc a guest would use the host's kernel.
//
// For each image a keeper process holds what its containers share (container_host.cc). A container
// is started as a whole, with the shim and the interpreter in it, and then waits for one RUN frame
// like any other cell; so a pool of containers is a pool of cells. It uses the cell's control
// group, which has room for the runtime's processes. Killing the container's keeper kills
// everything in it.
#pragma once

#include <memory>

#include "cell/backend.h"
#include "cell/native/launcher/orders.h"
#include "cell/oci/host/runtime.h"
#include "cell/slots.h"

namespace belljar::cell::oci {

// When the runtime's whole interface is tried: on request (belljar doctor), or also before the
// first cell of each image, which takes as long as two cells.
enum class Trial { kWhenAsked, kBeforeCells };

struct OciOptions {
  native::Identity identity;
  std::shared_ptr<Slots> slots;  // shared with the other backends
  Runtime runtime;
  std::chrono::milliseconds patience = Patience().time;  // until a guest's first message
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
