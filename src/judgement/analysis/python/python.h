// Analyses a Python program at some nesting depth: 0 for the program itself, 1 for a string that it
// runs as code, and so on.
#pragma once

#include <string_view>

#include "judgement/analysis/finding.h"

namespace belljar::judgement::analysis::python {

Analysis AnalyseText(std::string_view source, int level);

}  // namespace belljar::judgement::analysis::python
