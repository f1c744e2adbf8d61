// DockerBackend: cells that are containers of a Docker daemon, isolated by gVisor.
//
// It serves machines where runsc is available only through Docker, and operators who want to see
// every container in one place. The guest inside is that of the gvisor backend: the shim, and
// behind it the interpreter that waits for one RUN frame; so a pool of containers is a pool of
// cells. The daemon is called when a container is created and when it is removed, never during a
// run.
//
// The root is read-only. All writable directories are tmpfs volumes that the supervisor has opened.
// The container's processes are moved to the cell's own control groups (gather.h). Without gVisor
// there is no backend, unless the operator sets strict_gvisor to false.
#pragma once

#include <memory>

#include "cell/backend.h"
#include "cell/docker/container_plan.h"
#include "cell/slots.h"

namespace belljar::cell::docker {

class DockerBackend final : public Backend {
 public:
  // The error says what is missing and how to install it. Removes strays of `options.owner`.
  // `images` must outlive the backend.
  static Result<std::unique_ptr<DockerBackend>> Create(const image::ImageStore& images,
                                                       std::shared_ptr<Slots> slots,
                                                       const DockerOptions& options,
                                                       const DockerHooks& hooks);
  ~DockerBackend() override;

  Result<std::unique_ptr<Cell>> Start(const CellSpec& spec, const Placement& placement) override;
  request::Limits GroupLimits(const CellSpec& spec) const override;
  std::string ImageFor(const std::string& image) const override;
  json::object Layers() const override;
  bool HasGvisor() const override;

 private:
  class Impl;
  explicit DockerBackend(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// $DOCKER_HOST if it names a Unix socket, else /var/run/docker.sock.
std::string DefaultDockerSocket();

}  // namespace belljar::cell::docker
