#include "cmd/questions.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>

#include "approval/describe.h"
#include "engine/engine.h"
#include "storage/state_dir.h"

namespace belljar::cmd {

Result<OpenedQuestions> OpenQuestions(const std::string& state) {
  const std::string dir = BJ_TRY(engine::StateDirOr(state));
  auto database = BJ_TRY(storage::OpenStateDatabase(dir));
  auto approvals = BJ_TRY(approval::Approvals::Open(*database, dir + "/approvals.key"));
  return OpenedQuestions{std::move(database), std::move(approvals)};
}

Result<approval::Approvals*> OpenedWhenAsked::Open() {
  const std::lock_guard lock(mutex_);
  if (!opened_) opened_ = BJ_TRY(OpenQuestions(state_));
  return opened_->approvals.get();
}

approval::Approvals* OpenedWhenAsked::IfOpen() {
  const std::lock_guard lock(mutex_);
  return opened_ ? opened_->approvals.get() : nullptr;
}

std::string OpenedWhenAsked::LocalCaller() const { return MyName(); }

std::string MyName() { return fmt::format("uid:{}", ::geteuid()); }

bool AtTerminal() { return ::isatty(STDIN_FILENO) == 1 && ::isatty(STDERR_FILENO) == 1; }

bool AgreesAtTerminal(const approval::Question& question) {
  if (!AtTerminal()) return false;
  fmt::print(stderr, "{}\nType yes to let it run: ", approval::Describe(question));
  std::string line;
  if (!std::getline(std::cin, line)) return false;
  return line == "yes";
}

}  // namespace belljar::cmd
