#include "judgement/policy/embedded.h"

#include "foundation/base/embed.h"

// CMake defines BJ_PRESETS_PATH.
BJ_EMBED(bj_strict, BJ_PRESETS_PATH "/strict.toml");
BJ_EMBED(bj_standard, BJ_PRESETS_PATH "/standard.toml");
BJ_EMBED(bj_relaxed, BJ_PRESETS_PATH "/relaxed.toml");
BJ_EMBED(bj_modules, BJ_PRESETS_PATH "/modules.toml");

namespace belljar::judgement::policy {

std::string_view StrictToml() { return Between(bj_strict_begin, bj_strict_end); }
std::string_view StandardToml() { return Between(bj_standard_begin, bj_standard_end); }
std::string_view RelaxedToml() { return Between(bj_relaxed_begin, bj_relaxed_end); }
std::string_view ModulesToml() { return Between(bj_modules_begin, bj_modules_end); }

}  // namespace belljar::judgement::policy
