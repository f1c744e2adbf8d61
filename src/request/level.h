// The names of the levels, which are the built-in policy presets.
#pragma once

#include <array>
#include <string_view>

namespace belljar::request {

constexpr std::array<std::string_view, 3> kLevels = {"strict", "standard", "relaxed"};
constexpr std::string_view kDefaultLevel = "standard";

}  // namespace belljar::request
