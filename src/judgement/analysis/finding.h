// The result of analysing one source text. These are plain values. Whether a finding is allowed is
// decided by the policy; nothing here depends on a policy, so the same text always gives the same
// result.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace belljar::judgement::analysis {

enum class Language { kPython, kJavaScript, kTypeScript, kBash };
std::string_view LanguageName(Language language);

enum class Severity { kNote, kWarning, kDanger };
std::string_view SeverityName(Severity severity);

// How much of the machine a program uses (see "Levels" in docs/policy.md).
enum class Level { kReads = 1, kWrites, kRunsCode, kAsksFirst };
std::string_view LevelName(Level level);  // "L1" to "L4"

struct Place {
  std::uint32_t line = 1;    // from 1
  std::uint32_t column = 1;  // from 1, in bytes
  bool operator==(const Place&) const = default;
};

struct Rule;

struct Finding {
  const Rule* rule = nullptr;  // points into the static table of rules
  Place place;
  std::string subject;  // the module, member or command that the rule was applied to
  std::string message;  // one sentence
  bool operator==(const Finding&) const = default;
};

// A module that the program imports, under its real name even if the program builds that name at
// run time. Whether the import is allowed is decided by the policy.
struct Import {
  std::string module;  // "os.path"
  Place place;
  bool optional = false;  // may be missing: inside a try with an except, or under TYPE_CHECKING
  bool operator==(const Import&) const = default;
};

struct Analysis {
  std::vector<Finding> findings;  // in source order, without duplicates
  std::vector<Import> imports;    // in source order, without duplicates
  Level level = Level::kRunsCode;
};

}  // namespace belljar::judgement::analysis
