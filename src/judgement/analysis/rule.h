// Rule: one pattern that the analysis reports. The tables of rules are data: docs/rules.md is
// generated from them, and each rule's examples are run as tests.
#pragma once

#include <span>
#include <string_view>

#include "judgement/analysis/finding.h"

namespace belljar::judgement::analysis {

// The subject area of a rule. A policy decides by class, not by rule.
enum class Class {
  kImport,           // a module is imported; the policy lists allowed and forbidden ones
  kMember,           // a member of a facade module (os, sys) is used; the policy has such lists too
  kDynamicCode,      // eval and the like
  kDeserialisation,  // deserialisers that can run code, such as pickle
  kProcess,
  kNetwork,
  kNative,         // ways to run machine code, such as ctypes
  kIntrospection,  // reaches from an object to internals (classes, frames, globals)
  kTampering,      // changes objects that other code relies on
  kObfuscation,
  kFiles,  // paths outside the workspace
  kBomb,
  kShellBlock,  // shell: always forbidden
  kShellAsk,    // shell: allowed after a person has approved it
  kMissing,     // a module that the image does not have
  kSyntax,
  kUnclear,  // could not be judged
};
std::string_view ClassName(Class rule_class);

struct Rule {
  std::string_view id;  // "py-eval"
  Language language;
  Class rule_class;
  Severity severity;
  std::string_view title;   // what it reports, in a few words
  std::string_view why;     // what can go wrong, in a sentence or two
  std::string_view advice;  // what to do instead
  std::string_view bad;     // an example with this finding
  std::string_view good;    // a similar example without it
};

std::span<const Rule> PythonRules();
std::span<const Rule> JavaScriptRules();
std::span<const Rule> ShellRules();

// The rule with that id, which must exist: the analysers use literal ids, and a test looks up each
// of them.
const Rule& RuleNamed(std::string_view id);
// The rule with an id from outside, such as a policy file; null if there is none.
const Rule* FindRule(std::string_view id);

// LooksLikeRule tells whether a word is meant to be a rule's id, perhaps misspelt ("py-evil").
// NearestRule returns the most similar id, or "".
bool LooksLikeRule(std::string_view word);
std::string_view NearestRule(std::string_view id);

// Incremented whenever the same text may get a different result.
constexpr std::uint32_t kRuleSetVersion = 9;

}  // namespace belljar::judgement::analysis
