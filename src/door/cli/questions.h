// The questions of a state directory, for who sits at its machine.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "approval/approvals.h"
#include "base/result.h"
#include "engine/approval_source.h"
#include "storage/database.h"

namespace belljar::cmd {

struct OpenedQuestions {
  std::unique_ptr<storage::Database> database;
  std::unique_ptr<approval::Approvals> approvals;
};
// `state`: empty for the usual directory.
Result<OpenedQuestions> OpenQuestions(const std::string& state);

// The same, opened when a question is first put: most runs need no person, and should not wait for
// a database.
class OpenedWhenAsked final : public engine::ApprovalSource {
 public:
  explicit OpenedWhenAsked(std::string state) : state_(std::move(state)) {}
  Result<approval::Approvals*> Open() override;
  approval::Approvals* IfOpen() override;
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
bool AgreesAtTerminal(const approval::Question& question);

}  // namespace belljar::cmd
