#include "door/cli/questions.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "foundation/storage/state_dir.h"
#include "judgement/approval/describe.h"
#include "run/engine.h"

namespace belljar::door::cli {

Result<OpenedQuestions> OpenQuestions(const std::string& state) {
  const std::string dir = BJ_TRY(run::StateDirOr(state));
  auto database = BJ_TRY(storage::OpenStateDatabase(dir));
  auto approvals = BJ_TRY(judgement::approval::Approvals::Open(*database, dir + "/approvals.key"));
  return OpenedQuestions{std::move(database), std::move(approvals)};
}

Result<judgement::approval::Approvals*> OpenedWhenAsked::Open() {
  const std::lock_guard lock(mutex_);
  if (!opened_) opened_ = BJ_TRY(OpenQuestions(state_));
  return opened_->approvals.get();
}

judgement::approval::Approvals* OpenedWhenAsked::IfOpen() {
  const std::lock_guard lock(mutex_);
  return opened_ ? opened_->approvals.get() : nullptr;
}

std::string OpenedWhenAsked::LocalCaller() const { return MyName(); }

std::string MyName() { return fmt::format("uid:{}", ::geteuid()); }

bool AtTerminal() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1; }

bool AgreesAtTerminal(const judgement::approval::Question& question) {
  if (!AtTerminal()) return false;
  fmt::print(stderr, "{}\nType yes to let it run: ", judgement::approval::Describe(question));
  std::string line;
  if (!std::getline(std::cin, line)) return false;
  return line == "yes";
}

}  // namespace belljar::door::cli
