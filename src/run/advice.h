// Advice: suggests a fix, in one sentence, for errors with a known cause in a cell.
#pragma once

#include <string>

#include "cell/guest/protocol/wire.h"

namespace belljar::run {

// Empty: no advice for this error. The error's text comes from the guest: it is quoted, not
// trusted.
std::string AdviceFor(const cell::guest::GuestError& error);

}  // namespace belljar::run
