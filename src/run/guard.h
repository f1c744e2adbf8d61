// What the guard in a Python interpreter is to refuse: docs/guard.md.
//
// It follows from the policy alone: the rules whose findings would be blocked or sent to review are
// refused where they happen, so that what no reading of the text could see is stopped all the same.
// What a person has agreed to is let through.
#pragma once

#include <memory>

#include "guest/wire.h"
#include "policy/decide.h"
#include "policy/policy.h"

namespace belljar::engine {

std::shared_ptr<const guest::Guard> MakeGuard(const policy::Policy& terms);

// The same guard for a request that a person has granted, with these findings in view.
std::shared_ptr<const guest::Guard> LiftWhatWasGranted(const guest::Guard& guard,
                                                       const policy::Decision& decision);

// The same guard for a run that was given hosts to reach.
std::shared_ptr<const guest::Guard> LiftNetwork(const guest::Guard& guard);

}  // namespace belljar::engine
