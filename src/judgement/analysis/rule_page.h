// The rules as a page: docs/rules.md is this, and a test compares the two.
#pragma once

#include <string>

namespace belljar::judgement::analysis {

std::string RulePage();

}  // namespace belljar::judgement::analysis
