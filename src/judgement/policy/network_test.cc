#include "judgement/policy/network.h"

#include <gtest/gtest.h>

#include "judgement/policy/decide.h"

namespace belljar::judgement::policy {
namespace {

constexpr const char* kPolicy = R"(
extends = "standard"
[network]
hosts = ["*.example.com"]
methods = ["GET", "CONNECT"]
max_requests = 7
max_bytes = "2M"
requests_per_minute = 9
unsafe_private_addresses = ["10.77.0.0/24"]
[secrets.API_KEY]
host = "api.example.com"
header = "Authorization"
scheme = "https"
from_env = "REAL_KEY"
)";

std::string ErrorOf(const std::string& text) {
  const auto parsed = ParsePolicy("extends = \"standard\"\n" + text, "p");
  return parsed ? "accepted" : parsed.error().message();
}

TEST(NetworkTerms, AreReadFromAPolicyFile) {
  const auto policy = ParsePolicy(kPolicy, "p");
  ASSERT_TRUE(policy) << policy.error().message();
  const NetworkTerms& terms = policy->network;
  EXPECT_EQ(terms.hosts, std::vector<std::string>{"*.example.com"});
  EXPECT_EQ(terms.methods, (std::vector<std::string>{"GET", "CONNECT"}));
  EXPECT_EQ(terms.max_requests, 7U);
  EXPECT_EQ(terms.max_bytes, 2 * request::kMiB);
  EXPECT_EQ(terms.requests_per_minute, 9U);
  EXPECT_EQ(terms.unsafe_private_addresses.size(), 1U);
  EXPECT_EQ(terms.secrets.at("API_KEY").scheme, Secret::Scheme::kHttps);
}

TEST(NetworkTerms, AreRefusedWithTheirMistakeNamed) {
  EXPECT_NE(ErrorOf("[network]\nhosts = [\"*\"]").find("a star stands for"), std::string::npos);
  EXPECT_NE(ErrorOf("[network]\nmethods = [\"get\"]").find("not \"get\""), std::string::npos);
  EXPECT_NE(ErrorOf("[network]\nmax_requests = 0").find("from 1 to"), std::string::npos);
  EXPECT_NE(ErrorOf("[network]\nunsafe_private_addresses = [\"all\"]").find("no range"),
            std::string::npos);
  EXPECT_NE(ErrorOf("[network]\nhost = []").find("did you mean \"hosts\""), std::string::npos);
}

TEST(Secret, IsNeverInThePolicyItself) {
  const std::string head = "[secrets.KEY]\nhost = \"a.com\"\nheader = \"X-Key\"\n";
  EXPECT_EQ(ErrorOf(head + "from_file = \"/x\""), "accepted");
  EXPECT_NE(ErrorOf(head + "value = \"hunter2\"").find("unknown key"), std::string::npos);
  EXPECT_NE(ErrorOf(head).find("needs \"from_file\" or \"from_env\""), std::string::npos);
  EXPECT_NE(ErrorOf(head + "from_file = \"/x\"\nfrom_env = \"X\"").find("not both"),
            std::string::npos);
}

TEST(Secret, BelongsToOneHostAndOneHeader) {
  const auto with = [](const std::string& host, const std::string& header) {
    return ErrorOf("[secrets.KEY]\nfrom_env = \"X\"\nhost = \"" + host + "\"\nheader = \"" +
                   header + "\"");
  };
  EXPECT_EQ(with("a.com:8443", "X-Key"), "accepted");
  EXPECT_NE(with("*.a.com", "X-Key"), "accepted");
  for (const char* const header :
       {"Host", "content-length", "Transfer-Encoding", "X Key", "X:", ""}) {
    EXPECT_NE(with("a.com", header), "accepted") << header;
  }
}

Decision DecisionOn(const std::string& code, std::vector<std::string> hosts) {
  request::Request request;
  request.code = code;
  request.allow_hosts = std::move(hosts);
  analysis::Analysis analysis;
  for (const char* const id : {"py-network", "py-import"}) {
    analysis::Finding finding;
    finding.rule = &analysis::RuleNamed(id);
    finding.subject = code;
    analysis.findings.push_back(finding);
  }
  return Decide(analysis, *ParsePolicy(kPolicy, "p"), WishesOf(request));
}

TEST(Decide, GivesTheHostsOfAPolicyAndAsksForOthers) {
  EXPECT_EQ(DecisionOn("socket", {}).action, Action::kBlock);
  EXPECT_EQ(DecisionOn("socket", {"api.example.com"}).action, Action::kAllow);
  const Decision other = DecisionOn("urllib.request", {"api.example.com", "example.org"});
  EXPECT_EQ(other.action, Action::kReview);
  EXPECT_EQ(other.wishes, std::vector<std::string>{"it asks to reach example.org"});
}

TEST(Decide, LiftsForTheNetworkNothingElse) {
  EXPECT_EQ(DecisionOn("subprocess", {"api.example.com"}).action, Action::kBlock);
}

}  // namespace
}  // namespace belljar::judgement::policy
