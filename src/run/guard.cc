#include "run/guard.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sstream>

#include "cell/guest/protocol/guard_rules.h"

namespace belljar::run {

std::shared_ptr<const cell::guest::Guard> MakeGuard(const judgement::policy::Policy& terms) {
  cell::guest::Guard guard;
  guard.policy = terms.name;
  guard.imports = judgement::policy::ImportsName(terms.python.imports);
  for (const cell::guest::GuardRule& rule : cell::guest::kGuardRules) {
    if (judgement::policy::ActionFor(judgement::analysis::RuleNamed(rule.id), terms) >=
        judgement::policy::Action::kReview) {
      guard.refused.emplace_back(rule.id);
    }
  }
  guard.forbidden = fmt::format("{}", fmt::join(terms.python.forbidden, " "));
  guard.allowed = fmt::format("{}", fmt::join(terms.python.allowed, " "));
  guard.members = fmt::format("{}", fmt::join(terms.python.members, " "));
  return std::make_shared<const cell::guest::Guard>(std::move(guard));
}

std::shared_ptr<const cell::guest::Guard> LiftWhatWasGranted(
    const cell::guest::Guard& guard, const judgement::policy::Decision& decision) {
  cell::guest::Guard lifted = guard;
  for (const judgement::policy::Judged& judged : decision.findings) {
    const std::string_view id = judged.finding.rule->id;
    if (judged.action < judgement::policy::Action::kReview) continue;
    // For imports the approver saw specific modules: only those are permitted.
    if (id == "py-import") {
      lifted.allowed += " " + judged.finding.subject;
    } else if (id == "py-member") {
      lifted.members += " " + judged.finding.subject;
    } else {
      std::erase(lifted.refused, id);
    }
  }
  return std::make_shared<const cell::guest::Guard>(std::move(lifted));
}

std::shared_ptr<const cell::guest::Guard> LiftNetwork(const cell::guest::Guard& guard) {
  cell::guest::Guard lifted = guard;
  std::erase(lifted.refused, "py-network");
  const auto& modules = judgement::policy::NetworkModules(judgement::analysis::Language::kPython);
  lifted.allowed += fmt::format(" {}", fmt::join(modules, " "));
  // The longer name takes precedence: http is permitted, but http.client may be forbidden by
  // itself.
  std::istringstream forbidden(guard.forbidden);
  for (std::string name; forbidden >> name;) {
    if (judgement::policy::Covers(modules, name) > 0) lifted.allowed += " " + name;
  }
  return std::make_shared<const cell::guest::Guard>(std::move(lifted));
}

}  // namespace belljar::run
