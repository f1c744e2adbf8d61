// The questions of a state directory, for who sits at its machine.
#pragma once

#include <memory>
#include <string>

#include "approval/approvals.h"
#include "base/result.h"
#include "storage/database.h"

namespace belljar::cmd {

struct OpenedQuestions {
  std::unique_ptr<storage::Database> database;
  std::unique_ptr<approval::Approvals> approvals;
};
// `state`: empty for the usual directory.
Result<OpenedQuestions> OpenQuestions(const std::string& state);

// Who asks, and who answers, from this machine without a token.
std::string MyName();

// Whether somebody can be asked: they see what is said, and what they type comes here.
bool AtTerminal();

// Shows the question at the terminal and waits for a line. Only the full word yes agrees; where
// there is no terminal, nobody does.
bool AgreesAtTerminal(const approval::Question& question);

}  // namespace belljar::cmd
