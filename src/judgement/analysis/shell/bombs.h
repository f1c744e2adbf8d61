// Fork bombs: functions that start copies of themselves, side by side and without end.
#pragma once

#include <optional>

#include "judgement/analysis/shell/context.h"
#include "judgement/analysis/syntax/syntax.h"

namespace belljar::judgement::analysis::shell {

// Looks at who calls whom, as the text says it. A function that reaches itself through calls of
// which one is in a pipeline or in the background is a bomb; so is a script that starts itself so.
void LookForBombs(Context& context, const Syntax& syntax, std::optional<Place> place);

}  // namespace belljar::judgement::analysis::shell
