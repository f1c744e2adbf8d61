// How a request's bytes are shown in an error (base/quote.h), by the names that requests use.
#pragma once

#include "base/quote.h"

namespace belljar::policy {

using belljar::FindControl;
using belljar::FindTrouble;
using belljar::Invalid;
using belljar::Quote;
using belljar::Trouble;
using belljar::TroubleAt;

}  // namespace belljar::policy
