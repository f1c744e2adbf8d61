// CellFactory: a sealed cell in a control group of its own, up to the guest's HELLO.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "guest/wire.h"
#include "isolate/backend.h"
#include "monitor/cgroup.h"

namespace belljar::session {

// A cell that waits for its one RUN. The order of the members is the order of destruction turned
// round: the cell's processes end before their group is removed.
struct PreparedCell {
  std::vector<std::shared_ptr<const Fd>> holds;  // on what must stay as long as the cell
  std::optional<monitor::Cgroup> group;
  std::unique_ptr<isolate::Cell> cell;
  guest::GuestDialogue dialogue;
  std::uint64_t cpu_us_before = 0;  // what its interpreter took to start: not the program's
};

// The error for a guest that has gone before it should, in its own last words.
Error EndedEarly(const PreparedCell& prepared, std::string_view before);

class CellFactory {
 public:
  // Both must outlive the factory.
  CellFactory(isolate::Backend& backend, monitor::CgroupTree& groups)
      : backend_(backend), groups_(groups) {}

  // Thread-safe.
  Result<PreparedCell> Make(const isolate::CellSpec& spec);

 private:
  isolate::Backend& backend_;
  monitor::CgroupTree& groups_;
  std::atomic<std::uint64_t> next_{1};
};

}  // namespace belljar::session
