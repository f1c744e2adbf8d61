#include "door/cli/ending.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "door/cli/account.h"
#include "door/cli/terminal.h"

namespace belljar::door::cli {

void PrintObject(const json::object& object) {
  const std::string text = json::serialize(object) + "\n";
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

namespace {

// Reports vaults that could not be committed although the program succeeded, since that is easily
// overlooked.
void TellRefusedVaults(const run::RunResult& result) {
  for (const run::VaultResult& vault : result.vaults) {
    if (vault.outcome != run::VaultOutcome::kRefused) continue;
    std::fprintf(stderr, "belljar: not committed: %s\n", MakeVisible(vault.message).c_str());
    return;  // vaults are committed together, so one message covers all
  }
}

// Reports changes that the caller did not expect.
void TellUnexpected(const run::RunResult& result) {
  constexpr std::size_t kMostNamed = 5;
  if (!result.files.unexpected || result.files.unexpected->empty()) return;
  const auto& paths = *result.files.unexpected;
  std::string named;
  for (std::size_t i = 0; i < std::min(paths.size(), kMostNamed); ++i) {
    named += (i == 0 ? "" : ", ") + paths[i];
  }
  if (paths.size() > kMostNamed) named += ", ...";
  std::fprintf(stderr, "belljar: warning: files changed that --writes does not name: %s\n",
               MakeVisible(named).c_str());
}

// Says how to answer the approval question that the run waits for.
void TellQuestion(const run::RunResult& result) {
  if (result.outcome != run::Outcome::kNeedsApproval) return;
  const json::value* const approval = result.decision.if_contains("approval");
  if (approval == nullptr || !approval->is_object()) return;
  const json::value* const id = approval->get_object().if_contains("id");
  if (id == nullptr || !id->is_string()) return;
  const std::string shown = MakeVisible(std::string(id->get_string().c_str()));
  std::fprintf(stderr, "belljar: see it with: belljar approvals show %s\n", shown.c_str());
  std::fprintf(stderr, "belljar: let it run with: belljar approvals approve %s, then ask again\n",
               shown.c_str());
}

// Whether `text` says that exactly this module was not found, and not one whose name starts like
// it.
bool SaysMissing(std::string_view text, const std::string& module) {
  constexpr std::array kBeginnings{"No module named '", "Cannot find module '",
                                   "Cannot find package '"};
  return std::ranges::any_of(kBeginnings, [&](const char* beginning) {
    return std::ranges::any_of(std::string_view("'./"), [&](char end) {
      return text.find(beginning + module + end) != std::string_view::npos;
    });
  });
}

// Whether the run failed because of the missing module in `message`. Other errors are unrelated
// even if they mention it: the program has found the module elsewhere, or works without it.
bool FailedFor(const run::RunResult& result, std::string_view message) {
  const std::string module(message.substr(0, message.find(' ')));
  if (result.error) return SaysMissing(result.error->message, module);
  // It exited by itself; a child process may have failed.
  return SaysMissing(result.stderr_captured.bytes, module);
}

// If the program failed for a missing module, repeats the finding made before the run.
void TellMissing(const run::RunResult& result) {
  if (result.outcome != run::Outcome::kException && result.outcome != run::Outcome::kExit) {
    return;
  }
  for (const json::value& finding : result.findings) {
    const json::object* const told = finding.if_object();
    const json::value* const rule = told == nullptr ? nullptr : told->if_contains("rule");
    const json::value* const message = told == nullptr ? nullptr : told->if_contains("message");
    if (rule == nullptr || message == nullptr || !message->is_string()) continue;
    if (*rule != json::value("py-missing-module") && *rule != json::value("js-missing-module")) {
      continue;
    }
    if (!FailedFor(result, message->get_string())) continue;
    std::fprintf(stderr, "belljar: %s\n", MakeVisible(message->get_string()).c_str());
  }
}

}  // namespace

int ShowEnding(const RunFlags& flags, const run::RunResult& result,
               const std::optional<request::Limits>& limits) {
  if (!flags.json && !result.reason.empty()) {
    std::fprintf(stderr, "belljar: %s: %s\n", std::string(run::OutcomeName(result.outcome)).c_str(),
                 MakeVisible(result.reason).c_str());
  }
  if (!flags.json) TellRefusedVaults(result);
  if (!flags.json) TellUnexpected(result);
  if (!flags.json) TellQuestion(result);
  if (!flags.json) TellMissing(result);
  if (flags.account) PrintAccount(result, limits);
  return run::ExitStatus(result);
}

std::string TextOf(const run::RunResult& result) {
  std::string all;
  for (const json::object& bundle : result.results) {
    const json::value* const plain = bundle.if_contains("text/plain");
    if (plain != nullptr && plain->is_string()) {
      all.append(plain->get_string().data(), plain->get_string().size());
    } else {
      std::string types;
      for (const auto& [type, data] : bundle) {
        types += (types.empty() ? "" : ", ") + std::string(type.data(), type.size());
      }
      all += "[" + types + "]";
    }
    if (!all.ends_with('\n')) all += '\n';
  }
  return all;
}

}  // namespace belljar::door::cli
