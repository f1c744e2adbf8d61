// Policy: what may run, and under which terms. A plain value, read from TOML by one parser.
//
// Three presets come with the program (presets/*.toml): strict, standard and relaxed. A file of
// one's own names one that it extends and says what is different. A key that is unknown is an error
// that names the nearest known one; so is a module that is allowed without a note of what it
// brings.
//
// docs/policy.md describes the keys.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/rule.h"
#include "base/result.h"
#include "policy/databases.h"
#include "policy/level.h"
#include "policy/network.h"
#include "policy/request.h"
#include "policy/tools.h"

namespace belljar::policy {

// From the mildest to the strictest.
enum class Action { kAllow, kWarn, kReview, kBlock };
std::string_view ActionName(Action action);

enum class Imports { kAny, kUnforbidden, kListed };
std::string_view ImportsName(Imports imports);

// What a module brings, in the words of who allowed it.
struct ModuleRisk {
  bool files = false;
  bool network = false;
  bool memory = false;
  std::string note;
  bool operator==(const ModuleRisk&) const = default;
};

struct LanguageTerms {
  Imports imports = Imports::kListed;
  std::vector<std::string> forbidden;
  std::vector<std::string> allowed;
  std::vector<std::string> members;         // of facades: harmless ones; "os.path.*"
  std::map<std::string, ModuleRisk> risks;  // of the allowed ones
  bool guard = true;                        // Python: the interpreter itself refuses, too
  bool operator==(const LanguageTerms&) const = default;
};

// Wishes that a person must agree to.
struct AskTerms {
  std::chrono::milliseconds timeout{60'000};  // beyond
  std::uint64_t memory_bytes = 512 * kMiB;    // beyond
  Action vault_writes = Action::kReview;
  Action loaders = Action::kReview;  // variables by which interpreters load other code
  bool operator==(const AskTerms&) const = default;
};

// What is taken out of everything that leaves.
struct RedactTerms {
  bool credentials = true;
  bool personal = true;
  bool machines = false;  // their addresses
  bool operator==(const RedactTerms&) const = default;
};

struct ApprovalTerms {
  bool own_allowed = false;  // who asks may also approve
  std::chrono::milliseconds expires = std::chrono::hours(1);
  bool operator==(const ApprovalTerms&) const = default;
};

// What is done about a run that did not end well.
struct RecoveryTerms {
  std::vector<std::string> on;     // of these outcomes
  bool fallback = false;           // the request's own simpler one is run
  bool review = false;             // a person gets to see it
  bool rollback = false;           // a session goes back to its newest checkpoint
  std::vector<std::string> alert;  // "log", and addresses of webhooks
  bool operator==(const RecoveryTerms&) const = default;
};
constexpr std::array<std::string_view, 10> kRecoverable = {
    "exit",      "exception", "signal", "timeout", "memory",
    "processes", "output",    "disk",   "refused", "denied"};

// What a policy file says about itself, and can be tested by.
struct Example {
  std::string says;
  Lang lang = Lang::kPython;
  std::string code;
  std::vector<std::string> command;
  Action expect = Action::kAllow;
  bool operator==(const Example&) const = default;
};

constexpr std::size_t kClassCount = static_cast<std::size_t>(analysis::Class::kUnclear) + 1;

struct Policy {  // default-constructed: blocks whatever is found
  Policy() { classes.fill(Action::kBlock); }

  std::string name;     // of the preset, or of the file
  std::string content;  // a fingerprint of all its text, and of what it extends
  std::string text;     // of a file, as it was read; what it extends is in `content` alone
  std::string description;
  std::array<Action, kClassCount> classes;
  std::array<Action, 3> severities{};                // at least, by severity
  std::map<std::string, Action, std::less<>> rules;  // over the classes
  BackendKind backend = BackendKind::kNative;        // of requests that name none
  bool strict_gvisor = true;                         // without gVisor nothing runs
  LanguageTerms python;
  LanguageTerms javascript;
  AskTerms ask;
  ApprovalTerms approval;
  RedactTerms redact;
  NetworkTerms network;
  std::vector<std::string> artefacts;  // given to requests that ask for them (artefact.h)
  RecoveryTerms recovery;
  ToolServers tools;
  Databases databases;
  std::map<std::string, RecoveryTerms, std::less<>> recovery_of;  // of one caller, in its place
  std::vector<Example> own_examples;                              // not those of what it extends
  bool operator==(const Policy&) const = default;
};

// Whether its runs have a socket by which tools are called and databases asked.
inline bool NeedsToolsDoor(const Policy& policy) {
  return !policy.tools.empty() || !policy.databases.empty();
}

// What holds for runs of that caller.
const RecoveryTerms& RecoveryFor(const Policy& policy, std::string_view caller);

// One of kLevels; another name is an error that lists them.
Result<const Policy*> Preset(std::string_view name);
// The text of a preset, as a file of one's own would be written.
std::string_view PresetText(std::string_view name);

// `name` is for messages, and becomes the policy's.
Result<Policy> ParsePolicy(std::string_view toml_text, const std::string& name);
Result<Policy> ReadPolicyFile(const std::string& path);

// True if `name` is one of `patterns` or lies below one: "os.path" covers "os.path.join". The
// length of the longest that does, or 0.
std::size_t Covers(const std::vector<std::string>& patterns, std::string_view name);

}  // namespace belljar::policy
