// ApprovalSource: the store of questions, opened when a question is first put.
//
// Most requests need no person, and should not wait for a database. So the store is behind this,
// and only the stage that asks opens it.
//
// Thread-safe.
#pragma once

#include <string>

#include "approval/approvals.h"
#include "base/result.h"

namespace belljar::engine {

class ApprovalSource {
 public:
  virtual ~ApprovalSource() = default;
  // The store lives as long as the source.
  virtual Result<approval::Approvals*> Open() = 0;
  // The same if it is open already; else null. For what is told without a need to know.
  virtual approval::Approvals* IfOpen() = 0;
  // The name that asks for a requester who has none: a command without a daemon.
  virtual std::string LocalCaller() const { return "local"; }
};

// One that is open already, and outlives this.
class OpenApprovals final : public ApprovalSource {
 public:
  explicit OpenApprovals(approval::Approvals& approvals) : approvals_(approvals) {}
  Result<approval::Approvals*> Open() override { return &approvals_; }
  approval::Approvals* IfOpen() override { return &approvals_; }

 private:
  approval::Approvals& approvals_;
};

}  // namespace belljar::engine
