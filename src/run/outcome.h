// Outcome: how a run ended, one of a fixed list. A fault of Belljar's is an Error and never one of
// these. JSON, the command line and the docs use the same words.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace belljar::run {

enum class Outcome {
  kOk,
  kExit,       // exited with a status other than 0
  kException,  // uncaught exception
  kSignal,     // killed by a signal that Belljar did not send
  kTimeout,    // wall clock or CPU time
  kMemory,
  kProcesses,
  kOutput,
  kDisk,
  kRefused,        // not run: refused
  kNeedsApproval,  // not run yet: a person has to agree
  kDenied,         // not run: a person has said no
  kCancelled,
};

std::string_view OutcomeName(Outcome outcome);
std::optional<Outcome> OutcomeNamed(std::string_view name);
// All names, for messages: "ok, exit, exception …".
std::string OutcomeNames();

}  // namespace belljar::run
