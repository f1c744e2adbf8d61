// Value: what an expression of the analysed text may stand for, as far as reading can tell.
//
// A value gathers what an expression may be on any path: names of things outside the text
// ("os.system"), constant texts and numbers, functions that the text defines, and the parts of
// containers. Nothing known is a null pointer, which is what most expressions are.
//
// Everything is bounded: a value keeps at most kMaxAlternatives of each kind, texts are cut at
// kMaxText, and values nest kMaxNesting deep. Bounds lose knowledge, never invent it.
//
// Values are immutable and live in a ValueStore, as long as it.
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

// Of what there is mostly one or none.
template <class Thing>
using Few = boost::container::small_vector<Thing, 1>;

struct Value {
  Few<std::string> names;           // dotted: "os", "os.system", "builtins.eval"
  Few<std::string> texts;           // constant strings or bytes
  Few<double> numbers;              // constant numbers
  Few<NodeId> functions;            // definitions in this text: functions, lambdas, classes
  std::vector<const Value*> items;  // of a list or tuple, in order
  std::map<std::string, const Value*, std::less<>>
      keyed;                      // of a mapping or object, by constant key
  const Value* others = nullptr;  // of a container: what else may be in it, by no known key
  bool decoded = false;           // came out of a decoder: base64, hex, zlib …

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

  // What may be either.
  ValuePtr Join(ValuePtr a, ValuePtr b) { return Join(a, b, kMaxNesting); }
  // The same, into a value that is still being made.
  void Merge(Value& into, ValuePtr from) { Merge(into, from, kMaxNesting); }

  // True once values have cost more than any honest text needs. From then on joining adds nothing,
  // and long texts are not kept.
  bool exhausted() const { return work_ > kMaxWork || bytes_ > kMaxBytes; }

 private:
  static constexpr std::size_t kMaxBytes = 64 << 20;
  static constexpr std::size_t kShortText = 256;
  static constexpr std::size_t kMaxWork = 1'000'000;

  ValuePtr Join(ValuePtr a, ValuePtr b, int depth);
  void Merge(Value& into, ValuePtr from, int depth);

  std::vector<Value>& Room();

  // In lumps, whose values stay where they are.
  std::vector<std::vector<Value>> values_;
  std::size_t work_ = 0;   // parts looked at by joins
  std::size_t bytes_ = 0;  // of long texts
};

// What is found in a container under a constant key, a number, or one that is not known (any).
ValuePtr AtKey(ValuePtr container, std::string_view key);
ValuePtr AtIndex(ValuePtr container, std::int64_t index);
ValuePtr AnyPart(ValueStore& store, ValuePtr container);

// The one text that a value is; null if it may be several, or something else.
const std::string* OnlyText(ValuePtr value);
const double* OnlyNumber(ValuePtr value);
bool IsDecoded(ValuePtr value);

}  // namespace belljar::judgement::analysis
