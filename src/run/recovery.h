// Recovery: what the policy has done about a run that did not end well.
//
// People are told here: places that the policy names are alerted, and a person gets to see the run.
// A simpler request in its place is the pipeline's to run, and a session's way back to a checkpoint
// the sessions'.
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

// What is to be done about a run of that caller that ended so: nothing, as a rule.
judgement::policy::RecoveryTerms RecoveryOf(const judgement::policy::Policy& terms,
                                            const std::string& caller, Outcome outcome);

class Recovery {
 public:
  // `on_alert` null: nobody is told.
  Recovery(Asking& asking, Recorder& recorder, std::function<std::string(const Alert&)> on_alert)
      : asking_(asking), recorder_(recorder), on_alert_(std::move(on_alert)) {}

  // As the run's recovery terms have it; what was done is in its result, and recorded.
  Result<> TellPeople(Run& run);

  // A result in a few words, for those who get another one in its place.
  static json::object InsteadOf(const RunResult& first);

 private:
  Result<> RaiseAlert(Run& run);
  Result<> ShowToPerson(Run& run);

  Asking& asking_;
  Recorder& recorder_;
  const std::function<std::string(const Alert&)> on_alert_;
};

}  // namespace belljar::run
