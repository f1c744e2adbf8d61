// Controls that a test build leaves out, so that tests can show what each of them holds. In a
// release build every name is refused, and there is no code behind them.
#pragma once

#include <set>
#include <string>
#include <string_view>

#include "base/result.h"
#include "isolate/native/orders.h"
#include "policy/limits.h"

namespace belljar::engine {

struct SwitchedOff {
  isolate::StepMask steps = 0;
  std::set<std::string> limits;  // "limit_memory" and the like
};

// Reads a comma-separated list of steps (isolate/native/steps.cc), limits, and checks of what is
// fetched; the last are left out at once, for the whole process.
Result<SwitchedOff> ParseSwitchOff(std::string_view names);

// Raises the limits that are switched off until they are none.
void Lift(const SwitchedOff& off, policy::Limits& limits);

}  // namespace belljar::engine
