// What a guest may say to its egress door, and a server to the broker: ClientHellos, heads of
// requests, answers. A head that is accepted is written anew; read again it must be for the same
// host, and have no other.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "broker/asked.h"
#include "broker/mask.h"
#include "broker/response_reader.h"
#include "broker/sni.h"
#include "http/request_reader.h"

namespace {

using namespace belljar;

void Require(bool holds) {
  if (!holds) std::abort();
}

void CheckHello(std::string_view bytes) {
  using broker::HelloState;
  const broker::Hello hello = broker::ReadHello(bytes);
  Require(hello.name.empty() || hello.state == HelloState::kComplete);
  Require(hello.name.size() <= 255);
  // What is complete or refused stays so, however much follows of another kind.
  if (bytes.size() < broker::kMaxHelloBytes && hello.state == HelloState::kNotTls) {
    Require(broker::ReadHello(std::string(bytes) + "x").state == HelloState::kNotTls);
  }
}

broker::EgressTerms Terms() {
  broker::EgressTerms terms;
  const auto host = policy::ParseHostPattern("a.com");
  Require(static_cast<bool>(host));
  terms.secrets.push_back({*host, policy::Secret::Scheme::kHttp, "X-Key", "PLACE", "real-value"});
  return terms;
}

void CheckHead(std::string_view bytes) {
  const auto end = http::FindHeadEnd(bytes, 0);
  if (!end) return;
  http::RequestReader reader(http::HeadLimits{}, http::Targets::kAsSent);
  if (reader.ReadHead(bytes.substr(0, *end))) return;
  const auto asked = broker::ReadAsked(reader.request(), reader.target());
  if (!asked) return;
  const auto canonical = policy::CanonicalHost(
      asked->host.find(':') == std::string::npos ? asked->host : "[" + asked->host + "]");
  Require(canonical && *canonical == asked->host && asked->port != 0);
  if (asked->kind == broker::Asked::Kind::kTunnel) return;
  static const broker::EgressTerms terms = Terms();
  const std::string head = broker::ForwardHead(*asked, reader.request(), terms);
  if (head.size() > http::HeadLimits{}.head_bytes) return;
  Require(http::FindHeadEnd(head, 0) == head.size());
  if (asked->host != "a.com")
    Require(head.find("real-value") == std::string::npos ||
            bytes.find("real-value") != std::string_view::npos);
  http::RequestReader again(http::HeadLimits{}, http::Targets::kAsSent);
  if (again.ReadHead(head)) return;  // longer than before, by a secret
  Require(again.request().headers.Count("Host") == 1);
  Require(again.target() == asked->path && again.request().method == asked->method);
}

void CheckAnswer(std::string_view bytes) {
  broker::ResponseReader reader(broker::ResponseReader::Body::kAsSaid);
  const auto used = reader.Feed(bytes);
  if (used) Require(*used <= bytes.size());
  broker::Mask mask({"secret", "ret"});
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
