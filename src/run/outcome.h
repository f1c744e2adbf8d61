// Outcome: how a run ended, from one closed list. A fault of Belljar's own is an Error, never one
// of these. The same words are used in JSON, on the command line and in the docs.
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
// All of them, for messages: "ok, exit, exception …".
std::string OutcomeNames();

}  // namespace belljar::run
