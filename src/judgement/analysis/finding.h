// What the static analysis says of one source text. Plain values; who may do what is the policy's
// business, so nothing here depends on one, and the same text always gives the same answer.
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

// How much of the machine a text asks for (see "Levels" in docs/policy.md).
enum class Level { kReads = 1, kWrites, kRunsCode, kAsksFirst };
std::string_view LevelName(Level level);  // "L1" to "L4"

struct Place {
  std::uint32_t line = 1;    // from 1
  std::uint32_t column = 1;  // from 1, in bytes
  bool operator==(const Place&) const = default;
};

struct Rule;

struct Finding {
  const Rule* rule = nullptr;  // in the table of rules: lives as long as the program
  Place place;
  std::string subject;  // what the rule is about here: a module, a member, a command
  std::string message;  // one sentence
  bool operator==(const Finding&) const = default;
};

// A module that the text names, however it is spelled. Whether it may is for the policy.
struct Import {
  std::string module;  // "os.path"
  Place place;
  bool optional = false;  // it may be missing: in a try with an except, or for type checkers
  bool operator==(const Import&) const = default;
};

struct Analysis {
  std::vector<Finding> findings;  // in the order of their places, each once
  std::vector<Import> imports;    // likewise
  Level level = Level::kRunsCode;
};

}  // namespace belljar::judgement::analysis
