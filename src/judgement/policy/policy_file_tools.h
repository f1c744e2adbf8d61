// The [tools.SERVER] and [databases.NAME] tables of a policy.
#pragma once

#include "judgement/policy/policy.h"
#include "judgement/policy/toml_keys.h"

namespace belljar::judgement::policy {

Result<> ReadTools(const toml::node& node, Policy& policy);
Result<> ReadDatabases(const toml::node& node, Policy& policy);
// If there are tools or databases, allows the Python module by which a program calls them.
void AllowToolsModule(Policy& policy);

}  // namespace belljar::judgement::policy
