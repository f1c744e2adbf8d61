// Checks of numbers, strings, arrays and objects against the keywords of a schema.
#include <algorithm>
#include <cmath>
#include <map>

#include "foundation/schema/checker.h"

namespace belljar::schema {
namespace {

constexpr std::size_t kBytesPerCount = 64;  // bytes counted or compared per step

std::string NumberShown(long double number) {
  return std::trunc(number) == number && std::fabs(number) < 1e18L
             ? fmt::format("{}", static_cast<std::int64_t>(number))
             : fmt::format("{:.15g}", static_cast<double>(number));
}

// Exact for whole numbers. Fractions are compared with a tolerance of a double's precision, so that
// 0.3 is a multiple of 0.1.
bool IsMultiple(long double number, long double of) {
  if (!std::isfinite(number)) return false;
  if (std::trunc(number) == number && std::trunc(of) == of) return std::fmod(number, of) == 0;
  const auto nearest = static_cast<double>(std::nearbyint(number / of) * of);
  return nearest == static_cast<double>(number) ||
         std::fabs(nearest - static_cast<double>(number)) <=
             1e-15 * std::fabs(static_cast<double>(number));
}

std::size_t CharactersIn(std::string_view text) {
  return static_cast<std::size_t>(
      std::ranges::count_if(text, [](char c) { return (c & 0xC0) != 0x80; }));
}

}  // namespace

bool Checker::CheckNumber(const NumberTerms& terms, const json::value& value, const Place& place) {
  const long double number = NumberOf(value);
  bool fits = true;
  if (terms.minimum && number < *terms.minimum) {
    fits = Fail(place, "must be at least {}", NumberShown(*terms.minimum));
  }
  if (terms.maximum && number > *terms.maximum) {
    fits = Fail(place, "must be at most {}", NumberShown(*terms.maximum));
  }
  if (terms.above && number <= *terms.above) {
    fits = Fail(place, "must be more than {}", NumberShown(*terms.above));
  }
  if (terms.below && number >= *terms.below) {
    fits = Fail(place, "must be less than {}", NumberShown(*terms.below));
  }
  if (terms.multiple_of && !IsMultiple(number, *terms.multiple_of)) {
    fits = Fail(place, "must be a multiple of {}", NumberShown(*terms.multiple_of));
  }
  return fits;
}

bool Checker::CheckCount(const Count& count, std::size_t size, const char* what,
                         const Place& place) {
  if (count.least && size < *count.least) {
    return Fail(place, "must have at least {} {}, and has {}", *count.least, what, size);
  }
  if (count.most && size > *count.most) {
    return Fail(place, "must have at most {} {}, and has {}", *count.most, what, size);
  }
  return true;
}

bool Checker::CheckString(const StringTerms& terms, std::string_view text, const Place& place) {
  bool fits = true;
  if (terms.length.least || terms.length.most) {
    if (!Spend(1 + text.size() / kBytesPerCount)) return false;
    fits = CheckCount(terms.length, CharactersIn(text), "characters", place);
  }
  if (terms.pattern != nullptr) {
    if (!Spend(terms.pattern->CostOf(text.size()))) return false;
    if (!terms.pattern->Finds(text)) {
      fits = Fail(place, "must match the pattern {}", Shown(terms.pattern->text()));
    }
  }
  if (terms.format != nullptr && !terms.format->fits(text)) {
    fits = Fail(place, "must be {}", terms.format->phrase);
  }
  return fits;
}

bool Checker::CheckItems(const ArrayTerms& terms, const json::array& array, const Place& place) {
  const Node* rest = terms.rest;
  if (rest == nullptr && !terms.first.empty()) rest = terms.additional;
  bool fits = true;
  const std::size_t judged = rest != nullptr ? array.size() : terms.first.size();
  for (std::size_t i = 0; i < std::min(judged, array.size()); ++i) {
    const Node& node = i < terms.first.size() ? *terms.first[i] : *rest;
    const Place item{&place, {}, i, true};
    fits = Fits(node, array[i], item) && fits;
    if (!fits && Enough()) return false;
  }
  return fits;
}

bool Checker::CheckContains(const ArrayTerms& terms, const json::array& array, const Place& place) {
  if (terms.contains == nullptr) return true;
  std::size_t holds = 0;
  for (const json::value& item : array) {
    if (FitsQuietly(*terms.contains, item, place)) ++holds;
    if (exhausted_) return false;
  }
  const std::size_t least = terms.contained.least.value_or(1);
  if (holds < least) {
    return Fail(place, "must hold at least {} items that fit \"contains\", and holds {}", least,
                holds);
  }
  if (!terms.contained.most || holds <= *terms.contained.most) return true;
  return Fail(place, "must hold at most {} items that fit \"contains\", and holds {}",
              *terms.contained.most, holds);
}

bool Checker::CheckUnique(const json::array& array, const Place& place) {
  std::map<std::string, std::size_t> seen;
  for (std::size_t i = 0; i < array.size(); ++i) {
    std::string text = CanonicalText(array[i]);
    if (!Spend(1 + text.size() / kBytesPerCount)) return false;
    const auto [first, is_new] = seen.emplace(std::move(text), i);
    if (!is_new)
      return Fail(place, "must not hold equal items, as [{}] and [{}] are", first->second, i);
  }
  return true;
}

bool Checker::CheckArray(const ArrayTerms& terms, const json::array& array, const Place& place) {
  bool fits = CheckCount(terms.length, array.size(), "items", place);
  if (!fits && Enough()) return false;
  fits = CheckItems(terms, array, place) && fits;
  if (!fits && Enough()) return false;
  fits = CheckContains(terms, array, place) && fits;
  return (!terms.unique || CheckUnique(array, place)) && fits;
}

bool Checker::CheckMember(const ObjectTerms& terms, std::string_view name, const json::value& value,
                          const Place& place) {
  bool known = false;
  bool fits = true;
  if (const auto found = terms.members.find(name); found != terms.members.end()) {
    known = true;
    fits = Fits(*found->second, value, place);
  }
  for (const auto& [pattern, node] : terms.by_pattern) {
    if (!Spend(pattern->CostOf(name.size()))) return false;
    if (!pattern->Finds(name)) continue;
    known = true;
    fits = Fits(*node, value, place) && fits;
  }
  if (known || terms.others == nullptr) return fits;
  return Fits(*terms.others, value, place) && fits;
}

bool Checker::CheckNames(const ObjectTerms& terms, const json::object& object, const Place& place) {
  if (terms.names == nullptr) return true;
  bool fits = true;
  for (const auto& [name, value] : object) {
    std::vector<Mismatch> noted;
    if (FitsNoting(*terms.names, json::value(json::string(name)), place, noted)) continue;
    fits = Fail(place, "has the name {}, which {}", Shown(name),
                noted.empty() ? "does not fit" : noted.front().message);
    if (Enough()) return false;
  }
  return fits;
}

bool Checker::CheckNeeds(const ObjectTerms& terms, const json::object& object, const Place& place) {
  bool fits = true;
  for (const std::string& name : terms.required) {
    if (!Spend(1)) return false;
    if (!object.contains(name)) fits = Fail(place, "needs the member {}", Shown(name));
  }
  for (const auto& [name, needed] : terms.needs) {
    if (!Spend(1 + needed.size())) return false;
    if (!object.contains(name)) continue;
    for (const std::string& other : needed) {
      if (object.contains(other)) continue;
      fits = Fail(place, "needs the member {}, because it has {}", Shown(other), Shown(name));
    }
  }
  return fits;
}

bool Checker::CheckObject(const ObjectTerms& terms, const json::object& object,
                          const Place& place) {
  bool fits = CheckCount(terms.length, object.size(), "members", place);
  fits = CheckNeeds(terms, object, place) && fits;
  if (!fits && Enough()) return false;
  fits = CheckNames(terms, object, place) && fits;
  for (const auto& [name, value] : object) {
    if (!fits && Enough()) return false;
    const Place member{&place, name, 0, false};
    if (!Spend(1)) return false;
    fits = CheckMember(terms, name, value, member) && fits;
  }
  return fits;
}

}  // namespace belljar::schema
