// Renders the rules as the page docs/rules.md; a test compares the two.
#pragma once

#include <string>

namespace belljar::judgement::analysis {

std::string RulePage();

}  // namespace belljar::judgement::analysis
