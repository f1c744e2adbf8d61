#include "judgement/analysis/missing.h"

#include <algorithm>
#include <set>

#include "judgement/analysis/rule.h"

namespace belljar::judgement::analysis {
namespace {

constexpr std::size_t kMaxMissing = 20;
constexpr std::size_t kMaxModuleBytes = 100;

bool IsWordByte(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         static_cast<unsigned char>(c) >= 0x80;
}

std::optional<std::string> TopOfPython(std::string_view module) {
  const std::string_view top = module.substr(0, module.find('.'));
  // A leading underscore marks a private module of the interpreter or of a package.
  if (top.empty() || top.front() == '_' || !std::ranges::all_of(top, IsWordByte)) {
    return std::nullopt;
  }
  return std::string(top);
}

std::optional<std::string> TopOfNode(std::string_view module) {
  if (module.starts_with("node:")) module.remove_prefix(5);
  std::size_t end = module.find('/');
  if (module.starts_with('@') && end != std::string_view::npos) end = module.find('/', end + 1);
  const std::string_view top = module.substr(0, end);
  const bool plain = std::ranges::all_of(
      top, [](char c) { return IsWordByte(c) || c == '-' || c == '.' || c == '@' || c == '/'; });
  if (top.empty() || top.front() == '.' || top.front() == '/' || top.front() == '_' || !plain) {
    return std::nullopt;
  }
  return std::string(top);
}

}  // namespace

std::optional<std::string> TopModule(Language language, std::string_view module) {
  if (module.size() > kMaxModuleBytes) return std::nullopt;
  if (language == Language::kPython) return TopOfPython(module);
  if (language == Language::kBash) return std::nullopt;
  return TopOfNode(module);
}

std::vector<Finding> MissingModules(const Analysis& analysis, Language language,
                                    const ModulesThere& there) {
  std::vector<Finding> missing;
  std::set<std::string> told;
  for (const Import& import : analysis.imports) {
    if (import.optional) continue;
    const auto top = TopModule(language, import.module);
    if (!top || there.has(*top) || !told.insert(*top).second) continue;
    const Rule& rule =
        RuleNamed(language == Language::kPython ? "py-missing-module" : "js-missing-module");
    missing.push_back({&rule, import.place, *top, there.advice(*top)});
    if (missing.size() == kMaxMissing) break;
  }
  return missing;
}

}  // namespace belljar::judgement::analysis
