#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "cell/backend.h"
#include "cell/oci/host/container_host_process.h"
#include "cell/oci/host/relay.h"

namespace belljar::cell::oci {

// A container's stream before the container exists.
struct NewStream {
  std::unique_ptr<Relay::Line> line;
  Fd theirs;
  Fd errors;
};
Result<NewStream> OpenStream(Relay& relay, const std::set<CellListener>& listeners);

class OciCell final : public Cell {
 public:
  // The data needed to save the cell.
  struct Origin {
    Relay& relay;
    std::uint32_t uid;
    std::string tree;           // as in SavedContainer
    std::string why_not_saved;  // the reason if its runtime cannot save it; else empty
    Unread unread;              // unread output of a resumed container
  };
  OciCell(std::shared_ptr<const Fd> image_hold, KeeperProcess::Container container,
          std::unique_ptr<Relay::Line> line, Origin origin, std::uint32_t runtime_processes)
      : image_hold_(std::move(image_hold)),
        container_(std::move(container)),
        line_(std::move(line)),
        origin_(std::move(origin)),
        runtime_processes_(runtime_processes) {}
  ~OciCell() override { Finish(); }

  const Fd& control() const override { return line_->ends().control; }
  Fd& stdin_pipe() override { return line_->ends().stdin_pipe; }
  const Fd& stdout_pipe() const override { return line_->ends().stdout_pipe; }
  const Fd& stderr_pipe() const override { return line_->ends().stderr_pipe; }
  const Fd& workspace() const override { return container_.workspace; }
  const Fd& written() const override { return container_.written; }
  const std::vector<Fd>& vaults() const override { return container_.vaults; }
  const Fd& procfs() const override { return container_.procfs; }
  const Fd& listener(CellListener listener) const override {
    return line_->ends().listeners[static_cast<std::size_t>(listener)];
  }
  const Fd& ended() const override { return line_->ends().ended; }
  Result<Ending> Reap() override { return line_->ending(); }
  pid_t number() const override { return container_.keeper.pid(); }
  std::uint32_t runtime_processes() const override { return runtime_processes_; }

  Result<SavedContainer> Save(Fd dir, const std::function<Result<>()>& meanwhile) override;

  void Speak() override { line_->Speak(std::exchange(origin_.unread, {})); }
  std::string Condition() override;
  void Interrupt() override { line_->Interrupt(); }
  // The keeper is process 1 of the pid namespace that holds every process of the container.
  void Kill() override { container_.keeper.Signal(SIGKILL); }
  void Finish() override { static_cast<void>(container_.keeper.KillAndReap()); }

 private:
  std::shared_ptr<const Fd> image_hold_;
  KeeperProcess::Container container_;
  std::unique_ptr<Relay::Line> line_;
  Origin origin_;
  std::uint32_t runtime_processes_;
};

}  // namespace belljar::cell::oci
