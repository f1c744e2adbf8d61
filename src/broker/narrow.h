// Holding a cell's terms against those of a policy that was read anew. Pure.
#pragma once

#include "broker/call.h"

namespace belljar::broker {

// What is in both; nothing is added, whatever `now` has. Limits stay as they are: they are of what
// has been used already. A secret that `now` has not, by its placeholder, is put in no more and
// still kept out of answers.
EgressTerms NarrowTerms(EgressTerms held, const EgressTerms& now);

}  // namespace belljar::broker
