// Policy: what may run, and under which terms. A plain value, read from TOML by one parser.
//
// Three presets are built in (presets/*.toml): strict, standard and relaxed. An operator's own file
// names the preset it extends and lists the differences. An unknown key is an error that names the
// nearest known key. Allowing a module without a description of its risks is an error too.
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

#include "foundation/base/result.h"
#include "judgement/analysis/rule.h"
#include "judgement/policy/databases.h"
#include "judgement/policy/network.h"
#include "judgement/policy/tools.h"
#include "request/level.h"
#include "request/request.h"

namespace belljar::judgement::policy {

// Ordered from the mildest to the strictest.
enum class Action { kAllow, kWarn, kReview, kBlock };
std::string_view ActionName(Action action);

enum class Imports { kAny, kUnforbidden, kListed };
std::string_view ImportsName(Imports imports);

// The risks of allowing a module, as the policy's author describes them.
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
  // Harmless members of modules that also have dangerous ones: "os.path.*".
  std::vector<std::string> members;
  std::map<std::string, ModuleRisk> risks;  // of the allowed modules
  bool guard = true;  // Python: the interpreter enforces the lists at run time, too
  bool operator==(const LanguageTerms&) const = default;
};

// When a request's wishes need a person's approval.
struct AskTerms {
  std::chrono::milliseconds timeout{60'000};         // above this
  std::uint64_t memory_bytes = 512 * request::kMiB;  // above this
  Action vault_writes = Action::kReview;
  Action loaders = Action::kReview;  // environment variables that make interpreters load other code
  bool operator==(const AskTerms&) const = default;
};

// What is redacted from everything that leaves a cell.
struct RedactTerms {
  bool credentials = true;
  bool personal = true;
  bool machines = false;  // IP and MAC addresses
  bool operator==(const RedactTerms&) const = default;
};

struct ApprovalTerms {
  bool own_allowed = false;  // a caller may approve their own requests
  std::chrono::milliseconds expires = std::chrono::hours(1);
  bool operator==(const ApprovalTerms&) const = default;
};

// What is done after a run that did not end well.
struct RecoveryTerms {
  std::vector<std::string> on;     // the outcomes that trigger it
  bool fallback = false;           // run the request's own fallback
  bool review = false;             // ask a person to review the run
  bool rollback = false;           // restore the session's newest checkpoint
  std::vector<std::string> alert;  // "log", and URLs of webhooks
  bool operator==(const RecoveryTerms&) const = default;
};
constexpr std::array<std::string_view, 10> kRecoverable = {
    "exit",      "exception", "signal", "timeout", "memory",
    "processes", "output",    "disk",   "refused", "denied"};

// An example in a policy file, which documents the policy and can be tested.
struct Example {
  std::string says;
  request::Lang lang = request::Lang::kPython;
  std::string code;
  std::vector<std::string> command;
  Action expect = Action::kAllow;
  bool operator==(const Example&) const = default;
};

constexpr std::size_t kClassCount = static_cast<std::size_t>(analysis::Class::kUnclear) + 1;

struct Policy {  // default-constructed: blocks every finding
  Policy() { classes.fill(Action::kBlock); }

  std::string name;     // of the preset or the file
  std::string content;  // a fingerprint of its whole text and of the policy it extends
  std::string text;     // the text of the file itself, without the preset it extends
  std::string description;
  std::array<Action, kClassCount> classes;
  std::array<Action, 3> severities{};                // the minimum action for each severity
  std::map<std::string, Action, std::less<>> rules;  // by rule; overrides the class's action
  request::BackendKind backend = request::BackendKind::kNative;  // for requests that name none
  bool strict_gvisor = true;  // level strict runs nothing without gVisor
  LanguageTerms python;
  LanguageTerms javascript;
  AskTerms ask;
  ApprovalTerms approval;
  RedactTerms redact;
  NetworkTerms network;
  std::vector<std::string> artefacts;  // granted to requests that ask for them (artefact.h)
  RecoveryTerms recovery;
  ToolServers tools;
  Databases databases;
  // By caller; replaces `recovery` for that caller.
  std::map<std::string, RecoveryTerms, std::less<>> recovery_of;
  std::vector<Example> own_examples;  // without those of the preset it extends
  bool operator==(const Policy&) const = default;
};

// Whether its runs get the socket through which tools are called and databases queried.
inline bool NeedsToolsListener(const Policy& policy) {
  return !policy.tools.empty() || !policy.databases.empty();
}

// The recovery terms for runs of that caller.
const RecoveryTerms& RecoveryFor(const Policy& policy, std::string_view caller);

// The preset of that name, one of kLevels; another name is an error that lists them.
Result<const Policy*> Preset(std::string_view name);
// The text of a preset, which can serve as a template for a file.
std::string_view PresetText(std::string_view name);

// `name` is used in messages and becomes the policy's name.
Result<Policy> ParsePolicy(std::string_view toml_text, const std::string& name);
Result<Policy> ReadPolicyFile(const std::string& path);

// The length of the longest of `patterns` that is `name` or a prefix of it at a dot ("os.path"
// covers "os.path.join"); 0 if there is none.
std::size_t Covers(const std::vector<std::string>& patterns, std::string_view name);

}  // namespace belljar::judgement::policy
