// The preset files (presets/*.toml), embedded in the binary.
#pragma once

#include <string_view>

namespace belljar::judgement::policy {

std::string_view StrictToml();
std::string_view StandardToml();
std::string_view RelaxedToml();
std::string_view ModulesToml();

}  // namespace belljar::judgement::policy
