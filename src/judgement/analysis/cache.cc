#include "judgement/analysis/cache.h"

#include "judgement/analysis/analyse.h"
#include "judgement/analysis/rule.h"

namespace belljar::judgement::analysis {
namespace {

// Hashed before the text: the same text in another language, or under other rules, has another key.
struct Salt {
  std::uint32_t rules = kRuleSetVersion;
  std::uint32_t kind = 0;
};
constexpr std::uint32_t kCommandKind = 100;

Digest DigestOf(std::uint32_t kind, std::string_view text) {
  const Salt salt{kRuleSetVersion, kind};
  return Sha256::Of({{reinterpret_cast<const char*>(&salt), sizeof(salt)}, text});
}

}  // namespace

std::shared_ptr<const Analysis> AnalysisCache::Find(const Digest& digest) {
  const std::lock_guard lock(mutex_);
  const auto found = by_digest_.find(digest);
  if (found == by_digest_.end()) return nullptr;
  ++counts_.found;
  recent_.splice(recent_.begin(), recent_, found->second);
  return found->second->analysis;
}

std::shared_ptr<const Analysis> AnalysisCache::Keep(const Digest& digest, Analysis analysis) {
  auto made = std::make_shared<const Analysis>(std::move(analysis));
  const std::lock_guard lock(mutex_);
  ++counts_.made;
  if (by_digest_.contains(digest)) return made;
  recent_.push_front({digest, made});
  by_digest_.emplace(digest, recent_.begin());
  if (recent_.size() > capacity_) {
    by_digest_.erase(recent_.back().digest);
    recent_.pop_back();
  }
  return made;
}

std::shared_ptr<const Analysis> AnalysisCache::Text(Language language, std::string_view source) {
  const Digest digest = DigestOf(static_cast<std::uint32_t>(language), source);
  if (auto known = Find(digest)) return known;
  return Keep(digest, Analyse(language, source));
}

std::shared_ptr<const Analysis> AnalysisCache::Command(std::span<const std::string> command) {
  // Each word is prefixed with its length, so that ("ab", "c") and ("a", "bc") have different keys.
  std::string joined;
  for (const std::string& word : command) {
    joined += std::to_string(word.size()) + ":" + word;
  }
  const Digest digest = DigestOf(kCommandKind, joined);
  if (auto known = Find(digest)) return known;
  return Keep(digest, AnalyseCommand(command));
}

AnalysisCache::Counts AnalysisCache::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

}  // namespace belljar::judgement::analysis
