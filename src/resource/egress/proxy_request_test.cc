#include "resource/egress/proxy_request.h"

#include <gtest/gtest.h>

#include "foundation/http/server/request_reader.h"

namespace belljar::resource::egress {
namespace {

// The parsed destination as "METHOD host port path", or the refusal.
std::string ReadOf(const std::string& head) {
  http::server::RequestReader reader(http::server::HeadLimits{}, http::server::Targets::kAsSent);
  if (const auto refusal = reader.ReadHead(head)) return std::to_string(refusal->status);
  const auto asked = ReadAsked(reader.request(), reader.target());
  if (!asked) return asked.error().message();
  return asked->method + " " + asked->host + " " + std::to_string(asked->port) + " " + asked->path;
}

std::string Get(const std::string& target, const std::string& host) {
  return ReadOf("GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\n\r\n");
}

TEST(ReadAsked, ReadsWhomARequestIsFor) {
  EXPECT_EQ(Get("http://a.com/x?y=1", "a.com"), "GET a.com 80 /x?y=1");
  EXPECT_EQ(Get("http://A.com:81", "a.com:81"), "GET a.com 81 /");
  EXPECT_EQ(Get("http://a.com?q", "A.COM:80"), "GET a.com 80 /?q");
  EXPECT_EQ(Get("http://[::ffff:127.0.0.1]/", "[::ffff:127.0.0.1]"), "GET ::ffff:127.0.0.1 80 /");
  EXPECT_EQ(Get("http://11.0.0.7.a.com:81/x?y", "11.0.0.7.a.com:81"), "GET 11.0.0.7.a.com 81 /x?y");
  EXPECT_EQ(ReadOf("CONNECT a.com:443 HTTP/1.1\r\nHost: a.com:443\r\n\r\n"), "CONNECT a.com 443 ");
  EXPECT_EQ(ReadOf("CONNECT a.com:8443 HTTP/1.1\r\nHost: a.com\r\n\r\n"), "CONNECT a.com 8443 ");
}

TEST(ReadAsked, RefusesEveryOtherSpellingOfAHost) {
  for (const char* const host :
       {"2130706433", "0x7f000001", "0x7f.1", "0177.0.0.1", "127.1", "a.com%00.evil.org", "a%2ecom",
        "a.com\t", "[::1%25lo]", "xn--\xc3\xa9", "a_b..com", "-a.com", "a.com:0", "a.com:99999",
        "a.com:8o", "[127.0.0.1]", "[a.com]", "::1", "*.a.com"}) {
    const std::string text = Get(std::string("http://") + host + "/", host);
    EXPECT_FALSE(text.starts_with("GET ")) << host << " was read as " << text;
  }
}

TEST(ReadAsked, RefusesUsersAndFragmentsAndOtherSchemes) {
  for (const char* const target :
       {"http://user@a.com/", "http://user:pw@a.com/", "http://a.com@b.com/", "http://@a.com/",
        "https://a.com/", "ftp://a.com/", "file:///etc/passwd", "/x", "*", "a.com", "//a.com/",
        "http:a.com", "http:///x", "http://a.com/#f", "gopher://a.com/", "http://a.com\\@b.com/"}) {
    EXPECT_FALSE(Get(target, "a.com").starts_with("GET ")) << target;
  }
}

TEST(ReadAsked, RefusesAHostHeaderThatSaysOtherwise) {
  const std::string other = "the Host header names another host than the target";
  EXPECT_EQ(Get("http://a.com/", "b.com"), other);
  EXPECT_EQ(Get("http://11.0.0.7.a.com/", "11.0.0.7"), other);
  EXPECT_EQ(Get("http://a.com/", "a.com:81"), other);
  EXPECT_EQ(Get("http://a.com:81/", "a.com"), other);
  EXPECT_EQ(ReadOf("GET http://a.com/ HTTP/1.1\r\n\r\n"), "there is no Host header");
  EXPECT_EQ(ReadOf("GET http://a.com/ HTTP/1.1\r\nHost: a.com\r\nHost: b.com\r\n\r\n"), "400");
  EXPECT_EQ(ReadOf("CONNECT a.com:443 HTTP/1.1\r\nHost: b.com:443\r\n\r\n"), other);
}

TEST(ReadAsked, RefusesWhatTwoReadersCouldReadInTwoWays) {
  const std::string line = "POST http://a.com/ HTTP/1.1\r\nHost: a.com\r\n";
  for (const char* const fields :
       {"Content-Length: 1\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: 1\r\nContent-Length: 2\r\n", "Content-Length: 1\r\nContent-Length: 1\r\n",
        "Content-Length: +1\r\n", "Content-Length: 0x1\r\n", "Content-Length: -1\r\n",
        "Transfer-Encoding: xchunked\r\n", "Transfer-Encoding: chunked, identity\r\n",
        "Transfer-Encoding : chunked\r\n", "X: a\r\n folded\r\n", "X: a\nY: b\r\n",
        "X: a\rY: b\r\n", "X: a\0b\r\n", " X: y\r\n", "X y: z\r\n", ": z\r\n"}) {
    EXPECT_FALSE(ReadOf(line + fields + "\r\n").starts_with("POST ")) << fields;
  }
  EXPECT_EQ(ReadOf("GET http://a.com/ HTTP/1.0\r\nHost: a.com\r\n\r\n"), "505");
  EXPECT_EQ(ReadOf("GET http://a.com/x HTTP/1.1 HTTP/1.1\r\nHost: a.com\r\n\r\n"), "400");
}

EgressTerms TermsOf(std::vector<std::string> hosts) {
  EgressTerms terms;
  terms.hosts = *request::ParseHostPatterns(hosts);
  return terms;
}

ProxyRequest AskedFor(const std::string& method, const std::string& host, std::uint16_t port) {
  const auto kind =
      method == "CONNECT" ? ProxyRequest::Kind::kTunnel : ProxyRequest::Kind::kForward;
  return {kind, method, host, port, "/"};
}

TEST(RefuseAsked, HoldsHostsPortsAndMethodsAgainstTheTerms) {
  EgressTerms terms = TermsOf({"a.com", "*.b.com:8080"});
  EXPECT_FALSE(RefuseAsked(AskedFor("GET", "a.com", 80), terms));
  EXPECT_FALSE(RefuseAsked(AskedFor("CONNECT", "a.com", 443), terms));
  EXPECT_FALSE(RefuseAsked(AskedFor("GET", "x.b.com", 8080), terms));
  EXPECT_EQ(RefuseAsked(AskedFor("GET", "a.com", 81), terms)->error, "blocked-by-allowlist");
  EXPECT_EQ(RefuseAsked(AskedFor("GET", "x.b.com", 80), terms)->error, "blocked-by-allowlist");
  EXPECT_EQ(RefuseAsked(AskedFor("TRACE", "a.com", 80), terms)->error, "blocked-by-method-policy");
  terms.methods = {"GET"};
  EXPECT_FALSE(RefuseAsked(AskedFor("GET", "a.com", 80), terms));
  EXPECT_EQ(RefuseAsked(AskedFor("POST", "a.com", 80), terms)->error, "blocked-by-method-policy");
  EXPECT_EQ(RefuseAsked(AskedFor("CONNECT", "a.com", 443), terms)->error,
            "blocked-by-method-policy");
}

TEST(RefuseAddress, OpensOnlyTheRangesThatAPolicyCallsUnsafe) {
  EgressTerms terms = TermsOf({"a.com"});
  const ProxyRequest asked = AskedFor("GET", "a.com", 80);
  const auto refused = [&](std::string_view address) {
    return RefuseAddress(asked, *request::Address::Parse(address), terms).has_value();
  };
  EXPECT_FALSE(refused("8.8.8.8"));
  EXPECT_TRUE(refused("10.77.0.1"));
  terms.unsafe_private = *request::ParseAddressRanges({"10.77.0.0/24"});
  EXPECT_FALSE(refused("10.77.0.1"));
  EXPECT_TRUE(refused("10.77.1.1"));
  EXPECT_TRUE(refused("::ffff:10.77.0.1"));
}

std::string HeadFor(const ProxyRequest& asked, const EgressTerms& terms,
                    const std::string& fields) {
  http::server::RequestReader reader(http::server::HeadLimits{}, http::server::Targets::kAsSent);
  EXPECT_FALSE(reader.ReadHead("GET http://a.com/ HTTP/1.1\r\nHost: a.com\r\n" + fields + "\r\n"));
  return ForwardHead(asked, reader.request(), terms);
}

TEST(ForwardHead, LeavesOutWhatIsForTheProxy) {
  const std::string head =
      HeadFor(AskedFor("GET", "a.com", 80), TermsOf({}),
              "Proxy-Authorization: x\r\nProxy-Connection: keep-alive\r\nConnection: X-Other\r\n"
              "Upgrade: h2c\r\nTE: trailers\r\nX-Other: 1\r\nAccept: */*\r\n");
  EXPECT_EQ(head, "GET / HTTP/1.1\r\nHost: a.com\r\nAccept: */*\r\n\r\n");
}

TEST(ForwardHead, LeavesOutWhatConnectionNamesButNotTheLength) {
  const std::string head =
      HeadFor(AskedFor("GET", "a.com", 80), TermsOf({}),
              "Connection: close ,X-a,\tX-B, Content-Length, Host\r\nX-A: 1\r\nx-b: 2\r\n"
              "X-C: 3\r\nContent-Length: 0\r\n");
  EXPECT_EQ(head, "GET / HTTP/1.1\r\nHost: a.com\r\nX-C: 3\r\nContent-Length: 0\r\n\r\n");
}

TEST(ForwardHead, PutsASecretIntoItsHeaderForItsHostAndNowhereElse) {
  EgressTerms terms = TermsOf({"a.com", "b.com"});
  terms.secrets.push_back({*request::ParseHostPattern("a.com"),
                           judgement::policy::Secret::Scheme::kHttp, "Authorization", "PLACEHOLDER",
                           "real"});
  const std::string fields = "authorization: Bearer PLACEHOLDER\r\nX: PLACEHOLDER\r\n";
  const std::string right = HeadFor(AskedFor("GET", "a.com", 80), terms, fields);
  EXPECT_NE(right.find("authorization: Bearer real\r\n"), std::string::npos) << right;
  EXPECT_NE(right.find("X: PLACEHOLDER\r\n"), std::string::npos) << right;
  const std::string wrong = HeadFor(AskedFor("GET", "b.com", 80), terms, fields);
  EXPECT_EQ(wrong.find("real"), std::string::npos) << wrong;
  EXPECT_EQ(HeadFor(AskedFor("CONNECT", "a.com", 443), terms, fields).find("real"),
            std::string::npos);
}

TEST(ForwardHead, AsksAHostOfSecretsForWholeAnswersAsTheyAre) {
  EgressTerms terms = TermsOf({"a.com", "b.com"});
  terms.secrets.push_back({*request::ParseHostPattern("a.com"),
                           judgement::policy::Secret::Scheme::kHttp, "Authorization", "PLACEHOLDER",
                           "real"});
  const std::string fields =
      "accept-encoding: gzip\r\nRANGE: bytes=0-9\r\nIf-Range: x\r\nAccept: */*\r\n";
  EXPECT_EQ(HeadFor(AskedFor("GET", "a.com", 80), terms, fields),
            "GET / HTTP/1.1\r\nHost: a.com\r\nAccept-Encoding: identity\r\nAccept: */*\r\n\r\n");
  EXPECT_EQ(HeadFor(AskedFor("GET", "b.com", 80), terms, fields),
            "GET / HTTP/1.1\r\nHost: b.com\r\n" + fields + "\r\n");
}

TEST(RefusalOf, SaysWhatIsWrongWithARequest) {
  http::server::RequestReader reader(http::server::HeadLimits{}, http::server::Targets::kAsSent);
  const auto unread = reader.ReadHead(
      "POST / HTTP/1.1\r\nHost: a.com\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n");
  ASSERT_TRUE(unread);
  const Refusal refusal = RefusalOf(*unread);
  EXPECT_EQ(refusal.status, 400U);
  EXPECT_EQ(refusal.error, "malformed-request");
  EXPECT_NE(refusal.sentence.find("Transfer-Encoding"), std::string::npos) << refusal.sentence;
  EXPECT_EQ(refusal.sentence.find('{'), std::string::npos) << refusal.sentence;
}

TEST(ForwardHead, PutsNothingInThePlaceOfASecretThatWasWithdrawn) {
  EgressTerms terms = TermsOf({"a.com"});
  terms.secrets.push_back({*request::ParseHostPattern("a.com"),
                           judgement::policy::Secret::Scheme::kHttps, "Authorization",
                           "PLACEHOLDER", "real"});
  terms.withdrawn = {"PLACEHOLDER"};
  const ProxyRequest asked = AskedFor("GET", "a.com", 80);
  const std::string head = HeadFor(asked, terms, "Authorization: PLACEHOLDER\r\n");
  EXPECT_NE(head.find("Authorization: PLACEHOLDER\r\n"), std::string::npos) << head;
  EXPECT_EQ(SecretsOf(asked, terms), std::vector<std::string>{"real"}) << "still masked";
  EXPECT_TRUE(IsOverTls(asked, terms));
}

TEST(UpstreamPort, IsThatOfTlsWhereASecretAsksForIt) {
  EgressTerms terms = TermsOf({"a.com"});
  terms.secrets.push_back({*request::ParseHostPattern("a.com"),
                           judgement::policy::Secret::Scheme::kHttps, "Authorization", "P", "v"});
  EXPECT_TRUE(IsOverTls(AskedFor("GET", "a.com", 80), terms));
  EXPECT_EQ(UpstreamPort(AskedFor("GET", "a.com", 80), terms), 443);
  EXPECT_FALSE(IsOverTls(AskedFor("GET", "b.com", 80), terms));
  EXPECT_FALSE(IsOverTls(AskedFor("CONNECT", "a.com", 443), terms)) << "the guest's own";
}

}  // namespace
}  // namespace belljar::resource::egress
