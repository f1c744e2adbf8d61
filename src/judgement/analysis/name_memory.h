// NameMemory: a direct-mapped cache of facts about names, kept across analyses.
//
// A fact about a name is derived from constant tables, so it never changes; deriving it takes about
// a hundred comparisons, and programs use the same few names again and again. The hash of a name
// selects one slot; a lookup of another name with the same slot replaces the entry. Names longer
// than kLongest are not cached.
//
// Not thread-safe: use one per thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <random>
#include <string_view>

namespace belljar::judgement::analysis {

// Random for each process: names come from untrusted programs, whose authors must not be able to
// predict which names collide.
inline const std::uint64_t kNameSeed = std::random_device{}();

inline std::size_t MixedName(std::string_view name) {
  const auto mixed = [](std::uint64_t a, std::uint64_t b) {
    const auto product = static_cast<unsigned __int128>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U);
  };
  std::uint64_t hash = kNameSeed ^ name.size();
  for (; name.size() > sizeof hash; name.remove_prefix(sizeof hash)) {
    std::uint64_t part = 0;
    std::memcpy(&part, name.data(), sizeof part);
    hash = mixed(hash ^ part, 0x9E3779B97F4A7C15U);
  }
  std::uint64_t rest = 0;
  for (const char c : name) rest = rest << 8U | static_cast<unsigned char>(c);
  return mixed(hash ^ rest, 0xD1342543DE82EF95U);
}

template <class Fact>
class NameMemory {
 public:
  template <class Find>
  Fact Get(std::string_view name, Find find) {
    if (name.size() > kLongest || name.empty()) return find(name);
    // Allocated at first use, so that threads that analyse no programs do not pay for it.
    if (!places_) places_ = std::make_unique<std::array<Place, kPlaces>>();
    Place& place = (*places_)[MixedName(name) % kPlaces];
    if (place.length != name.size() ||
        std::memcmp(place.name.data(), name.data(), name.size()) != 0) {
      place.fact = find(name);
      place.length = static_cast<std::uint8_t>(name.size());
      std::memcpy(place.name.data(), name.data(), name.size());
    }
    return place.fact;
  }

 private:
  static constexpr std::size_t kLongest = 39;
  static constexpr std::size_t kPlaces = 512;
  struct Place {
    Fact fact{};
    std::uint8_t length = 0;
    std::array<char, kLongest> name{};
  };

  std::unique_ptr<std::array<Place, kPlaces>> places_;
};

}  // namespace belljar::judgement::analysis
