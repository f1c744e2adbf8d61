// ApprovalSource: the store of questions, opened when a question is first put.
//
// Most requests need no person, and should not wait for a database. So the store is behind this,
// and only the stage that asks opens it.
//
// Thread-safe.
#pragma once

#include <string>

#include "foundation/base/result.h"
#include "judgement/approval/approvals.h"

namespace belljar::run {

class ApprovalSource {
 public:
  virtual ~ApprovalSource() = default;
  // The store lives as long as the source.
  virtual Result<judgement::approval::Approvals*> Open() = 0;
  // The same if it is open already; else null. For what is told without a need to know.
  virtual judgement::approval::Approvals* IfOpen() = 0;
  // The name that asks for a requester who has none: a command without a daemon.
  virtual std::string LocalCaller() const { return "local"; }
};

// One that is open already, and outlives this.
class OpenApprovals final : public ApprovalSource {
 public:
  explicit OpenApprovals(judgement::approval::Approvals& approvals) : approvals_(approvals) {}
  Result<judgement::approval::Approvals*> Open() override { return &approvals_; }
  judgement::approval::Approvals* IfOpen() override { return &approvals_; }

 private:
  judgement::approval::Approvals& approvals_;
};

}  // namespace belljar::run
