// Schema: what a JSON value has to look like, by JSON Schema.
//
// The keywords of draft 7, and of 2020-12 those that a program is likely to write ($defs,
// prefixItems, dependentRequired, dependentSchemas, minContains, maxContains). A keyword that is
// not known is refused, never ignored: whoever wrote it believes that it is checked. References
// stay inside the schema; nothing is ever loaded.
//
// Both sides may be hostile. Patterns are matched in linear time (pattern.h), a schema is bounded
// in bytes, depth and references, and a check in the work it may do: one that would take too long
// is a mismatch that says so.
//
// The packaged validators match patterns by backtracking on the stack, which a long string
// overflows; hence one of our own. Values, and safe to share between threads.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace belljar::schema {

constexpr std::size_t kMaxSchemaBytes = 256 << 10;
constexpr std::size_t kMaxSchemaDepth = 48;  // of the text
// How many schemas may apply to one value, each through the one before it ($ref, allOf, ...).
constexpr std::size_t kMaxChain = 32;
constexpr std::size_t kMaxPatternBytes = 1024;
constexpr std::size_t kMaxPatterns = 256;
constexpr std::size_t kMaxMismatches = 8;  // that are told

struct Tree;

class Schema {
 public:
  const Tree& tree() const { return *tree_; }

 private:
  friend Result<Schema> ParseSchema(const json::value& value);
  explicit Schema(std::shared_ptr<const Tree> tree) : tree_(std::move(tree)) {}
  std::shared_ptr<const Tree> tree_;  // shared by copies, and never changed
};

// A mistake names its place in the schema: "at #/properties/age: ...".
Result<Schema> ParseSchema(const json::value& value);

struct Mismatch {
  std::string path;     // ".items[2].age"; empty: the whole value
  std::string message;  // "must be an integer, not a string"
};

// What does not fit, at most kMaxMismatches of it; nothing when the value fits.
std::vector<Mismatch> Check(const Schema& schema, const json::value& value);

// "input.items[2].age: must be an integer, not a string; input.name: ...": for a person.
std::string Sentence(std::string_view name, const std::vector<Mismatch>& mismatches);

}  // namespace belljar::schema
