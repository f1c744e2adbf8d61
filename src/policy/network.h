// NetworkTerms: what a policy says of the way out of a cell. Plain values, as they were written;
// the parser has checked that they can be read. docs/broker.md says what they do.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/finding.h"
#include "base/result.h"
#include "policy/limits.h"

namespace belljar::policy {

// A value that the guest never sees: the broker puts it in place of a placeholder.
struct Secret {
  enum class Scheme { kHttp, kHttps };

  std::string host;    // a name or an address, with its port if it is not the scheme's own
  std::string header;  // in which the placeholder is replaced, and nowhere else
  Scheme scheme = Scheme::kHttp;
  std::string from_file;  // one of these two
  std::string from_env;
  bool operator==(const Secret&) const = default;
};

struct NetworkTerms {
  std::vector<std::string> hosts;    // what requests may be given without a question
  std::vector<std::string> methods;  // empty: any
  std::uint64_t max_requests = 1'000;
  std::uint64_t max_bytes = 256 * kMiB;  // both ways together
  std::uint64_t requests_per_minute = 600;
  std::vector<std::string> unsafe_private_addresses;  // ranges that are not public and yet open
  std::map<std::string, Secret> secrets;              // by the name of the guest's variable
  bool operator==(const NetworkTerms&) const = default;
};

// The modules that clients of HTTP are made of: a run that is given hosts may import them.
const std::vector<std::string>& NetworkModules(analysis::Language language);

constexpr std::size_t kMaxSecrets = 32;

Result<> ValidateSecret(const std::string& name, const Secret& secret);
Result<> ValidateMethods(const std::vector<std::string>& methods);

}  // namespace belljar::policy
