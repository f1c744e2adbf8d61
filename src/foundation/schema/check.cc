#include <algorithm>

#include "foundation/schema/checker.h"

namespace belljar::schema {
namespace {

unsigned TypeBits(const json::value& value) {
  switch (value.kind()) {
    case json::kind::null:
      return kNull;
    case json::kind::bool_:
      return kBoolean;
    case json::kind::int64:
    case json::kind::uint64:
    case json::kind::double_:
      return IsWhole(value) ? kNumber | kInteger : kNumber;
    case json::kind::string:
      return kString;
    case json::kind::array:
      return kArray;
    case json::kind::object:
      return kObject;
  }
  return 0;
}

// The types as a phrase: "a string or null".
std::string TypesShown(unsigned types) {
  constexpr std::array kPhrases = {
      std::pair{kInteger, "an integer"}, std::pair{kNumber, "a number"},
      std::pair{kString, "a string"},    std::pair{kBoolean, "a boolean"},
      std::pair{kArray, "an array"},     std::pair{kObject, "an object"},
      std::pair{kNull, "null"},
  };
  std::string shown;
  for (const auto& [bit, phrase] : kPhrases) {
    if ((types & bit) != 0) shown += (shown.empty() ? "" : " or ") + std::string(phrase);
  }
  return shown;
}

// Comparing and matching cost one step per 64 bytes; applying a small schema costs about one step.
constexpr std::size_t kBytesPerStep = 64;

}  // namespace

bool Checker::Enough() const { return exhausted_ || into_ == nullptr || into_->size() >= most_; }

bool Checker::Spend(std::size_t steps) {
  exhausted_ = exhausted_ || steps > steps_left_;
  if (!exhausted_) steps_left_ -= steps;
  return !exhausted_;
}

bool Checker::FitsQuietly(const Node& node, const json::value& value, const Place& place) {
  auto* const before = std::exchange(into_, nullptr);
  const bool fits = Fits(node, value, place);
  into_ = before;
  return fits;
}

bool Checker::FitsNoting(const Node& node, const json::value& value, const Place& place,
                         std::vector<Mismatch>& noted) {
  if (into_ == nullptr) return FitsQuietly(node, value, place);
  std::vector<Mismatch> first;
  auto* const before = std::exchange(into_, &first);
  const std::size_t most = std::exchange(most_, 1);
  const bool fits = Fits(node, value, place);
  into_ = before;
  most_ = most;
  if (!first.empty()) noted.push_back(std::move(first.front()));
  return fits;
}

bool Checker::CheckValue(const Node& node, const json::value& value, const Place& place) {
  bool fits = true;
  if (node.types != 0 && (node.types & TypeBits(value)) == 0) {
    const bool fraction = value.is_number() && (node.types & kInteger) != 0;
    fits = fraction ? Fail(place, "must be {}, not {}", TypesShown(node.types), ShownValue(value))
                    : Fail(place, "must be {}, not {}", TypesShown(node.types), TypeOf(value));
  }
  if (!node.values && !node.constant) return fits;
  const std::string text = CanonicalText(value);
  const std::size_t compared = node.values ? node.values->size() : 1;
  if (!Spend(compared + text.size() / kBytesPerStep)) return false;
  if (node.values && std::ranges::find(*node.values, text) == node.values->end()) {
    fits = Fail(place, "must be one of {}", node.values_shown);
  }
  if (node.constant && *node.constant != text) {
    fits = Fail(place, "must be {}", node.constant_shown);
  }
  return fits;
}

bool Checker::CheckByType(const Node& node, const json::value& value, const Place& place) {
  if (value.is_number()) return CheckNumber(node.number, value, place);
  if (value.is_string()) return CheckString(node.string, value.get_string(), place);
  if (value.is_array()) return CheckArray(node.array, value.get_array(), place);
  if (value.is_object()) return CheckObject(node.object, value.get_object(), place);
  return true;
}

// Reports the mismatch of the alternative that came nearest: the one whose mismatch lies deepest in
// the value.
bool Checker::FailAlternatives(std::size_t count, const std::vector<Mismatch>& noted,
                               const Place& place) {
  if (into_ == nullptr || noted.empty()) return Fail(place, "fits none of {} alternatives", count);
  const auto nearest = std::ranges::max_element(
      noted, {}, [](const Mismatch& mismatch) { return mismatch.path.size(); });
  const std::string path = PathTo(place);
  const std::string below =
      nearest->path.starts_with(path) ? nearest->path.substr(path.size()) : nearest->path;
  return Fail(place, "fits none of {} alternatives; nearest: {}{}{}", count, below,
              below.empty() ? "" : ": ", nearest->message);
}

bool Checker::CheckAlternatives(const Node& node, const json::value& value, const Place& place) {
  bool fits = true;
  if (!node.any_of.empty()) {
    std::vector<Mismatch> noted;
    const bool any = std::ranges::any_of(
        node.any_of, [&](const Node* one) { return FitsNoting(*one, value, place, noted); });
    if (!any) fits = FailAlternatives(node.any_of.size(), noted, place);
  }
  if (!node.one_of.empty()) {
    std::vector<Mismatch> noted;
    const auto fitting = std::ranges::count_if(
        node.one_of, [&](const Node* one) { return FitsNoting(*one, value, place, noted); });
    if (fitting == 0) fits = FailAlternatives(node.one_of.size(), noted, place);
    if (fitting > 1) {
      fits =
          Fail(place, "must fit one of {} alternatives, and fits {}", node.one_of.size(), fitting);
    }
  }
  return fits;
}

bool Checker::CheckSame(const Node& node, const json::value& value, const Place& place) {
  bool fits = node.reference == nullptr || Fits(*node.reference, value, place);
  for (const Node* one : node.all_of) {
    if (!fits && Enough()) return false;
    fits = Fits(*one, value, place) && fits;
  }
  if (!fits && Enough()) return false;
  fits = CheckAlternatives(node, value, place) && fits;
  if (node.none_of != nullptr && FitsQuietly(*node.none_of, value, place)) {
    fits = Fail(place, "must not fit what \"not\" describes");
  }
  for (const auto& [name, one] : node.object.fits_with) {
    if (!value.is_object() || !value.get_object().contains(name)) continue;
    fits = Fits(*one, value, place) && fits;
  }
  if (node.condition == nullptr) return fits;
  const Node* const next = FitsQuietly(*node.condition, value, place) ? node.then : node.otherwise;
  return (next == nullptr || Fits(*next, value, place)) && fits;
}

bool Checker::Fits(const Node& node, const json::value& value, const Place& place) {
  if (!Spend(1)) return false;
  if (node.never) return Fail(place, "is not allowed here");
  bool fits = CheckValue(node, value, place);
  if (!fits && Enough()) return false;
  fits = CheckByType(node, value, place) && fits;
  if (!fits && Enough()) return false;
  return CheckSame(node, value, place) && fits;
}

std::vector<Mismatch> Checker::Take() {
  if (exhausted_) return {{"", "takes too much work to check against this schema"}};
  return std::move(mismatches_);
}

std::vector<Mismatch> Check(const Schema& schema, const json::value& value) {
  Checker checker;
  const Place whole;
  checker.Fits(*schema.tree().root, value, whole);
  return checker.Take();
}

std::string Sentence(std::string_view name, const std::vector<Mismatch>& mismatches) {
  std::string all;
  for (const Mismatch& mismatch : mismatches) {
    all +=
        fmt::format("{}{}{}: {}", all.empty() ? "" : "; ", name, mismatch.path, mismatch.message);
  }
  return all;
}

}  // namespace belljar::schema
