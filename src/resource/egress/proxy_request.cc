#include "resource/egress/proxy_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <boost/url/parse.hpp>
#include <boost/url/url_view.hpp>
#include <charconv>

#include "foundation/base/json.h"

namespace belljar::resource::egress {
namespace {

constexpr std::uint16_t kHttpPort = 80;
constexpr std::uint16_t kHttpsPort = 443;

Error Malformed(std::string message) { return Error(Kind::kInvalid, std::move(message)); }

struct Authority {
  std::string host;
  std::optional<std::uint16_t> port;
  bool operator==(const Authority&) const = default;
};

// Parses "host", "host:port" or "[address]:port"; everything else is refused, above all user
// information.
Result<Authority> ReadAuthority(std::string_view text) {
  Authority authority;
  const std::size_t colon = text.rfind(':');
  const std::size_t bracket = text.rfind(']');
  const bool has_port =
      colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket);
  if (has_port) {
    const std::string_view digits = text.substr(colon + 1);
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (error != std::errc() || end != digits.data() + digits.size() || port == 0) {
      return Malformed("the port is not a number from 1 to 65535");
    }
    authority.port = port;
    text = text.substr(0, colon);
  }
  authority.host = BJ_TRY(request::CanonicalHost(text));
  return authority;
}

Result<> MatchHost(const http::server::Request& request, const ProxyRequest& asked) {
  const auto host = request.headers.Find("Host");
  if (!host) return Malformed("there is no Host header");
  const Authority named = BJ_TRY(ReadAuthority(*host).While("Host"));
  const std::uint16_t usual = asked.kind == ProxyRequest::Kind::kTunnel ? kHttpsPort : kHttpPort;
  const bool same_port = named.port.value_or(usual) == asked.port;
  // Clients often omit the port from a tunnel's Host header.
  const bool unsaid = asked.kind == ProxyRequest::Kind::kTunnel && !named.port;
  if (named.host == asked.host && (same_port || unsaid)) return {};
  return Malformed("the Host header names another host than the target");
}

Result<ProxyRequest> ReadTunnel(std::string_view target) {
  const Authority authority = BJ_TRY(ReadAuthority(target));
  if (!authority.port) return Malformed("CONNECT needs a host and a port");
  return ProxyRequest{ProxyRequest::Kind::kTunnel, "CONNECT", authority.host, *authority.port, ""};
}

Result<ProxyRequest> ReadForward(const std::string& method, std::string_view target) {
  const auto parsed = boost::urls::parse_absolute_uri({target.data(), target.size()});
  if (!parsed) return Malformed("a proxy is asked for a whole address: http://host/path");
  const boost::urls::url_view url = *parsed;
  if (url.scheme_id() == boost::urls::scheme::https) {
    return Malformed("https goes through a tunnel: use CONNECT");
  }
  if (url.scheme_id() != boost::urls::scheme::http) return Malformed("the scheme is not http");
  if (!url.has_authority() || url.has_userinfo()) {
    return Malformed("the address has no host, or names a user, which no request may");
  }
  // Parsed by hand, because for "11.0.0.7.example.com" the URL library takes "11.0.0.7" for the
  // whole host.
  const std::string_view behind_scheme = target.substr(target.find("//") + 2);
  const std::size_t end = std::min(behind_scheme.find_first_of("/?"), behind_scheme.size());
  const Authority authority = BJ_TRY(ReadAuthority(behind_scheme.substr(0, end)));
  std::string path(behind_scheme.substr(end));
  if (path.empty() || path.front() != '/') path.insert(0, "/");
  return ProxyRequest{ProxyRequest::Kind::kForward, method, authority.host,
                      authority.port.value_or(kHttpPort), std::move(path)};
}

std::string HostText(const ProxyRequest& asked) {
  const bool v6 = asked.host.find(':') != std::string::npos;
  const std::string host = v6 ? "[" + asked.host + "]" : asked.host;
  return asked.port == kHttpPort ? host : fmt::format("{}:{}", host, asked.port);
}

// Headers that are not forwarded: hop-by-hop headers, and those that the broker writes itself.
bool StaysBehind(std::string_view name) {
  static constexpr std::string_view kBehind[] = {"host",
                                                 "connection",
                                                 "proxy-connection",
                                                 "proxy-authorization",
                                                 "keep-alive",
                                                 "te",
                                                 "trailer",
                                                 "upgrade",
                                                 "proxy-authenticate",
                                                 "expect",
                                                 "http2-settings"};
  return std::ranges::find(kBehind, http::server::ToLower(name)) != std::end(kBehind);
}

// Whether the Connection header names this header as hop-by-hop. Headers that determine where the
// request ends are never dropped this way.
bool IsNamedBy(std::string_view connection, std::string_view name) {
  constexpr std::string_view kSpace = " \t";
  if (http::server::EqualIgnoringCase(name, "content-length")) return false;
  if (http::server::EqualIgnoringCase(name, "transfer-encoding")) return false;
  while (!connection.empty()) {
    const std::size_t comma = std::min(connection.find(','), connection.size());
    std::string_view word = connection.substr(0, comma);
    word.remove_prefix(std::min(word.find_first_not_of(kSpace), word.size()));
    word = word.substr(0, word.find_last_not_of(kSpace) + 1);
    if (http::server::EqualIgnoringCase(word, name)) return true;
    connection.remove_prefix(std::min(comma + 1, connection.size()));
  }
  return false;
}

// Answers that are masked must be complete and uncompressed: a compressed or partial answer (a
// range chosen by the guest) would hide a secret from the mask.
bool IsAboutTheAnswersForm(std::string_view name) {
  static constexpr std::string_view kForm[] = {"accept-encoding", "range", "if-range"};
  return std::ranges::find(kForm, http::server::ToLower(name)) != std::end(kForm);
}

// Secrets are not substituted in a tunnel, whose content is encrypted.
bool BelongsTo(const SecretValue& secret, const ProxyRequest& asked) {
  return asked.kind == ProxyRequest::Kind::kForward &&
         request::Matches(secret.host, asked.host, asked.port);
}

std::string WithSecrets(const http::server::Header& header, const ProxyRequest& asked,
                        const EgressTerms& terms) {
  std::string value = header.value;
  for (const SecretValue& secret : terms.secrets) {
    const bool its_host = BelongsTo(secret, asked) || terms.left_out.Has(Control::kSecretHost);
    if (!its_host || !http::server::EqualIgnoringCase(header.name, secret.header)) continue;
    if (terms.withdrawn.contains(secret.placeholder)) continue;
    const std::size_t at = value.find(secret.placeholder);
    if (at != std::string::npos) value.replace(at, secret.placeholder.size(), secret.value);
  }
  return value;
}

}  // namespace

