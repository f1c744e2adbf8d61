#include "judgement/policy/network.h"

#include <algorithm>

#include "foundation/base/quote.h"
#include "request/host_pattern.h"

namespace belljar::judgement::policy {
namespace {

constexpr std::size_t kMaxTokenBytes = 64;

bool IsUpper(char c) { return c >= 'A' && c <= 'Z'; }

bool IsHeaderChar(char c) {
  return IsUpper(c) || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
}

// Whether the header controls message framing or routing; a secret must not be placed there.
bool IsFraming(std::string header) {
  std::ranges::transform(header, header.begin(),
                         [](char c) { return IsUpper(c) ? static_cast<char>(c + 32) : c; });
  static constexpr std::string_view kFraming[] = {
      "host", "content-length", "transfer-encoding", "trailer", "connection", "upgrade", "expect",
      "te"};
  return std::ranges::find(kFraming, header) != std::end(kFraming);
}

}  // namespace

const std::vector<std::string>& NetworkModules(analysis::Language language) {
  static const std::vector<std::string> python = {"socket",  "ssl",   "http",    "urllib",
                                                  "urllib3", "httpx", "aiohttp", "requests"};
  static const std::vector<std::string> javascript = {"net",        "tls", "http",    "https",
                                                      "http2",      "dns", "undici",  "axios",
                                                      "node-fetch", "got", "request", "superagent"};
  return language == analysis::Language::kPython ? python : javascript;
}

Result<> ValidateSecret(const std::string& name, const Secret& secret) {
  const bool named = !name.empty() && name.size() <= kMaxTokenBytes && IsUpper(name.front()) &&
                     std::ranges::all_of(name, [](char c) {
                       return IsUpper(c) || (c >= '0' && c <= '9') || c == '_';
                     });
  if (!named) return Invalid("a secret is named like a variable, as API_KEY, not {}", Quote(name));
  const request::HostPattern host =
      BJ_TRY(request::ParseHostPattern(secret.host).While("\"host\""));
  if (host.match != request::HostPattern::Match::kExact) {
    return Invalid("\"host\": a secret belongs to one host, without a star");
  }
  const bool header = !secret.header.empty() && secret.header.size() <= kMaxTokenBytes &&
                      std::ranges::all_of(secret.header, IsHeaderChar);
  if (!header || IsFraming(secret.header)) {
    return Invalid("\"header\" takes the name of a header such as Authorization, not {}",
                   Quote(secret.header));
  }
  if (secret.from_file.empty() == secret.from_env.empty()) {
    return Invalid("needs \"from_file\" or \"from_env\", and not both");
  }
  return {};
}

Result<> ValidateMethods(const std::vector<std::string>& methods) {
  static constexpr std::string_view kMethods[] = {"GET",   "HEAD",   "POST",    "PUT",
                                                  "PATCH", "DELETE", "OPTIONS", "CONNECT"};
  for (const std::string& method : methods) {
    if (std::ranges::find(kMethods, method) != std::end(kMethods)) continue;
    return Invalid("takes GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS and CONNECT, not {}",
                   Quote(method));
  }
  return {};
}

}  // namespace belljar::judgement::policy
