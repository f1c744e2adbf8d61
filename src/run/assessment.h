// Assessment: the stages of a request before it gets a cell: analyse, decide.
//
// A request names a level, which is a preset or the daemon's own policy; the analysis of its code
// is kept by digest, so that the same code is read once. Thread-safe.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "analysis/cache.h"
#include "base/result.h"
#include "engine/guard.h"
#include "engine/image_modules.h"
#include "engine/options.h"
#include "policy/decide.h"
#include "policy/policy.h"
#include "policy/request.h"
#include "redact/redactor.h"
#include "result/run_result.h"

namespace belljar::engine {

class Assessment {
 public:
  explicit Assessment(Terms terms) : terms_(std::make_shared<const Terms>(std::move(terms))) {}

  // Imports are looked up in these images from then on; before the first request.
  void UseImages(std::string images_dir);
  // From the next request on.
  void Set(Terms terms);

  Result<std::shared_ptr<const policy::Policy>> PolicyFor(const policy::Request& request) const;
  // For the interpreter of a request under that policy; null: none.
  std::shared_ptr<const guest::Guard> GuardFor(const policy::Policy& terms);
  // For what leaves under that policy; null: it leaves as it is.
  Result<std::shared_ptr<const redact::Redactor>> RedactorFor(const policy::Policy& terms);
  std::shared_ptr<const analysis::Analysis> Analyse(const policy::Request& request);
  policy::Decision Decide(const policy::Request& request, const policy::Policy& terms);
  Result<policy::Decision> Decide(const policy::Request& request);

  analysis::AnalysisCache::Counts counts() const { return cache_.counts(); }

 private:
  std::shared_ptr<const analysis::Analysis> WithMissing(
      const policy::Request& request, std::shared_ptr<const analysis::Analysis> analysis,
      analysis::Language language);

  std::mutex redactors_mutex_;                                         // held while one is made
  std::map<int, std::shared_ptr<const redact::Redactor>> redactors_;   // by what they take out
  mutable std::mutex mutex_;                                           // of all that follows
  std::map<std::string, std::shared_ptr<const guest::Guard>> guards_;  // by the policy's content
  std::shared_ptr<const Terms> terms_;  // shared with the requests that are being judged
  analysis::AnalysisCache cache_;
  std::unique_ptr<ImageModules> modules_;  // null: nothing is known of images
};

analysis::Language LanguageRead(policy::Lang lang);

// What a result says of a decision, and of what led to it.
json::array FindingsJson(const policy::Decision& decision);
json::object DecisionJson(const policy::Decision& decision);

}  // namespace belljar::engine
