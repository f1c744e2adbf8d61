#include "run/outcome.h"

#include <array>

namespace belljar::run {
namespace {

constexpr std::array<Outcome, 13> kOutcomes = {
    Outcome::kOk,       Outcome::kExit,    Outcome::kException,     Outcome::kSignal,
    Outcome::kTimeout,  Outcome::kMemory,  Outcome::kProcesses,     Outcome::kOutput,
    Outcome::kDisk,     Outcome::kRefused, Outcome::kNeedsApproval, Outcome::kDenied,
    Outcome::kCancelled};

}  // namespace

std::string_view OutcomeName(Outcome outcome) {
  switch (outcome) {
    case Outcome::kOk:
      return "ok";
    case Outcome::kExit:
      return "exit";
    case Outcome::kException:
      return "exception";
    case Outcome::kSignal:
      return "signal";
    case Outcome::kTimeout:
      return "timeout";
    case Outcome::kMemory:
      return "memory";
    case Outcome::kProcesses:
      return "processes";
    case Outcome::kOutput:
      return "output";
    case Outcome::kDisk:
      return "disk";
    case Outcome::kRefused:
      return "refused";
    case Outcome::kNeedsApproval:
      return "needs_approval";
    case Outcome::kDenied:
      return "denied";
    case Outcome::kCancelled:
      return "cancelled";
  }
  return "exit";
}

std::optional<Outcome> OutcomeNamed(std::string_view name) {
  for (const Outcome outcome : kOutcomes) {
    if (OutcomeName(outcome) == name) return outcome;
  }
  return std::nullopt;
}

std::string OutcomeNames() {
  std::string names;
  for (const Outcome outcome : kOutcomes) {
    if (!names.empty()) names += ", ";
    names += OutcomeName(outcome);
  }
  return names;
}

}  // namespace belljar::run
