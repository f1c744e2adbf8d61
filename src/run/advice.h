// Advice: what to do about an error that has a known cause in a cell, in one sentence.
#pragma once

#include <string>

#include "cell/guest/protocol/wire.h"

namespace belljar::run {

// Empty: nothing is known of it. The error's words are the guest's, and are quoted, not believed.
std::string AdviceFor(const cell::guest::GuestError& error);

}  // namespace belljar::run
