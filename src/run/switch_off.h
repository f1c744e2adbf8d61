// Controls that tests leave out, to show what each of them holds. Two files define what is declared
// here: switch_off.cc goes into belljar-loose, which only tests use; switch_off_never.cc into
// belljar, which refuses every name and has no way to make a SwitchedOff that is not empty.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "cell/native/launcher/orders.h"
#include "foundation/base/result.h"
#include "request/limits.h"
#include "resource/artefact/store.h"
#include "resource/test_switches.h"

namespace belljar::run {

struct SwitchedOff {
  cell::native::StepMask steps = 0;
  std::set<std::string> limits;   // "limit_memory" and the like
  bool judgement = false;         // nothing is read before it runs
  bool redaction = false;         // nothing is taken out of what leaves
  bool guard = false;             // no interpreter refuses anything
  resource::TestSwitches broker;  // nothing, or not everything, is refused on the way out
  resource::artefact::Store::Marks artefact_marks = resource::artefact::Store::Marks::kChecked;
};

bool CanSwitchOff();

// Reads a comma-separated list of steps (isolate/native/steps.cc), limits, stages and controls of
// the broker, and checks of what is fetched; the last are left out at once, for the whole process.
Result<SwitchedOff> ParseSwitchOff(std::string_view names);

// Raises the limits that are switched off until they are none.
void Lift(const SwitchedOff& off, request::Limits& limits);

}  // namespace belljar::run
