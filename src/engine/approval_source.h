// ApprovalSource: the store of questions, opened when a question is first put.
//
// Most requests need no person, and should not wait for a database. So the store is behind this,
// and only the stage that asks opens it.
//
// Thread-safe.
#pragma once

#include "approval/approvals.h"
#include "base/result.h"

namespace belljar::engine {

class ApprovalSource {
 public:
  virtual ~ApprovalSource() = default;
  // The store lives as long as the source.
  virtual Result<approval::Approvals*> Open() = 0;
};

// One that is open already, and outlives this.
class OpenApprovals final : public ApprovalSource {
 public:
  explicit OpenApprovals(approval::Approvals& approvals) : approvals_(approvals) {}
  Result<approval::Approvals*> Open() override { return &approvals_; }

 private:
  approval::Approvals& approvals_;
};

}  // namespace belljar::engine
