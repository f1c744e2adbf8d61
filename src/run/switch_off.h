// Controls that tests leave out, to show what each of them holds. Two files define what is declared
// here: switch_off.cc goes into belljar-loose, which only tests use; switch_off_never.cc into
// belljar, which refuses every name and has no way to make a SwitchedOff that is not empty.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "artefact/store.h"
#include "base/result.h"
#include "broker/left_out.h"
#include "isolate/native/orders.h"
#include "policy/limits.h"

namespace belljar::engine {

struct SwitchedOff {
  isolate::StepMask steps = 0;
  std::set<std::string> limits;  // "limit_memory" and the like
  bool judgement = false;        // nothing is read before it runs
  bool redaction = false;        // nothing is taken out of what leaves
  bool guard = false;            // no interpreter refuses anything
  broker::LeftOut broker;        // nothing, or not everything, is refused on the way out
  artefact::Store::Marks artefact_marks = artefact::Store::Marks::kChecked;
};

bool CanSwitchOff();

// Reads a comma-separated list of steps (isolate/native/steps.cc), limits, stages and controls of
// the broker, and checks of what is fetched; the last are left out at once, for the whole process.
Result<SwitchedOff> ParseSwitchOff(std::string_view names);

// Raises the limits that are switched off until they are none.
void Lift(const SwitchedOff& off, policy::Limits& limits);

}  // namespace belljar::engine
