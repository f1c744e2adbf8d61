// Skill: code that is stored under a name, in versions. Plain values.
//
// A definition is everything that determines what a run does. It is immutable: a changed definition
// is a new version. Its digest covers all of it, so that an equal definition is recognised. Of a
// stored version, only the state (whether it may be run) changes.
//
// As JSON, a definition is the part of a request that its runs will have (code, lang, level, image,
// limits, schemas) plus a name, a description and a threshold; the parser of requests is reused for
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "foundation/base/json.h"
#include "foundation/base/result.h"
#include "request/request.h"

namespace belljar::resource::skill {

constexpr std::size_t kMaxNameBytes = 64;
constexpr std::size_t kMaxDescriptionBytes = 4U << 10;
constexpr std::size_t kMaxSkillSchemaBytes = 64U << 10;  // each; keeps lists of tools small
constexpr std::size_t kMaxWhyBytes = 1U << 10;           // for reasons and errors
// Larger code is not cached but compiled at each run.
constexpr std::size_t kMaxCompiledBytes = 2U << 20;
constexpr std::int64_t kMaxVersion = 1'000'000;
constexpr std::int64_t kWhole = 1'000;  // a rate of 1.0 in thousandths

struct Definition {
  std::string name;  // [a-z][a-z0-9_-]{0,63}
  std::string description;
  // Minimum success rate in thousandths; below it the skill is disabled.
  std::int64_t threshold = kWhole / 2;
  // The request template: code, language, level, image, limits and output schema; no other member
  // is set. The input schema is separate, because a request with one needs an input.
  request::Request request_template;
  std::optional<json::value> input_schema;
};

enum class State : std::uint8_t {
  kEnabled,
  kDisabled,
  kTampered,  // never stored: the row's seal is invalid, so nothing in it can be trusted
};
// The name of a state: "enabled", "disabled", "tampered".
std::string_view StateName(State state);
std::optional<State> ParseState(std::string_view name);

// One version of a skill. Times are milliseconds since 1970.
struct Skill {
  std::string caller;
  Definition definition;
  std::int64_t version = 0;
  std::int64_t newest = 0;  // the newest version of this name
  std::string terms;        // the definition without its code, as stored JSON text
  std::string digest;       // of the definition: SHA-256 as 64 lower-case hexadecimal digits
  std::int64_t code_bytes = 0;
  std::int64_t created_ms = 0;
  State state = State::kEnabled;
  std::string why;                // why it is disabled
  std::int64_t changed_ms = 0;    // when it entered its state
  std::int64_t judged_after = 0;  // runs up to this one do not count for its health
};

// The code of a version as compiled by an interpreter. It was produced inside a cell and is not
// trusted, so it is used only inside cells.
struct Compiled {
  std::string by;          // identifies the interpreter and the version of Belljar
  std::string bytes;       // empty: compile at each run
  std::int64_t times = 0;  // how often this version was compiled for the cache
};

// A reference to a skill: NAME or NAME@VERSION.
struct Handle {
  std::string name;
  std::optional<std::int64_t> version;  // nullopt: the newest version, or all of them
};
Result<Handle> ParseHandle(std::string_view text);
std::string HandleText(const Skill& skill);  // "name@3"

Result<> CheckName(std::string_view name);

// Parses a definition; limits that it does not name are taken from `defaults`. Unknown keys are
// errors, and so are request keys that a skill cannot have: runs of a skill differ only in their
// input.
Result<Definition> ParseDefinition(std::string_view json_text,
                                   const request::Limits& defaults = request::Limits());
// Validates a definition. ParseDefinition calls it.
Result<> CheckDefinition(const Definition& definition);
// All that ParseDefinition reads except the code, with every limit written out.
json::object TermsJson(const Definition& definition);
// The digest over both texts as stored, so that a later version of Belljar with more limits
// computes the same digest.
std::string DigestOf(std::string_view terms_text, std::string_view code);

// The text cut to `most` bytes, as valid UTF-8 without NUL; a cut is marked by "...".
std::string Fit(std::string_view text, std::size_t most);

}  // namespace belljar::resource::skill
