// Rule: one thing that the analysis looks for. The tables of rules are data: docs/rules.md is made
// from them, and the examples of each are tests.
#pragma once

#include <span>
#include <string_view>

#include "judgement/analysis/finding.h"

namespace belljar::judgement::analysis {

// What a rule is about. A policy says what happens for each class, not for each rule.
enum class Class {
  kImport,           // a module is named; the policy has lists of them
  kMember,           // of a module that is a facade; likewise
  kDynamicCode,      // eval and its like
  kDeserialisation,  // data that runs code when it is read
  kProcess,
  kNetwork,
  kNative,         // doors to machine code
  kIntrospection,  // walks from an object to what it was not given
  kTampering,      // with what others rely on
  kObfuscation,
  kFiles,  // outside the workspace
  kBomb,
  kShellBlock,  // the shell's table: never
  kShellAsk,    // the shell's table: after a person has said yes
  kMissing,     // a module that is not in the image
  kSyntax,
  kUnclear,  // could not be judged
};
std::string_view ClassName(Class rule_class);

struct Rule {
  std::string_view id;  // "py-eval"
  Language language;
  Class rule_class;
  Severity severity;
  std::string_view title;   // what it is, in a few words
  std::string_view why;     // what can go wrong, in a sentence or two
  std::string_view advice;  // what to do instead
  std::string_view bad;     // a text with this finding
  std::string_view good;    // a text of the same kind without it
};

std::span<const Rule> PythonRules();
std::span<const Rule> JavaScriptRules();
std::span<const Rule> ShellRules();

// The rule of that id. It must exist: ids are written in the analysers, and a test looks each up.
const Rule& RuleNamed(std::string_view id);
// The same for ids from outside; null if there is none.
const Rule* FindRule(std::string_view id);

// Whether a word is meant to be such an id: "py-evil"; and the one that it probably means, or "".
bool LooksLikeRule(std::string_view word);
std::string_view NearestRule(std::string_view id);

// Changes whenever the same text may get another answer.
constexpr std::uint32_t kRuleSetVersion = 9;

}  // namespace belljar::judgement::analysis
