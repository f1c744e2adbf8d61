// AnalysisCache: memoises analyses, keyed by a digest of the analysed text.
//
// The key is a SHA-256 over the version of the rules, the language and the text. A
// collision-resistant hash is needed because the texts are untrusted: a weaker one would let an
// attacker craft a dangerous text that hits the entry of a harmless one. The cache evicts the least
// recently used entry. Thread-safe.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "foundation/base/sha256.h"
#include "judgement/analysis/finding.h"

namespace belljar::judgement::analysis {

class AnalysisCache {
 public:
  explicit AnalysisCache(std::size_t capacity = 4096) : capacity_(capacity) {}

  std::shared_ptr<const Analysis> Text(Language language, std::string_view source);
  std::shared_ptr<const Analysis> Command(std::span<const std::string> command);

  struct Counts {
    std::uint64_t found = 0;
    std::uint64_t made = 0;
  };
  Counts counts() const;

 private:
  struct Kept {
    Digest digest;
    std::shared_ptr<const Analysis> analysis;
  };

  std::shared_ptr<const Analysis> Find(const Digest& digest);
  std::shared_ptr<const Analysis> Keep(const Digest& digest, Analysis analysis);

  const std::size_t capacity_;
  mutable std::mutex mutex_;
  std::list<Kept> recent_;  // most recently used first
  std::unordered_map<Digest, std::list<Kept>::iterator, DigestHash> by_digest_;
  Counts counts_;
};

}  // namespace belljar::judgement::analysis
