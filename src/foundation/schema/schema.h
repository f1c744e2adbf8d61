// Schema: a JSON Schema validator.
//
// It supports the keywords of draft 7, and those of 2020-12 that a program is likely to write
// ($defs, prefixItems, dependentRequired, dependentSchemas, minContains, maxContains). An unknown
// keyword is refused, never ignored, because its author expects it to be checked. References stay
// inside the schema; no other document is loaded.
//
// Schema and value may both be hostile. Patterns are matched in linear time (pattern.h), a schema
// is bounded in bytes, depth and references, and a check in the number of its steps: a check that
// would take too long ends as a mismatch that says so.
//
// This is our own validator because Debian's packaged ones match patterns by recursive
// backtracking, which a long string makes overflow the stack. Schema is an immutable value, safe to
// share between threads.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "foundation/base/json.h"
#include "foundation/base/result.h"

namespace belljar::schema {

constexpr std::size_t kMaxSchemaBytes = 256 << 10;
constexpr std::size_t kMaxSchemaDepth = 48;  // nesting of the schema's JSON text
// The maximum length of a chain of schemas that apply to one value, each through the one before it
// ($ref, allOf, ...).
constexpr std::size_t kMaxChain = 32;
constexpr std::size_t kMaxPatternBytes = 1024;
constexpr std::size_t kMaxPatterns = 256;
constexpr std::size_t kMaxMismatches = 8;  // mismatches reported

struct Tree;

class Schema {
 public:
  const Tree& tree() const { return *tree_; }

 private:
  friend Result<Schema> ParseSchema(const json::value& value);
  explicit Schema(std::shared_ptr<const Tree> tree) : tree_(std::move(tree)) {}
  std::shared_ptr<const Tree> tree_;  // immutable, and shared by copies
};

// Compiles a schema. An error names the place in the schema: "at #/properties/age: ...".
Result<Schema> ParseSchema(const json::value& value);

struct Mismatch {
  std::string path;     // ".items[2].age"; empty: the whole value
  std::string message;  // "must be an integer, not a string"
};

// The mismatches of `value`, at most kMaxMismatches; empty when the value fits.
std::vector<Mismatch> Check(const Schema& schema, const json::value& value);

// The mismatches as one sentence for a person: "input.items[2].age: must be an integer, not a
// string; input.name: ...".
std::string Sentence(std::string_view name, const std::vector<Mismatch>& mismatches);

}  // namespace belljar::schema
