// The Python analysis of a text at some depth of texts that run texts.
#pragma once

#include <string_view>

#include "analysis/finding.h"

namespace belljar::analysis::python {

Analysis AnalyseText(std::string_view source, int level);

}  // namespace belljar::analysis::python
