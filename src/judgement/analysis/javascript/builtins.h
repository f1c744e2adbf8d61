// Builtins: models of the language's own functions and methods, as far as programs can use them to
// hide names: string functions (cutting, joining, decoding), containers, and module loaders.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "judgement/analysis/javascript/eval.h"

namespace belljar::judgement::analysis::javascript {

class Builtins {
 public:
  Builtins(Evaluator& evaluator, const Call& call) : eval_(evaluator), call_(call) {}

  ValuePtr Result();

 private:
  // builtins.cc
  ValuePtr OfName(std::string_view name);
  ValuePtr OfLoader(std::string_view name);
  ValuePtr OfObject(std::string_view name);
  ValuePtr OfContainer(std::string_view name);
  ValuePtr OfText(std::string_view name);
  ValuePtr OfSystem(std::string_view name);
  ValuePtr FromCodes();
  ValuePtr FromBuffer();
  ValuePtr FromJson();
  ValuePtr FromUrl();
  ValuePtr Entries(ValuePtr object, std::string_view which);
  ValuePtr Mapping(ValuePtr pairs);
  ValuePtr Derived(ValuePtr prototype);
  ValuePtr Descriptor();
  ValuePtr Paths(std::string_view name);
  ValuePtr Decoded(std::string text);
  ValuePtr BytesOf(ValuePtr list);

  // methods.cc
  ValuePtr OfMethod();
  ValuePtr TextMethod(const std::string& text);
  ValuePtr CutMethod(const std::u32string& codes);
  ValuePtr PlainMethod(const std::string& text);
  ValuePtr Split(const std::string& text);
  ValuePtr Replaced(const std::string& text);
  ValuePtr MatchesIn(const std::string& text);
  ValuePtr ListMethod();
  ValuePtr Rearranged(std::vector<ValuePtr> items);
  ValuePtr Joined(const std::vector<ValuePtr>& items);
  ValuePtr Mapped(const std::vector<ValuePtr>& items);
  ValuePtr Reduced(std::vector<ValuePtr> items);
  ValuePtr Part();

  const std::string* TextArgument(std::size_t number) const;
  double NumberArgument(std::size_t number, double otherwise) const;

  Evaluator& eval_;
  const Call& call_;
};

// True for names of methods of built-in types: "at", "toFixed", "then".
bool IsBuiltinMethod(std::string_view name);

}  // namespace belljar::judgement::analysis::javascript
