// The compiled form of a schema: what Check walks along. Built once by Parser, then only read.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "schema/format.h"
#include "schema/pattern.h"

namespace belljar::schema {

struct Node;

// Types as bits, in the order in which they are told.
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
  std::vector<const Node*> first;    // of the items at the beginning, one by one
  const Node* rest = nullptr;        // of those after them, or of all
  const Node* additional = nullptr;  // draft 7's word for `rest` beside a list
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
  std::map<std::string, std::vector<std::string>, std::less<>> needs;  // with a member, others
  std::map<std::string, const Node*, std::less<>> fits_with;           // with a member, a schema
};

struct Node {
  bool never = false;                              // the schema `false`
  unsigned types = 0;                              // 0: all
  std::optional<std::vector<std::string>> values;  // canonical texts, of "enum" and "const"
  std::string values_shown;
  std::optional<std::string> constant;
  std::string constant_shown;
  NumberTerms number;
  StringTerms string;
  ArrayTerms array;
  ObjectTerms object;
  // Of the same value:
  const Node* reference = nullptr;
  std::vector<const Node*> all_of, any_of, one_of;
  const Node* none_of = nullptr;
  const Node* condition = nullptr;
  const Node* then = nullptr;
  const Node* otherwise = nullptr;
};

struct Tree {
  std::deque<Node> nodes;  // their addresses stay
  std::deque<Pattern> patterns;
  const Node* root = nullptr;
};

}  // namespace belljar::schema
