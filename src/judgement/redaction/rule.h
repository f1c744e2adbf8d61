// Rules: what is redacted, as a table.
//
// One row describes one way to recognise one kind of secret. `caught` must be redacted and `spared`
// must not; a test checks this for every row. Examples use the macros of patterns (`%w{36}` stands
// for that many random letters and digits), so that no secret scanner reports this table, including
// our own.
//
// Order matters only between rows that match the same bytes: the first one names the kind. Rules
// for particular vendors therefore come before the general ones.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "judgement/redaction/checks.h"
#include "judgement/redaction/pattern.h"

namespace belljar::judgement::redaction {

enum class Group { kCredential, kPersonal, kMachine };

// How a candidate is found: by an anchor that Vectorscan reports, or as a run of digits and
// separators. Patterns with too few fixed letters would slow down the whole Vectorscan search; they
// are found by an at sign, by upper-case letters before digits, by two lower-case letters before
// digits, or by dots or colons.
enum class Finder { kAnchor, kNumber, kAtSign, kCapitals, kSmall, kDots, kColons };

// Whether a secret must end at a word boundary, or the check determines its end.
enum class Ending { kWord, kChecked };

struct Rule {
  std::string_view kind;
  std::string_view
      // For numbers: shapes such as "999-99-9999", where ? is a digit or an upper-case letter.
      pattern;
  std::string_view caught;
  std::string_view spared;
  Check check = Plausible;
  Case letter_case = Case::kExact;
  Finder finder = Finder::kAnchor;
  Ending ending = Ending::kWord;
};

// A token with characteristic letters of its own.
constexpr Rule Token(std::string_view kind, std::string_view pattern, std::string_view caught,
                     std::string_view spared, Check check = Plausible) {
  return {kind, pattern, caught, spared, check};
}

// A value that is recognised by the name before it.
constexpr Rule Named(std::string_view kind, std::string_view pattern, std::string_view caught,
                     std::string_view spared, Check check = RandomLooking) {
  return {kind, pattern, caught, spared, check, Case::kAny};
}

constexpr Rule Number(std::string_view kind, std::string_view shapes, std::string_view caught,
                      std::string_view spared, Check check) {
  return {kind, shapes, caught, spared, check, Case::kExact, Finder::kNumber};
}

// Upper-case letters followed by at least two digits.
constexpr Rule Capitals(std::string_view kind, std::string_view pattern, std::string_view caught,
                        std::string_view spared, Check check) {
  return {kind, pattern, caught, spared, check, Case::kExact, Finder::kCapitals};
}

// Two lower-case letters followed by at least two digits.
constexpr Rule SmallLetters(std::string_view kind, std::string_view pattern,
                            std::string_view caught, std::string_view spared, Check check) {
  return {kind, pattern, caught, spared, check, Case::kExact, Finder::kSmall};
}

constexpr Rule EndsByCheck(Rule rule) {
  rule.ending = Ending::kChecked;
  return rule;
}

std::span<const Rule> CloudRules();
std::span<const Rule> DeveloperRules();
std::span<const Rule> ServiceRules();
std::span<const Rule> NamedServiceRules();
std::span<const Rule> KeyRules();      // private keys, password hashes, URLs with passwords
std::span<const Rule> GeneralRules();  // `password = …`
std::span<const Rule> PersonalRules();
std::span<const Rule> MachineRules();

struct RuleEntry {
  const Rule* rule;
  Group group;
};

// All rules, in the table's order.
std::vector<RuleEntry> AllRules();

// An example with its macros expanded; always the same text.
std::string ExpandExample(std::string_view example);

}  // namespace belljar::judgement::redaction
