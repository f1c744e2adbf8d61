// The tables [network] and [secrets.NAME] of a policy file.
#pragma once

#include "judgement/policy/network.h"
#include "judgement/policy/toml_keys.h"

namespace belljar::judgement::policy {

std::vector<KeyOf> NetworkKeys(NetworkTerms& terms);
Result<> ReadSecrets(const toml::node& node, NetworkTerms& terms);

}  // namespace belljar::judgement::policy
