// ApprovalSource: the store of approval questions, opened on first use.
//
// Most requests need no approval and should not wait for a database. So the store is behind this
// interface, and only the stage that asks opens it.
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
  // The store if it is open already, else null. For output that is optional.
  virtual judgement::approval::Approvals* IfOpen() = 0;
  // The caller name for a requester without one: a command without a daemon.
  virtual std::string LocalCaller() const { return "local"; }
};

// A store that is already open. It must outlive this object.
class OpenApprovals final : public ApprovalSource {
 public:
  explicit OpenApprovals(judgement::approval::Approvals& approvals) : approvals_(approvals) {}
  Result<judgement::approval::Approvals*> Open() override { return &approvals_; }
  judgement::approval::Approvals* IfOpen() override { return &approvals_; }

 private:
  judgement::approval::Approvals& approvals_;
};

}  // namespace belljar::run
