// Recovery: carries out the policy's reaction to a failed run.
//
// Only notifications happen here: alerts go to the recipients that the policy names, and the run is
// shown to a person. Running the fallback request is the pipeline's task, and returning a session
// to a checkpoint is SessionCheckpoints'.
//
// Thread-safe. Asking and recorder must outlive it.
#pragma once

#include <functional>
#include <string>

#include "judgement/policy/policy.h"
#include "run/asking.h"
#include "run/options.h"
#include "run/record.h"
#include "run/run.h"

namespace belljar::run {

// The reaction to a run of that caller with that outcome; usually none.
judgement::policy::RecoveryTerms RecoveryOf(const judgement::policy::Policy& terms,
                                            const std::string& caller, Outcome outcome);

class Recovery {
 public:
  // `on_alert` null: no alerts are sent.
  Recovery(Asking& asking, Recorder& recorder, std::function<std::string(const Alert&)> on_alert)
      : asking_(asking), recorder_(recorder), on_alert_(std::move(on_alert)) {}

  // Notifies people as the run's recovery terms demand; the result lists what was done, and it is
  // recorded.
  Result<> TellPeople(Run& run);

  // A short summary of a failed result, for a caller who gets the fallback's result instead.
  static json::object InsteadOf(const RunResult& first);

 private:
  Result<> RaiseAlert(Run& run);
  Result<> ShowToPerson(Run& run);

  Asking& asking_;
  Recorder& recorder_;
  const std::function<std::string(const Alert&)> on_alert_;
};

}  // namespace belljar::run
