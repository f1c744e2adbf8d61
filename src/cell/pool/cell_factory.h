// CellFactory: a sealed cell in a control group of its own, up to the guest's HELLO.
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

// A cell that waits for its one RUN. The order of the members is the order of destruction turned
// round: the cell's processes end before their group is removed.
struct PreparedCell {
  std::vector<std::shared_ptr<const Fd>> holds;  // on what must stay as long as the cell
  std::optional<limits::Cgroup> group;
  std::unique_ptr<Cell> cell;
  guest::GuestDialogue dialogue;
  std::uint64_t cpu_us_before = 0;  // what its interpreter took to start: not the program's
};

// The error for a guest that has gone before it should, in its own last words.
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
