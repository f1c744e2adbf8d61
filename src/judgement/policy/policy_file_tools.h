// The [tools.SERVER] and [databases.NAME] tables of a policy.
#pragma once

#include "policy/policy.h"
#include "policy/toml_keys.h"

namespace belljar::policy {

Result<> ReadTools(const toml::node& node, Policy& policy);
Result<> ReadDatabases(const toml::node& node, Policy& policy);
// If there are tools or databases, allows the Python module by which a program calls them.
void AllowToolsModule(Policy& policy);

}  // namespace belljar::policy
