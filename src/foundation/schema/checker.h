// Checker: validates one value against one schema.
//
// The work is bounded by steps, counted for every schema applied and for the bytes compared or
// matched, because nested alternatives multiply exponentially. When the steps run out, the check
// fails with one message that says so, and the mismatches found before it are discarded.
//
// The stack depth is bounded by the depth of the value (base/json.h) times kMaxChain.
#pragma once

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "foundation/base/json.h"
#include "foundation/schema/node.h"
#include "foundation/schema/schema.h"
#include "foundation/schema/value.h"

namespace belljar::schema {

class Checker {
 public:
  bool Fits(const Node& node, const json::value& value, const Place& place);

  std::vector<Mismatch> Take();

 private:
  // Whether the check can stop early: steps have run out, mismatches are not collected, or enough
  // of them were found.
  bool Enough() const;
  bool Spend(std::size_t steps);
  template <class... Args>
  bool Fail(const Place& place, fmt::format_string<Args...> format, Args&&... args) {
    if (into_ != nullptr && into_->size() < most_) {
      into_->push_back({PathTo(place), fmt::format(format, std::forward<Args>(args)...)});
    }
    return false;
  }
  // Like Fits, but without recording mismatches. FitsNoting stores the first mismatch in `noted`.
  bool FitsQuietly(const Node& node, const json::value& value, const Place& place);
  bool FitsNoting(const Node& node, const json::value& value, const Place& place,
                  std::vector<Mismatch>& noted);

  bool CheckValue(const Node& node, const json::value& value, const Place& place);
  bool CheckByType(const Node& node, const json::value& value, const Place& place);
  bool CheckNumber(const NumberTerms& terms, const json::value& value, const Place& place);
  bool CheckString(const StringTerms& terms, std::string_view text, const Place& place);
  bool CheckCount(const Count& count, std::size_t size, const char* what, const Place& place);
  bool CheckArray(const ArrayTerms& terms, const json::array& array, const Place& place);
  bool CheckItems(const ArrayTerms& terms, const json::array& array, const Place& place);
  bool CheckContains(const ArrayTerms& terms, const json::array& array, const Place& place);
  bool CheckUnique(const json::array& array, const Place& place);
  bool CheckObject(const ObjectTerms& terms, const json::object& object, const Place& place);
  bool CheckMember(const ObjectTerms& terms, std::string_view name, const json::value& value,
                   const Place& place);
  bool CheckNames(const ObjectTerms& terms, const json::object& object, const Place& place);
  bool CheckNeeds(const ObjectTerms& terms, const json::object& object, const Place& place);
  bool CheckSame(const Node& node, const json::value& value, const Place& place);
  bool CheckAlternatives(const Node& node, const json::value& value, const Place& place);
  bool FailAlternatives(std::size_t count, const std::vector<Mismatch>& noted, const Place& place);

  std::vector<Mismatch> mismatches_;
  std::vector<Mismatch>* into_ = &mismatches_;  // null: mismatches are not collected
  std::size_t most_ = kMaxMismatches;
  std::size_t steps_left_ = 4'000'000;
  bool exhausted_ = false;
};

}  // namespace belljar::schema
