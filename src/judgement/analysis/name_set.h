// NameSet: a set of names with a fast negative answer, since most names of a program are in no set.
// For each first letter a bit mask records the lengths of its names; the hash table is consulted
// only when a member with the same first letter and length may exist.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <unordered_set>

namespace belljar::judgement::analysis {

class NameSet {
 public:
  NameSet(std::initializer_list<std::string_view> names) : NameSet(names.begin(), names.end()) {}
  template <class Iterator>
  NameSet(Iterator first, Iterator last) : names_(first, last) {
    for (const std::string_view name : names_) lengths_[Letter(name)] |= Length(name);
  }

  bool contains(std::string_view name) const {
    return (lengths_[Letter(name)] & Length(name)) != 0 && names_.contains(name);
  }

 private:
  static constexpr std::size_t kLetters = 128;

  static std::size_t Letter(std::string_view name) {
    return name.empty() ? 0 : static_cast<unsigned char>(name.front()) % kLetters;
  }
  static std::uint64_t Length(std::string_view name) {
    return std::uint64_t{1} << std::min<std::size_t>(name.size(), 63);
  }

  std::array<std::uint64_t, kLetters> lengths_{};
  std::unordered_set<std::string_view> names_;
};

}  // namespace belljar::judgement::analysis
