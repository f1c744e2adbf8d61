// NetworkTerms: what a policy allows of network access from a cell. Plain values as written; the
// parser has checked that they are well-formed. docs/broker.md describes their effect.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "foundation/base/result.h"
#include "judgement/analysis/finding.h"
#include "request/limits.h"

namespace belljar::judgement::policy {

// A secret value that the guest never sees: the broker substitutes it for a placeholder.
struct Secret {
  enum class Scheme { kHttp, kHttps };

  std::string host;    // a name or an address, with its port if it is not the scheme's default
  std::string header;  // the only header in which the placeholder is replaced
  Scheme scheme = Scheme::kHttp;
  std::string from_file;  // one of these two is set
  std::string from_env;
  bool operator==(const Secret&) const = default;
};

struct NetworkTerms {
  std::vector<std::string> hosts;    // hosts that requests get without approval
  std::vector<std::string> methods;  // empty: all methods
  std::uint64_t max_requests = 1'000;
  std::uint64_t max_bytes = 256 * request::kMiB;  // both directions together
  std::uint64_t requests_per_minute = 600;
  // Private address ranges that are allowed nevertheless.
  std::vector<std::string> unsafe_private_addresses;
  std::map<std::string, Secret> secrets;  // by the name of the guest's environment variable
  bool operator==(const NetworkTerms&) const = default;
};

// The modules that HTTP clients import; a run that is given hosts may import them.
const std::vector<std::string>& NetworkModules(analysis::Language language);

constexpr std::size_t kMaxSecrets = 32;

Result<> ValidateSecret(const std::string& name, const Secret& secret);
Result<> ValidateMethods(const std::vector<std::string>& methods);

}  // namespace belljar::judgement::policy
