// Approval questions of a state directory, for the user at its machine.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "foundation/base/result.h"
#include "foundation/storage/database.h"
#include "judgement/approval/approvals.h"
#include "run/approval_source.h"

namespace belljar::door::cli {

struct OpenedQuestions {
  std::unique_ptr<storage::Database> database;
  std::unique_ptr<judgement::approval::Approvals> approvals;
};
// `state` empty: the default directory.
Result<OpenedQuestions> OpenQuestions(const std::string& state);

// The same store, opened on first use: most runs need no approval, and should not wait for a
// database.
class OpenedWhenAsked final : public run::ApprovalSource {
 public:
  explicit OpenedWhenAsked(std::string state) : state_(std::move(state)) {}
  Result<judgement::approval::Approvals*> Open() override;
  judgement::approval::Approvals* IfOpen() override;
  std::string LocalCaller() const override;

 private:
  const std::string state_;
  std::mutex mutex_;
  std::optional<OpenedQuestions> opened_;
};

// The user's name as requester and approver on this machine, where no token is used.
std::string MyName();

// Whether a user can be asked: stdin and stderr are a terminal.
bool AtTerminal();

// Shows the question at the terminal and waits for a line. Only the full word "yes" agrees. False
// where there is no terminal.
bool AgreesAtTerminal(const judgement::approval::Question& question);

}  // namespace belljar::door::cli
