// Reduces a cell's terms to those of a policy that was loaded again. A pure function.
#pragma once

#include "resource/egress/terms.h"

namespace belljar::resource::egress {

// The intersection of both; nothing is added. Limits stay as they are, because they count what has
// been used already. A secret that `now` does not have, compared by placeholder, is no longer
// substituted, and is still masked in answers.
EgressTerms NarrowTerms(EgressTerms held, const EgressTerms& now);

}  // namespace belljar::resource::egress
