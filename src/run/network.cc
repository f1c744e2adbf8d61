#include "run/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "foundation/base/sys.h"
#include "run/audit_entry.h"

namespace belljar::run {
namespace {

constexpr std::size_t kMaxSecretBytes = 8 << 10;

std::map<std::string, std::string> ProxyVariables() {
  const std::string proxy = fmt::format("http://127.0.0.1:{}", cell::kEgressPort);
  std::map<std::string, std::string> env;
  for (const char* const name : {"HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy",
                                 "PIP_PROXY", "npm_config_proxy", "npm_config_https_proxy"}) {
    env[name] = proxy;
  }
  env["PIP_DISABLE_PIP_VERSION_CHECK"] = "1";
  env["NODE_USE_ENV_PROXY"] = "1";  // Node reads the proxy variables only with this set
  return env;
}

Result<std::string> ReadSecret(const judgement::policy::Secret& secret) {
  std::string value;
  if (!secret.from_env.empty()) {
    const char* const found = std::getenv(secret.from_env.c_str());
    if (found == nullptr) {
      return Error(Kind::kUnavailable, "the variable " + secret.from_env + " is not set here");
    }
    value = found;
  } else {
    value = BJ_TRY(ReadFile(secret.from_file, kMaxSecretBytes));
    while (!value.empty() && (value.back() == '\n' || value.back() == '\r')) value.pop_back();
  }
  const auto printable = [](char c) { return c >= 0x20 && c < 0x7f; };
  if (!value.empty() && std::ranges::all_of(value, printable)) return value;
  return Error(Kind::kUnavailable, "its value is empty, or not fit for a header");
}

bool Reaches(const std::vector<request::HostPattern>& hosts, const request::HostPattern& secret) {
  return std::ranges::any_of(
      hosts, [&](const request::HostPattern& host) { return request::IsWithin(secret, host); });
}

// The secrets for the requested hosts; those for other hosts are not released.
Result<std::vector<resource::egress::SecretValue>> SecretsFor(
    const judgement::policy::NetworkTerms& terms, const std::vector<request::HostPattern>& hosts) {
  std::vector<resource::egress::SecretValue> secrets;
  for (const auto& [name, secret] : terms.secrets) {
    resource::egress::SecretValue value;
    value.host = BJ_TRY(request::ParseHostPattern(secret.host));
    if (!Reaches(hosts, value.host)) continue;
    value.scheme = secret.scheme;
    value.header = secret.header;
    value.placeholder = PlaceholderOf(name);
    value.value = BJ_TRY(ReadSecret(secret).While("secret " + name));
    secrets.push_back(std::move(value));
  }
  return secrets;
}

// The egress terms for everything that the policy permits.
Result<resource::egress::EgressTerms> TermsOf(const judgement::policy::NetworkTerms& terms) {
  resource::egress::EgressTerms egress;
  egress.hosts = BJ_TRY(request::ParseHostPatterns(terms.hosts));
  egress.methods = terms.methods;
  egress.max_requests = terms.max_requests;
  egress.max_bytes = terms.max_bytes;
  egress.requests_per_minute = terms.requests_per_minute;
  egress.unsafe_private = BJ_TRY(request::ParseAddressRanges(terms.unsafe_private_addresses));
  return egress;
}

Result<resource::egress::EgressTerms> TermsFor(const request::Request& request,
                                               const judgement::policy::NetworkTerms& terms) {
  resource::egress::EgressTerms egress = BJ_TRY(TermsOf(terms));
  egress.hosts = BJ_TRY(request::ParseHostPatterns(request.allow_hosts));
  egress.secrets = BJ_TRY(SecretsFor(terms, egress.hosts));
  return egress;
}

bool IsListed(const std::string& host, const judgement::policy::NetworkTerms& terms) {
  const auto wanted = request::ParseHostPattern(host);
  return std::ranges::any_of(terms.hosts, [&](const std::string& text) {
    const auto open = request::ParseHostPattern(text);
    return wanted && open && request::IsWithin(*wanted, *open);
  });
}

// A secret whose source or host has changed in the policy counts as a different secret.
Result<resource::egress::EgressTerms> TermsNow(
    const judgement::policy::NetworkTerms& now,
    const std::map<std::string, judgement::policy::Secret>& before,
    const std::vector<std::string>& agreed) {
  resource::egress::EgressTerms egress = BJ_TRY(TermsOf(now));
  const auto also = BJ_TRY(request::ParseHostPatterns(agreed));
  egress.hosts.insert(egress.hosts.end(), also.begin(), also.end());
  for (const auto& [name, secret] : now.secrets) {
    const auto known = before.find(name);
    if (known == before.end() || known->second != secret) continue;
    resource::egress::SecretValue same;
    same.placeholder = PlaceholderOf(name);
    egress.secrets.push_back(std::move(same));
  }
  return egress;
}

json::object DetailOf(const resource::egress::Call& call) {
  json::object detail = {{"method", call.method},  {"host", call.host}, {"port", call.port},
                         {"status", call.status},  {"sent", call.sent}, {"received", call.received},
                         {"ms", call.took.count()}};
  if (!call.address.empty()) detail["address"] = call.address;
  if (!call.refusal.empty()) detail["refusal"] = call.refusal;
  return detail;
}

}  // namespace

std::string PlaceholderOf(const std::string& secret) {
  return "belljar-secret-" + secret + "-placeholder";
}

Result<std::shared_ptr<Network>> Network::Open(resource::egress::Egress& egress,
                                               const cell::Cell& cell,
                                               const request::Request& request,
                                               const judgement::policy::NetworkTerms& terms,
                                               record::Log* log) {
  auto egress_terms = BJ_TRY(TermsFor(request, terms));
  const std::shared_ptr<Network> network(new Network(log));
  network->level_ = request.level;
  network->secrets_ = terms.secrets;
  for (const std::string& host : request.allow_hosts) {
    if (!IsListed(host, terms)) network->agreed_.push_back(host);
  }
  network->env_ = ProxyVariables();
  for (const auto& [name, secret] : terms.secrets) {
    const std::string placeholder = PlaceholderOf(name);
    const bool given = std::ranges::any_of(
        egress_terms.secrets, [&](const auto& value) { return value.placeholder == placeholder; });
    if (given) network->env_[name] = placeholder;
  }
  network->listener_ =
      BJ_TRY(egress.Open(cell.listener(cell::CellListener::kEgress), std::move(egress_terms),
                         [self = network.get()](std::span<const resource::egress::Call> calls) {
                           return self->Record(calls);
                         }));
  return network;
}

void Network::BeginRun(const Origin& origin, const std::string& correlation_id) {
  const std::lock_guard lock(mutex_);
  origin_ = origin;
  origin_.correlation_id = correlation_id;
  calls_before_ = listener_->calls();
  running_ = true;
}

void Network::EndRun() {
  const std::lock_guard lock(mutex_);
  running_ = false;
}

std::uint64_t Network::CallsOfRun() const {
  listener_->Flush();
  const std::lock_guard lock(mutex_);
  return listener_->calls() - calls_before_;
}

bool Network::IsOf(const std::string& run_id, const std::optional<std::string>& caller) const {
  const std::lock_guard lock(mutex_);
  return running_ && origin_.run_id == run_id && (!caller || origin_.caller == *caller);
}

void Network::Recheck(const Assessment& assessment) {
  request::Request request;
  request.level = level_;
  std::vector<std::string> agreed;
  {
    const std::lock_guard lock(mutex_);
    agreed = agreed_;
  }
  // A level that is no longer permitted gives no access.
  resource::egress::EgressTerms now;
  if (const auto policy = assessment.PolicyFor(request)) {
    auto terms = TermsNow((*policy)->network, secrets_, agreed);
    if (terms) now = *std::move(terms);
  }
  listener_->Narrow(now);
}

void Network::KeepToPolicy(const Assessment& assessment) {
  {
    const std::lock_guard lock(mutex_);
    agreed_.clear();
  }
  Recheck(assessment);
}

Result<> Network::Revoke() {
  revoked_ = true;
  listener_->Revoke();
  if (log_ == nullptr) return {};
  BJ_TRY(log_->Append(EntryFor({{"revoked", true}})));
  return {};
}

record::Entry Network::EntryFor(json::object detail) const {
  const std::lock_guard lock(mutex_);
  return EntryFrom(record::Event::kBroker, origin_, std::move(detail));
}

Result<> Network::Record(std::span<const resource::egress::Call> calls) {
  if (log_ == nullptr) return {};
  std::vector<record::Entry> entries;
  for (const resource::egress::Call& call : calls) entries.push_back(EntryFor(DetailOf(call)));
  return log_->AppendAll(entries);
}

Result<std::shared_ptr<Network>> Networks::Open(const request::Request& request,
                                                const judgement::policy::NetworkTerms& terms,
                                                const cell::Cell& cell) {
  {
    const std::lock_guard lock(mutex_);
    resource::egress::Egress::Options egress;
    egress.left_out = left_out_;
    if (!egress_) egress_ = BJ_TRY(resource::egress::Egress::Create(std::move(egress)));
  }
  auto network = BJ_TRY(Network::Open(*egress_, cell, request, terms, log_).While("network"));
  {
    const std::lock_guard lock(mutex_);
    std::erase_if(following_, [](const auto& known) { return known.expired(); });
    following_.push_back(network);
  }
  // The policy may have been reloaded since this was judged.
  network->Recheck(assessment_);
  return network;
}

std::vector<std::shared_ptr<Network>> Networks::Living() {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Network>> living;
  for (const auto& known : following_) {
    if (auto network = known.lock()) living.push_back(std::move(network));
  }
  return living;
}

void Networks::Recheck() {
  for (const auto& network : Living()) network->Recheck(assessment_);
}

Result<> Networks::Revoke(const std::string& run_id, const std::optional<std::string>& caller) {
  bool found = false;
  for (const auto& network : Living()) {
    if (!network->IsOf(run_id, caller)) continue;
    found = true;
    BJ_TRY(network->Revoke());
  }
  if (found) return {};
  return Error(Kind::kNotFound, "no run of that id has a network now");
}

}  // namespace belljar::run
