// The Python analysis of a text at some depth of texts that run texts.
#pragma once

#include <string_view>

#include "judgement/analysis/finding.h"

namespace belljar::judgement::analysis::python {

Analysis AnalyseText(std::string_view source, int level);

}  // namespace belljar::judgement::analysis::python
