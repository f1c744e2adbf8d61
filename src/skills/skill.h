// Skill: code that is kept under a name, in versions. Plain values.
//
// A definition is everything that decides what a run of it does: it never changes, another one is
// another version. Its digest is over all of it, so that the same definition is known again. What
// changes of a version is whether it may be run.
//
// In JSON a definition is the part of a request that a run of it will have (code, lang, level,
// image, limits, schemas) with a name, a description and a threshold: one parser for all of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "policy/request.h"

namespace belljar::skills {

constexpr std::size_t kMaxNameBytes = 64;
constexpr std::size_t kMaxDescriptionBytes = 4U << 10;
constexpr std::size_t kMaxSkillSchemaBytes = 64U
                                             << 10;  // each, so that a list of tools stays small
constexpr std::size_t kMaxWhyBytes = 1U << 10;       // of reasons and errors
constexpr std::size_t kMaxCompiledBytes = 2U << 20;  // more is compiled at each run
constexpr std::int64_t kMaxVersion = 1'000'000;
constexpr std::int64_t kWhole = 1'000;  // a rate of 1, in thousandths

struct Definition {
  std::string name;  // [a-z][a-z0-9_-]{0,63}
  std::string description;
  std::int64_t threshold = kWhole / 2;  // thousandths; below this rate of success it is disabled
  // What a run of it is: code, language, level, image, limits and the output's schema; nothing else
  // is set. The input's schema is apart, since a request with one needs an input.
  policy::Request runs;
  std::optional<json::value> input_schema;
};

enum class State : std::uint8_t {
  kEnabled,
  kDisabled,
  kTampered,  // never stored: its row is not as Belljar wrote it, and nothing in it is believed
};
// "enabled", "disabled", "tampered".
std::string_view StateName(State state);
std::optional<State> ParseState(std::string_view name);

// One version of a skill. Times are milliseconds since 1970.
struct Skill {
  std::string caller;
  Definition is;
  std::int64_t version = 0;
  std::int64_t newest = 0;  // version of this name
  std::string terms;        // the definition without its code, as it is stored
  std::string digest;       // of the definition: SHA-256 in 64 lower-case hex digits
  std::int64_t code_bytes = 0;
  std::int64_t created_ms = 0;
  State state = State::kEnabled;
  std::string why;                // it is disabled
  std::int64_t changed_ms = 0;    // when it came to its state
  std::int64_t judged_after = 0;  // the last run that does not count for its health
};

// What an interpreter has made of a version's code, for interpreters like it. A cell's own word,
// and so of use in a cell only.
struct Compiled {
  std::string by;          // which interpreter, asked by which Belljar
  std::string bytes;       // empty: it is to be compiled at each run
  std::int64_t times = 0;  // how often this version has been compiled to be kept
};

// NAME or NAME@VERSION.
struct Handle {
  std::string name;
  std::optional<std::int64_t> version;  // none: the newest, or all of them
};
Result<Handle> ParseHandle(std::string_view text);
std::string HandleText(const Skill& skill);  // "name@3"

Result<> CheckName(std::string_view name);

// Reads a definition; limits that it does not name are `defaults`. Unknown keys are errors, and so
// are those of a request that a skill does not have: what differs from run to run is its input.
Result<Definition> ParseDefinition(std::string_view json_text,
                                   const policy::Limits& defaults = policy::Limits());
// Whether it can be stored at all. ParseDefinition calls it.
Result<> CheckDefinition(const Definition& definition);
// What ParseDefinition reads but the code, with every limit written out.
json::object TermsJson(const Definition& definition);
// Over the two as they are stored: a Belljar that knows more limits must find the same.
std::string DigestOf(std::string_view terms_text, std::string_view code);

// At most `most` bytes of it, as valid UTF-8 without NUL; what is cut is told by "...".
std::string Fit(std::string_view text, std::size_t most);

}  // namespace belljar::skills
