// The questions of a state directory, for who sits at its machine.
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
// `state`: empty for the usual directory.
Result<OpenedQuestions> OpenQuestions(const std::string& state);

// The same, opened when a question is first put: most runs need no person, and should not wait for
// a database.
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

// Who asks, and who answers, from this machine without a token.
std::string MyName();

// Whether somebody can be asked: they see what is said, and what they type comes here.
bool AtTerminal();

// Shows the question at the terminal and waits for a line. Only the full word yes agrees; where
// there is no terminal, nobody does.
bool AgreesAtTerminal(const judgement::approval::Question& question);

}  // namespace belljar::door::cli
