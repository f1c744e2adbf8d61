// Builds the guard for a Python interpreter: the list of operations that it refuses at run time
// (docs/guard.md).
//
// The guard follows from the policy alone: rules whose findings the policy blocks or sends to
// review are also enforced at run time, which stops what static analysis could not see. Operations
// that a person has approved are permitted.
#pragma once

#include <memory>

#include "cell/guest/protocol/wire.h"
#include "judgement/policy/decide.h"
#include "judgement/policy/policy.h"

namespace belljar::run {

std::shared_ptr<const cell::guest::Guard> MakeGuard(const judgement::policy::Policy& terms);

// The guard relaxed for a request that a person has approved with these findings in view.
std::shared_ptr<const cell::guest::Guard> LiftWhatWasGranted(
    const cell::guest::Guard& guard, const judgement::policy::Decision& decision);

// The guard relaxed for a run that may reach network hosts.
std::shared_ptr<const cell::guest::Guard> LiftNetwork(const cell::guest::Guard& guard);

}  // namespace belljar::run
