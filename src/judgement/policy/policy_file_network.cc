#include "judgement/policy/policy_file_network.h"

#include "request/address.h"
#include "request/host_pattern.h"
#include "request/request.h"

namespace belljar::judgement::policy {
namespace {

Result<std::vector<std::string>> HostsOf(const toml::node& node) {
  auto hosts = BJ_TRY(TextsOf(node));
  BJ_TRY(request::ParseHostPatterns(hosts));
  return hosts;
}

Result<std::vector<std::string>> MethodsOf(const toml::node& node) {
  auto methods = BJ_TRY(TextsOf(node));
  BJ_TRY(ValidateMethods(methods));
  return methods;
}

Result<std::vector<std::string>> RangesOf(const toml::node& node) {
  auto ranges = BJ_TRY(TextsOf(node));
  BJ_TRY(request::ParseAddressRanges(ranges));
  return ranges;
}

Result<std::uint64_t> CountOf(const toml::node& node) {
  constexpr std::int64_t kMost = 1'000'000;
  const auto* number = node.as_integer();
  if (number == nullptr || number->get() < 1 || number->get() > kMost) {
    return Invalid("takes a whole number from 1 to {}", kMost);
  }
  return static_cast<std::uint64_t>(number->get());
}

Result<Secret::Scheme> SchemeOf(const toml::node& node) {
  const std::string text = BJ_TRY(TextOf(node));
  if (text == "http") return Secret::Scheme::kHttp;
  if (text == "https") return Secret::Scheme::kHttps;
  return Invalid("takes http or https, not {}", Quote(text));
}

Result<Secret> SecretOf(const toml::node& node, const std::string& title) {
  Secret secret;
  BJ_TRY(Below(title, {{"host", Into(secret.host, TextOf)},
                       {"header", Into(secret.header, TextOf)},
                       {"scheme", Into(secret.scheme, SchemeOf)},
                       {"from_file", Into(secret.from_file, TextOf)},
                       {"from_env", Into(secret.from_env, TextOf)}})(node));
  return secret;
}

}  // namespace

std::vector<KeyOf> NetworkKeys(NetworkTerms& terms) {
  return {{"hosts", Into(terms.hosts, HostsOf)},
          {"methods", Into(terms.methods, MethodsOf)},
          {"max_requests", Into(terms.max_requests, CountOf)},
          {"max_bytes", QuantityInto(terms.max_bytes, request::ParseSize)},
          {"requests_per_minute", Into(terms.requests_per_minute, CountOf)},
          {"unsafe_private_addresses", Into(terms.unsafe_private_addresses, RangesOf)}};
}

Result<> ReadSecrets(const toml::node& node, NetworkTerms& terms) {
  const auto* table = node.as_table();
  if (table == nullptr || table->size() > kMaxSecrets) {
    return Invalid("is a table of at most {} secrets: [secrets.NAME]", kMaxSecrets);
  }
  for (const auto& [key, value] : *table) {
    const std::string name(key.str());
    Secret secret = BJ_TRY(SecretOf(value, "secrets." + name));
    BJ_TRY(ValidateSecret(name, secret).While("[secrets." + name + "]"));
    terms.secrets[name] = std::move(secret);
  }
  return {};
}

}  // namespace belljar::judgement::policy
