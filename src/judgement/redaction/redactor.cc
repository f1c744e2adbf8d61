#include "judgement/redaction/redactor.h"

#include <algorithm>

#include "judgement/redaction/compiled.h"

namespace belljar::judgement::redaction {

bool IsLongNumber(const json::value& value) {
  constexpr std::uint64_t kShortestCard = 100'000'000'000;  // 12 digits
  if (value.is_int64()) return value.get_int64() >= static_cast<std::int64_t>(kShortestCard);
  return value.is_uint64() && value.get_uint64() >= kShortestCard;
}

Redactor::Redactor(std::unique_ptr<const CompiledRules> rules) : rules_(std::move(rules)) {}
Redactor::~Redactor() = default;

Result<std::shared_ptr<const Redactor>> Redactor::Create(const Options& options) {
  auto rules = BJ_TRY(CompiledRules::Create(options));
  return std::shared_ptr<const Redactor>(new Redactor(std::move(rules)));
}

std::string Redactor::RedactWhole(std::string_view text, Counts& counts) const {
  if (text.empty()) return {};
  // A non-owning pointer: the stream does not outlive this call.
  const std::shared_ptr<const Redactor> borrowed(std::shared_ptr<const Redactor>(), this);
  StreamRedactor stream(borrowed);
  std::string out = stream.Feed(text);
  out += stream.Finish();
  for (const auto& [kind, count] : stream.counts()) counts[kind] += count;
  return out;
}

std::vector<KindInfo> ListKinds() {
  constexpr std::string_view kGroups[] = {"credential", "personal", "machine"};
  std::vector<KindInfo> kinds;
  for (const RuleEntry& entry : AllRules()) {
    const Rule& rule = *entry.rule;
    const bool known = std::any_of(kinds.begin(), kinds.end(),
                                   [&](const KindInfo& info) { return info.kind == rule.kind; });
    if (known) continue;
    kinds.push_back({rule.kind, kGroups[static_cast<std::size_t>(entry.group)], rule.pattern});
  }
  return kinds;
}

}  // namespace belljar::judgement::redaction
