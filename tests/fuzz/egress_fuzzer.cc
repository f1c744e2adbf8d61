// What a guest may say to its egress door, and a server to the broker: ClientHellos, heads of
// requests, answers. A head that is accepted is written anew; read again it must be for the same
// host, and have no other.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "foundation/http/server/request_reader.h"
#include "resource/egress/proxy_request.h"
#include "resource/egress/response_reader.h"
#include "resource/egress/secret_mask.h"
#include "resource/egress/sni.h"

namespace {

using namespace belljar;

void Require(bool holds) {
  if (!holds) std::abort();
}

void CheckHello(std::string_view bytes) {
  using resource::egress::HelloState;
  const resource::egress::Hello hello = resource::egress::ReadHello(bytes);
  Require(hello.name.empty() || hello.state == HelloState::kComplete);
  Require(hello.name.size() <= 255);
  // What is complete or refused stays so, however much follows of another kind.
  if (bytes.size() < resource::egress::kMaxHelloBytes && hello.state == HelloState::kNotTls) {
    Require(resource::egress::ReadHello(std::string(bytes) + "x").state == HelloState::kNotTls);
  }
}

resource::egress::EgressTerms Terms() {
  resource::egress::EgressTerms terms;
  const auto host = request::ParseHostPattern("a.com");
  Require(static_cast<bool>(host));
  terms.secrets.push_back(
      {*host, judgement::policy::Secret::Scheme::kHttp, "X-Key", "PLACE", "real-value"});
  return terms;
}

void CheckHead(std::string_view bytes) {
  const auto end = http::server::FindHeadEnd(bytes, 0);
  if (!end) return;
  http::server::RequestReader reader(http::server::HeadLimits{}, http::server::Targets::kAsSent);
  if (reader.ReadHead(bytes.substr(0, *end))) return;
  const auto asked = resource::egress::ReadAsked(reader.request(), reader.target());
  if (!asked) return;
  const auto canonical = request::CanonicalHost(
      asked->host.find(':') == std::string::npos ? asked->host : "[" + asked->host + "]");
  Require(canonical && *canonical == asked->host && asked->port != 0);
  if (asked->kind == resource::egress::ProxyRequest::Kind::kTunnel) return;
  static const resource::egress::EgressTerms terms = Terms();
  const std::string head = resource::egress::ForwardHead(*asked, reader.request(), terms);
  if (head.size() > http::server::HeadLimits{}.head_bytes) return;
  Require(http::server::FindHeadEnd(head, 0) == head.size());
  if (asked->host != "a.com")
    Require(head.find("real-value") == std::string::npos ||
            bytes.find("real-value") != std::string_view::npos);
  http::server::RequestReader again(http::server::HeadLimits{}, http::server::Targets::kAsSent);
  if (again.ReadHead(head)) return;  // longer than before, by a secret
  Require(again.request().headers.Count("Host") == 1);
  Require(again.target() == asked->path && again.request().method == asked->method);
}

void CheckAnswer(std::string_view bytes) {
  resource::egress::ResponseReader reader(resource::egress::ResponseReader::Body::kAsSaid);
  const auto used = reader.Feed(bytes);
  if (used) Require(*used <= bytes.size());
  resource::egress::SecretMask mask({"secret", "ret"});
  const std::size_t half = bytes.size() / 2;
  std::string passed = mask.Pass(bytes.substr(0, half));
  passed += mask.Pass(bytes.substr(half));
  passed += mask.Finish();
  Require(passed.size() == bytes.size() && passed.find("secret") == std::string::npos);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  CheckHello(bytes);
  CheckHead(bytes);
  CheckAnswer(bytes);
  return 0;
}
