// Builtins: what calls of the language's own functions and methods give, as far as names can be
// hidden in them: texts that are cut, joined and decoded, containers, and ways to load modules.
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
  // javascript_builtins.cc
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

  // javascript_methods.cc
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

// True for names of methods that values of the language itself have: "at", "toFixed", "then".
bool IsBuiltinMethod(std::string_view name);

}  // namespace belljar::judgement::analysis::javascript
