// Advice: what to do about an error that has a known cause in a cell, in one sentence.
#pragma once

#include <string>

#include "guest/wire.h"

namespace belljar::result {

// Empty: nothing is known of it. The error's words are the guest's, and are quoted, not believed.
std::string AdviceFor(const guest::GuestError& error);

}  // namespace belljar::result
