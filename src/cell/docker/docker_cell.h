#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "cell/backend.h"
#include "cell/docker/container_plan.h"
#include "cell/docker/docker_container.h"
#include "cell/oci/host/relay.h"

namespace belljar::cell::docker {

class DockerCell final : public Cell {
 public:
  struct Parts {
    DockerContainer container;
    std::unique_ptr<oci::Relay::Line> line;
    Fd workspace;
    std::vector<Fd> vaults;
    Fd procfs;
    std::uint32_t runtime_processes;
  };
  explicit DockerCell(Parts parts) : parts_(std::move(parts)) {}
  ~DockerCell() override { Finish(); }

  const Fd& control() const override { return parts_.line->ends().control; }
  Fd& stdin_pipe() override { return parts_.line->ends().stdin_pipe; }
  const Fd& stdout_pipe() const override { return parts_.line->ends().stdout_pipe; }
  const Fd& stderr_pipe() const override { return parts_.line->ends().stderr_pipe; }
  const Fd& workspace() const override { return parts_.workspace; }
  const std::vector<Fd>& vaults() const override { return parts_.vaults; }
  const Fd& procfs() const override { return parts_.procfs; }
  const Fd& ended() const override { return parts_.line->ends().ended; }
  Result<Ending> Reap() override { return parts_.line->ending(); }
  pid_t number() const override { return parts_.line->id(); }
  const Fd& listener(CellListener listener) const override {
    return parts_.line->ends().listeners[static_cast<std::size_t>(listener)];
  }
  std::uint32_t runtime_processes() const override { return parts_.runtime_processes; }

  void Interrupt() override { parts_.line->Interrupt(); }
  void Kill() override { parts_.container.Kill(); }
  void Finish() override { parts_.container.Finish(); }

 private:
  Parts parts_;
};

}  // namespace belljar::cell::docker
