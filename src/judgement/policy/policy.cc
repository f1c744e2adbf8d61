#include "judgement/policy/policy.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "foundation/base/nearest.h"
#include "judgement/policy/embedded.h"

namespace belljar::judgement::policy {

std::string_view ActionName(Action action) {
  static constexpr std::array<std::string_view, 4> kNames = {"allow", "warn", "review", "block"};
  return kNames[static_cast<std::size_t>(action)];
}

std::string_view ImportsName(Imports imports) {
  static constexpr std::array<std::string_view, 3> kNames = {"any", "unforbidden", "listed"};
  return kNames[static_cast<std::size_t>(imports)];
}

std::size_t Covers(const std::vector<std::string>& patterns, std::string_view name) {
  std::size_t longest = 0;
  for (const std::string_view pattern : patterns) {
    const bool below_only = pattern.ends_with(".*");
    const std::string_view stem = below_only ? pattern.substr(0, pattern.size() - 2) : pattern;
    if (!name.starts_with(stem) || stem.size() <= longest) continue;
    const bool same = name.size() == stem.size();
    const bool below = !same && (name[stem.size()] == '.' || name[stem.size()] == '/');
    if (same || below) longest = stem.size();
  }
  return longest;
}

std::string_view PresetText(std::string_view name) {
  if (name == "strict") return StrictToml();
  if (name == "standard") return StandardToml();
  if (name == "relaxed") return RelaxedToml();
  return "";
}

namespace {

// Presets are parsed lazily: a command that runs one program needs only one of them.
const Result<Policy>* ParsedPreset(std::string_view name) {
  if (name == "strict") {
    static const Result<Policy> strict = ParsePolicy(StrictToml(), "strict");
    return &strict;
  }
  if (name == "standard") {
    static const Result<Policy> standard = ParsePolicy(StandardToml(), "standard");
    return &standard;
  }
  if (name == "relaxed") {
    static const Result<Policy> relaxed = ParsePolicy(RelaxedToml(), "relaxed");
    return &relaxed;
  }
  return nullptr;
}

}  // namespace

Result<const Policy*> Preset(std::string_view name) {
  const Result<Policy>* const parsed = ParsedPreset(name);
  if (parsed == nullptr) {
    const std::string_view nearest = NearestName(name, request::kLevels);
    return Error(
        Kind::kInvalid,
        fmt::format("there is no level \"{}\"; known: {}{}", name.substr(0, 64),
                    fmt::join(request::kLevels, ", "),
                    nearest.empty() ? "" : fmt::format("; did you mean \"{}\"?", nearest)));
  }
  if (!*parsed) return Error(parsed->error());
  return &**parsed;
}

const RecoveryTerms& RecoveryFor(const Policy& policy, std::string_view caller) {
  const auto own = policy.recovery_of.find(caller);
  return own == policy.recovery_of.end() ? policy.recovery : own->second;
}

}  // namespace belljar::judgement::policy
