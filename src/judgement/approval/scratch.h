// ScratchApprovals: an approvals database in a temporary directory, for tests of other folders.
#pragma once

#include "foundation/storage/scratch.h"
#include "judgement/approval/approvals.h"

namespace belljar::judgement::approval {

class ScratchApprovals {
 public:
  // Opens the database as a separate process would.
  Approvals& Open(Now now = SystemNow) {
    auto database = storage::Database::Open("sqlite:" + dir_.path("approvals.db"));
    EXPECT_TRUE(database) << database.error().message();
    databases_.push_back(*std::move(database));
    auto approvals = Approvals::Open(*databases_.back(), dir_.path("approvals.key"), now);
    EXPECT_TRUE(approvals) << approvals.error().message();
    opened_.push_back(*std::move(approvals));
    return *opened_.back();
  }

 private:
  storage::ScratchDir dir_;
  std::vector<std::unique_ptr<storage::Database>> databases_;
  std::vector<std::unique_ptr<Approvals>> opened_;
};

}  // namespace belljar::judgement::approval
