// Security controls that tests disable, to show what each of them prevents. Two files define the
// functions declared here: switch_off.cc is linked into belljar-loose, which only tests use;
// switch_off_never.cc into belljar, which rejects every name and so cannot create a SwitchedOff
// that is not empty.
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
  bool judgement = false;         // code is not analysed
  bool redaction = false;         // no redaction
  bool guard = false;             // no guard in interpreters
  resource::TestSwitches broker;  // checks of the broker that are disabled
  resource::artefact::Store::Marks artefact_marks = resource::artefact::Store::Marks::kChecked;
};

bool CanSwitchOff();

// Parses a comma-separated list of steps (cell/native/launcher/steps.cc), limits, stages, controls
// of the broker, and checks on fetched files. The last take effect at once, for the whole process.
Result<SwitchedOff> ParseSwitchOff(std::string_view names);

// Raises the disabled limits until they have no effect.
void Lift(const SwitchedOff& off, request::Limits& limits);

}  // namespace belljar::run
