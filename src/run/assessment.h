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

#include "foundation/base/result.h"
#include "judgement/analysis/cache.h"
#include "judgement/policy/decide.h"
#include "judgement/policy/policy.h"
#include "judgement/redaction/redactor.h"
#include "request/request.h"
#include "run/guard.h"
#include "run/image_modules.h"
#include "run/options.h"
#include "run/run_result.h"

namespace belljar::run {

class Assessment {
 public:
  explicit Assessment(Terms terms) : terms_(std::make_shared<const Terms>(std::move(terms))) {}

  // Imports are looked up in these images from then on; before the first request.
  void UseImages(std::string images_dir);
  // From the next request on.
  void Set(Terms terms);

  Result<std::shared_ptr<const judgement::policy::Policy>> PolicyFor(
      const request::Request& request) const;
  // For the interpreter of a request under that policy; null: none.
  std::shared_ptr<const cell::guest::Guard> GuardFor(const judgement::policy::Policy& terms);
  // For what leaves under that policy; null: it leaves as it is.
  Result<std::shared_ptr<const judgement::redaction::Redactor>> RedactorFor(
      const judgement::policy::Policy& terms);
  std::shared_ptr<const judgement::analysis::Analysis> Analyse(const request::Request& request);
  judgement::policy::Decision Decide(const request::Request& request,
                                     const judgement::policy::Policy& terms);
  Result<judgement::policy::Decision> Decide(const request::Request& request);

  judgement::analysis::AnalysisCache::Counts counts() const { return cache_.counts(); }

 private:
  std::shared_ptr<const judgement::analysis::Analysis> WithMissing(
      const request::Request& request,
      std::shared_ptr<const judgement::analysis::Analysis> analysis,
      judgement::analysis::Language language);

  std::mutex redactors_mutex_;  // held while one is made
  std::map<int, std::shared_ptr<const judgement::redaction::Redactor>>
      redactors_;             // by what they take out
  mutable std::mutex mutex_;  // of all that follows
  std::map<std::string, std::shared_ptr<const cell::guest::Guard>>
      guards_;                          // by the policy's content
  std::shared_ptr<const Terms> terms_;  // shared with the requests that are being judged
  judgement::analysis::AnalysisCache cache_;
  std::unique_ptr<ImageModules> modules_;  // null: nothing is known of images
};

judgement::analysis::Language LanguageRead(request::Lang lang);

// What a result says of a decision, and of what led to it.
json::array FindingsJson(const judgement::policy::Decision& decision);
json::object DecisionJson(const judgement::policy::Decision& decision);

}  // namespace belljar::run
