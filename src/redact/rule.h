// Rules: what is redacted, as data.
//
// One row is one way to know one kind. `caught` must be redacted and `spared` must not; a test goes
// through the table, so a row without working examples does not pass. Examples are written with the
// macros of patterns (`%w{36}` stands for that many random letters and digits), so that this table
// sets off nobody's alarm, our own included.
//
// Order matters only between rows that match the same bytes: the first one names the kind. Rules
// for particular vendors therefore come before the general ones.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "redact/checks.h"
#include "redact/pattern.h"

namespace belljar::redact {

enum class Group { kCredential, kPersonal, kMachine };

// What finds a candidate: an anchor seen by Vectorscan, or a run of digits and separators. What has
// too few letters of its own would slow all of Vectorscan's search: it is found by an at sign, by
// capitals before digits, by two small letters before digits, by dots and colons.
enum class Finder { kAnchor, kNumber, kAtSign, kCapitals, kSmall, kDots, kColons };

// Whether a secret must end where a word ends, or the check finds the end.
enum class Ending { kWord, kChecked };

struct Rule {
  std::string_view kind;
  std::string_view
      pattern;  // of a number: shapes such as "999-99-9999", where ? is a digit or a capital
  std::string_view caught;
  std::string_view spared;
  Check check = Plausible;
  Case letter_case = Case::kExact;
  Finder finder = Finder::kAnchor;
  Ending ending = Ending::kWord;
};

// A token that is known by its own letters.
constexpr Rule Token(std::string_view kind, std::string_view pattern, std::string_view caught,
                     std::string_view spared, Check check = Plausible) {
  return {kind, pattern, caught, spared, check};
}

// A value that is known by the name before it.
constexpr Rule Named(std::string_view kind, std::string_view pattern, std::string_view caught,
                     std::string_view spared, Check check = RandomLooking) {
  return {kind, pattern, caught, spared, check, Case::kAny};
}

constexpr Rule Number(std::string_view kind, std::string_view shapes, std::string_view caught,
                      std::string_view spared, Check check) {
  return {kind, shapes, caught, spared, check, Case::kExact, Finder::kNumber};
}

// Capitals and then digits, two at least.
constexpr Rule Capitals(std::string_view kind, std::string_view pattern, std::string_view caught,
                        std::string_view spared, Check check) {
  return {kind, pattern, caught, spared, check, Case::kExact, Finder::kCapitals};
}

// Two small letters and then digits, two at least.
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
std::span<const Rule> KeyRules();      // private keys, hashes, addresses with passwords
std::span<const Rule> GeneralRules();  // `password = …`
std::span<const Rule> PersonalRules();
std::span<const Rule> MachineRules();

struct RuleEntry {
  const Rule* rule;
  Group group;
};

// The whole table, in its order.
std::vector<RuleEntry> AllRules();

// An example with its macros filled in; the same every time.
std::string ExpandExample(std::string_view example);

}  // namespace belljar::redact
