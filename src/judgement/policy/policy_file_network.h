// The tables [network] and [secrets.NAME] of a policy file.
#pragma once

#include "policy/network.h"
#include "policy/toml_keys.h"

namespace belljar::policy {

std::vector<KeyOf> NetworkKeys(NetworkTerms& terms);
Result<> ReadSecrets(const toml::node& node, NetworkTerms& terms);

}  // namespace belljar::policy
