// Value: the abstract value of an expression, the domain of the abstract interpretation.
//
// A value is the set of what an expression may be on any path: names defined outside the program
// ("os.system"), constant strings and numbers, functions that the program defines, and the elements
// of containers. A null pointer means that nothing is known, which holds for most expressions.
//
// Everything is bounded: a value keeps at most kMaxAlternatives of each kind, strings are cut at
// kMaxText, and values nest kMaxNesting deep. Exceeding a bound loses alternatives and never adds
// false ones.
//
// Values are immutable. A ValueStore owns them and frees them when it is destroyed.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "judgement/analysis/syntax/syntax.h"

namespace belljar::judgement::analysis {

constexpr std::size_t kMaxAlternatives = 12;
constexpr std::size_t kMaxText = 64 * 1024;
constexpr std::size_t kMaxItems = 4096;
constexpr std::size_t kMaxKeys = 512;
constexpr int kMaxNesting = 8;

// A vector that usually holds at most one element.
template <class Thing>
using Few = boost::container::small_vector<Thing, 1>;

struct Value {
  Few<std::string> names;           // dotted: "os", "os.system", "builtins.eval"
  Few<std::string> texts;           // constant strings or byte strings
  Few<double> numbers;              // constant numbers
  Few<NodeId> functions;            // defined in this program: functions, lambdas, classes
  std::vector<const Value*> items;  // elements of a list or tuple, in order
  std::map<std::string, const Value*, std::less<>>
      keyed;                      // entries of a mapping or object, by constant key
  const Value* others = nullptr;  // of a container: join of the elements under unknown keys
  bool decoded = false;           // output of a decoder: base64, hex, zlib …

  bool operator==(const Value&) const = default;
};

using ValuePtr = const Value*;  // null: nothing is known

class ValueStore {
 public:
  ValuePtr Keep(Value&& value);
  ValuePtr Name(std::string name);
  ValuePtr Text(std::string text);
  ValuePtr Number(double number);
  ValuePtr Function(NodeId definition);

  // The join: a value that may be either.
  ValuePtr Join(ValuePtr a, ValuePtr b) { return Join(a, b, kMaxNesting); }
  // Joins `from` into a value that is still being built.
  void Merge(Value& into, ValuePtr from) { Merge(into, from, kMaxNesting); }

  // True once values have cost more than any honest program needs. From then on joins add nothing,
  // and long strings are not kept.
  bool exhausted() const { return work_ > kMaxWork || bytes_ > kMaxBytes; }

 private:
  static constexpr std::size_t kMaxBytes = 64 << 20;
  static constexpr std::size_t kShortText = 256;
  static constexpr std::size_t kMaxWork = 1'000'000;

  ValuePtr Join(ValuePtr a, ValuePtr b, int depth);
  void Merge(Value& into, ValuePtr from, int depth);

  std::vector<Value>& Room();

  // Allocated in chunks that are never reallocated, so that pointers to values stay valid.
  std::vector<std::vector<Value>> values_;
  std::size_t work_ = 0;   // number of elements visited by joins
  std::size_t bytes_ = 0;  // of long strings
};

// The element of a container under a constant key, at an index, or under an unknown key (the join
// of all).
ValuePtr AtKey(ValuePtr container, std::string_view key);
ValuePtr AtIndex(ValuePtr container, std::int64_t index);
ValuePtr AnyPart(ValueStore& store, ValuePtr container);

// The constant string that a value is; null if there are alternatives or it is something else.
const std::string* OnlyText(ValuePtr value);
const double* OnlyNumber(ValuePtr value);
bool IsDecoded(ValuePtr value);

}  // namespace belljar::judgement::analysis
