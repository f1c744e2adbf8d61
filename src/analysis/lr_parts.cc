#include "analysis/lr_parts.h"

#include <new>

namespace belljar::analysis {
namespace {

constexpr int kMostCompared = 100'000;
constexpr int kUnknownOrder = 2;

}  // namespace

void LrParts::Clear() {
  parts_.Clear();
  lists_.Clear();
}

PartId LrParts::Add(const TSParseAction& reduction, std::span<const PartId> reversed,
                    std::uint32_t position) {
  const auto count = static_cast<std::uint32_t>(reversed.size());
  const auto first = static_cast<std::uint32_t>(lists_.size());
  PartId* list = lists_.Extend(count);
  std::int32_t precedence = reduction.reduce.dynamic_precedence;
  for (std::size_t i = count; i-- > 0;) {
    *list++ = reversed[i];
    precedence += parts_[reversed[i]].precedence;
  }
  ::new (parts_.Extend(1)) Part{.start = count > 0 ? parts_[reversed.back()].start : position,
                                .end = count > 0 ? parts_[reversed.front()].end : position,
                                .first = first,
                                .count = count,
                                .precedence = precedence,
                                .symbol = reduction.reduce.symbol,
                                .production = reduction.reduce.production_id};
  return static_cast<PartId>(parts_.size() - 1);
}

// What stands beside the whole becomes part of it.
PartId LrParts::AddRoot(PartId whole, std::span<const PartId> reversed) {
  Part made;
  made.first = static_cast<std::uint32_t>(lists_.size());
  made.symbol = parts_[whole].symbol;
  made.production = parts_[whole].production;
  for (std::size_t i = reversed.size(); i-- > 0;) {
    if (reversed[i] != whole) {
      lists_.Push(reversed[i]);
      made.precedence += parts_[reversed[i]].precedence;
      continue;
    }
    const Part part = parts_[whole];
    for (std::uint32_t k = 0; k < part.count; ++k) {
      const PartId child = lists_[part.first + k];
      lists_.Push(child);
      made.precedence += parts_[child].precedence;
    }
  }
  made.count = static_cast<std::uint32_t>(lists_.size()) - made.first;
  made.start = parts_[lists_[made.first]].start;
  made.end = parts_[lists_[lists_.size() - 1]].end;
  parts_.Push(made);
  return static_cast<PartId>(parts_.size() - 1);
}

// Tree-sitter's order of trees: by symbols and numbers of children, from the left.
int LrParts::Compare(PartId one, PartId other) const {
  std::vector<std::pair<PartId, PartId>> open{{one, other}};
  for (int turn = 0; !open.empty(); ++turn) {
    if (turn > kMostCompared) return kUnknownOrder;
    const auto [a, b] = open.back();
    open.pop_back();
    if (a == b) continue;
    const Part& left = parts_[a];
    const Part& right = parts_[b];
    if (left.symbol != right.symbol) return left.symbol < right.symbol ? -1 : 1;
    if (left.count != right.count) return left.count < right.count ? -1 : 1;
    for (std::uint32_t i = left.count; i-- > 0;) {
      open.emplace_back(lists_[left.first + i], lists_[right.first + i]);
    }
  }
  return 0;
}

std::optional<bool> LrParts::Prefers(PartId one, PartId other) const {
  if (parts_[one].precedence != parts_[other].precedence) {
    return parts_[other].precedence > parts_[one].precedence;
  }
  const int order = Compare(one, other);
  if (order == kUnknownOrder) return std::nullopt;
  return order > 0;
}

}  // namespace belljar::analysis