Result<ProxyRequest> ReadAsked(const http::server::Request& request, std::string_view target) {
  ProxyRequest asked = request.method == "CONNECT" ? BJ_TRY(ReadTunnel(target))
                                                   : BJ_TRY(ReadForward(request.method, target));
  BJ_TRY(MatchHost(request, asked));
  return asked;
}

std::optional<Refusal> RefuseAsked(const ProxyRequest& asked, const EgressTerms& terms) {
  const bool listed = request::MatchesAny(terms.hosts, asked.host, asked.port);
  if (!listed && !terms.left_out.Has(Control::kHosts)) {
    return Refusal{403, "blocked-by-allowlist",
                   fmt::format("{} on port {} is not among the hosts that this cell may reach",
                               asked.host, asked.port)};
  }
  static constexpr std::array<std::string_view, 8> kKnown = {
      "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "CONNECT"};
  const bool known = std::ranges::find(kKnown, asked.method) != kKnown.end();
  const bool open = terms.methods.empty() ||
                    std::ranges::find(terms.methods, asked.method) != terms.methods.end();
  if (known && open) return std::nullopt;
  return Refusal{403, "blocked-by-method-policy",
                 fmt::format("{} is not among the methods that this cell may use", asked.method)};
}

Refusal RefusalOf(const http::server::Response& unread) {
  Refusal refusal{unread.status, unread.status == 413 ? "limit-reached" : "malformed-request",
                  "the request is malformed"};
  const auto body = ParseJson(unread.body);
  const json::object* const whole = body ? body->if_object() : nullptr;
  const json::value* const error = whole != nullptr ? whole->if_contains("error") : nullptr;
  const json::object* const inner = error != nullptr ? error->if_object() : nullptr;
  const json::value* const message = inner != nullptr ? inner->if_contains("message") : nullptr;
  if (message != nullptr && message->is_string()) refusal.sentence = message->as_string();
  return refusal;
}

std::optional<Refusal> RefuseAddress(const ProxyRequest& asked, const request::Address& address,
                                     const EgressTerms& terms) {
  const auto why = request::WhyNotPublic(address);
  if (!why || terms.left_out.Has(Control::kAddresses)) return std::nullopt;
  const bool opened = std::ranges::any_of(
      terms.unsafe_private, [&](const auto& range) { return request::IsIn(address, range); });
  if (opened) return std::nullopt;
  return Refusal{403, "blocked-by-policy",
                 fmt::format("{} is at a {} address, which no cell may reach", asked.host, *why)};
}

bool IsRepeatable(const ProxyRequest& asked) {
  return asked.method == "GET" || asked.method == "HEAD" || asked.method == "OPTIONS";
}

bool IsOverTls(const ProxyRequest& asked, const EgressTerms& terms) {
  return std::ranges::any_of(terms.secrets, [&](const SecretValue& secret) {
    return secret.scheme == judgement::policy::Secret::Scheme::kHttps && BelongsTo(secret, asked);
  });
}

std::vector<std::string> SecretsOf(const ProxyRequest& asked, const EgressTerms& terms) {
  std::vector<std::string> values;
  for (const SecretValue& secret : terms.secrets) {
    if (BelongsTo(secret, asked)) values.push_back(secret.value);
  }
  return values;
}

std::uint16_t UpstreamPort(const ProxyRequest& asked, const EgressTerms& terms) {
  return asked.port == kHttpPort && IsOverTls(asked, terms) ? kHttpsPort : asked.port;
}

std::string ForwardHead(const ProxyRequest& asked, const http::server::Request& request,
                        const EgressTerms& terms) {
  std::string head =
      fmt::format("{} {} HTTP/1.1\r\nHost: {}\r\n", asked.method, asked.path, HostText(asked));
  const bool searched = !SecretsOf(asked, terms).empty();
  if (searched) head += "Accept-Encoding: identity\r\n";
  const std::string_view connection = request.headers.Find("Connection").value_or("");
  for (const http::server::Header& header : request.headers.all()) {
    if (StaysBehind(header.name) || IsNamedBy(connection, header.name)) continue;
    if (searched && IsAboutTheAnswersForm(header.name)) continue;
    head += fmt::format("{}: {}\r\n", header.name, WithSecrets(header, asked, terms));
  }
  return head + "\r\n";
}

}  // namespace belljar::resource::egress
