// The compiled form of a schema, which Check traverses. Built once by Parser and immutable
// afterwards.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "foundation/schema/format.h"
#include "foundation/schema/pattern.h"

namespace belljar::schema {

struct Node;

// Types as bits.
enum Type : unsigned {
  kNull = 1,
  kBoolean = 2,
  kInteger = 4,
  kNumber = 8,
  kString = 16,
  kArray = 32,
  kObject = 64,
};

struct Count {
  std::optional<std::uint64_t> least;
  std::optional<std::uint64_t> most;
};

struct NumberTerms {
  std::optional<long double> minimum, maximum, above, below, multiple_of;
};

struct StringTerms {
  Count length;
  const Pattern* pattern = nullptr;
  const Format* format = nullptr;
};

struct ArrayTerms {
  Count length;
  bool unique = false;
  std::vector<const Node*> first;    // schemas of the first items, one each
  const Node* rest = nullptr;        // schema of the items after `first`, or of all items
  const Node* additional = nullptr;  // draft 7's name for `rest` when "items" is a list
  const Node* contains = nullptr;
  Count contained;
};

struct ObjectTerms {
  Count length;
  std::map<std::string, const Node*, std::less<>> members;
  std::vector<std::pair<const Pattern*, const Node*>> by_pattern;
  const Node* others = nullptr;
  const Node* names = nullptr;
  std::vector<std::string> required;
  // "dependentRequired": if the member exists, so must these
  std::map<std::string, std::vector<std::string>, std::less<>> needs;
  // "dependentSchemas": if the member exists, this schema applies.
  std::map<std::string, const Node*, std::less<>> fits_with;
};

struct Node {
  bool never = false;                              // the schema is `false`
  unsigned types = 0;                              // bit set of Type; 0: all types
  std::optional<std::vector<std::string>> values;  // canonical texts of the values of "enum"
  std::string values_shown;
  std::optional<std::string> constant;
  std::string constant_shown;
  NumberTerms number;
  StringTerms string;
  ArrayTerms array;
  ObjectTerms object;
  // Schemas that apply to the same value:
  const Node* reference = nullptr;
  std::vector<const Node*> all_of, any_of, one_of;
  const Node* none_of = nullptr;
  const Node* condition = nullptr;
  const Node* then = nullptr;
  const Node* otherwise = nullptr;
};

struct Tree {
  std::deque<Node> nodes;  // a deque, so that addresses are stable
  std::deque<Pattern> patterns;
  const Node* root = nullptr;
};

}  // namespace belljar::schema
