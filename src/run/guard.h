// What the guard in a Python interpreter is to refuse: docs/guard.md.
//
// It follows from the policy alone: the rules whose findings would be blocked or sent to review are
// refused where they happen, so that what no reading of the text could see is stopped all the same.
// What a person has agreed to is let through.
#pragma once

#include <memory>

#include "cell/guest/protocol/wire.h"
#include "judgement/policy/decide.h"
#include "judgement/policy/policy.h"

namespace belljar::run {

std::shared_ptr<const cell::guest::Guard> MakeGuard(const judgement::policy::Policy& terms);

// The same guard for a request that a person has granted, with these findings in view.
std::shared_ptr<const cell::guest::Guard> LiftWhatWasGranted(
    const cell::guest::Guard& guard, const judgement::policy::Decision& decision);

// The same guard for a run that was given hosts to reach.
std::shared_ptr<const cell::guest::Guard> LiftNetwork(const cell::guest::Guard& guard);

}  // namespace belljar::run
