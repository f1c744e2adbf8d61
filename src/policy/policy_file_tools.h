// The [tools.SERVER] and [databases.NAME] tables of a policy.
#pragma once

#include "policy/policy.h"
#include "policy/toml_keys.h"

namespace belljar::policy {

Result<> ReadTools(const toml::node& node, Policy& policy);
Result<> ReadDatabases(const toml::node& node, Policy& policy);
// Where there are tools or databases, the module by which a program calls them may be imported.
void AllowToolsModule(Policy& policy);

}  // namespace belljar::policy
