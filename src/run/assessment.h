// Assessment: the stages of a request before it gets a cell: analysis and policy decision.
//
// A request names a level, which is a preset or the daemon's own policy. Analyses are cached by the
// digest of the code, so the same code is analysed once. Thread-safe.
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

  // Sets the images in which imports are looked up. Call it before the first request.
  void UseImages(std::string images_dir);
  // Takes effect from the next request on.
  void Set(Terms terms);

  Result<std::shared_ptr<const judgement::policy::Policy>> PolicyFor(
      const request::Request& request) const;
  // The guard for an interpreter under that policy; null: none.
  std::shared_ptr<const cell::guest::Guard> GuardFor(const judgement::policy::Policy& terms);
  // The redactor for output under that policy; null: no redaction.
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

  std::mutex redactors_mutex_;  // held while a redactor is made
  std::map<int, std::shared_ptr<const judgement::redaction::Redactor>>
      redactors_;             // by the kinds of secrets they redact
  mutable std::mutex mutex_;  // guards the members below
  std::map<std::string, std::shared_ptr<const cell::guest::Guard>>
      guards_;                          // by the content of the policy
  std::shared_ptr<const Terms> terms_;  // shared with requests being judged
  judgement::analysis::AnalysisCache cache_;
  std::unique_ptr<ImageModules> modules_;  // null: the images' modules are unknown
};

judgement::analysis::Language LanguageRead(request::Lang lang);

// The findings and the decision in the form that results use.
json::array FindingsJson(const judgement::policy::Decision& decision);
json::object DecisionJson(const judgement::policy::Decision& decision);

}  // namespace belljar::run
