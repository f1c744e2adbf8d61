#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "isolate/backend.h"
#include "isolate/oci/keeper_process.h"
#include "isolate/oci/relay.h"

namespace belljar::isolate {

// Threads of runsc and its gofer, and the processes it traces guests with, some for each of the
// guest's.
constexpr std::uint32_t kRuntimeProcesses = 160;

class OciCell final : public Cell {
 public:
  OciCell(std::shared_ptr<const Fd> image_hold, KeeperProcess::Container container,
          std::unique_ptr<Relay::Line> line)
      : image_hold_(std::move(image_hold)),
        container_(std::move(container)),
        line_(std::move(line)) {}
  ~OciCell() override { Finish(); }

  const Fd& control() const override { return line_->ends().control; }
  Fd& stdin_pipe() override { return line_->ends().stdin_pipe; }
  const Fd& stdout_pipe() const override { return line_->ends().stdout_pipe; }
  const Fd& stderr_pipe() const override { return line_->ends().stderr_pipe; }
  const Fd& workspace() const override { return container_.workspace; }
  const std::vector<Fd>& vaults() const override { return container_.vaults; }
  const Fd& procfs() const override { return container_.procfs; }
  const Fd& door(Door) const override { return no_door_; }
  const Fd& ended() const override { return line_->ends().ended; }
  Result<Ending> Reap() override { return line_->ending(); }
  pid_t number() const override { return container_.keeper.pid(); }
  std::uint32_t runtime_processes() const override { return kRuntimeProcesses; }

  void Interrupt() override { line_->Interrupt(); }
  // The keeper is process 1 of the namespace that everything of the container lives in.
  void Kill() override { container_.keeper.Signal(SIGKILL); }
  void Finish() override { static_cast<void>(container_.keeper.KillAndReap()); }

 private:
  std::shared_ptr<const Fd> image_hold_;
  KeeperProcess::Container container_;
  std::unique_ptr<Relay::Line> line_;
  Fd no_door_;
};

}  // namespace belljar::isolate
