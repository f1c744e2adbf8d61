// CellFactory: starts a sealed cell in a control group of its own and waits for the guest's HELLO.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "cell/backend.h"
#include "cell/guest/protocol/wire.h"
#include "cell/limits/cgroup.h"
#include "foundation/base/result.h"

namespace belljar::cell::pool {

// A cell that waits for its one RUN frame. Members are destroyed in reverse order: the cell's
// processes end before their control group is removed.
struct PreparedCell {
  std::vector<std::shared_ptr<const Fd>> holds;  // keep resources alive that the cell uses
  std::optional<limits::Cgroup> group;
  std::unique_ptr<Cell> cell;
  guest::GuestDialogue dialogue;
  // CPU time of the interpreter's start; not charged to the program
  std::uint64_t cpu_us_before = 0;
};

// The error for a guest that has ended too early; quotes what the guest wrote to stderr.
Error EndedEarly(const PreparedCell& prepared, std::string_view before);

class CellFactory {
 public:
  // Both must outlive the factory.
  CellFactory(Backend& backend, limits::CgroupTree& groups) : backend_(backend), groups_(groups) {}

  // Thread-safe.
  Result<PreparedCell> Make(const CellSpec& spec);

 private:
  Backend& backend_;
  limits::CgroupTree& groups_;
  std::atomic<std::uint64_t> next_{1};
};

}  // namespace belljar::cell::pool
