#include "resource/egress/narrow_terms.h"

#include <gtest/gtest.h>

namespace belljar::resource::egress {
namespace {

EgressTerms TermsWith(const std::vector<std::string>& hosts) {
  EgressTerms terms;
  terms.hosts = *request::ParseHostPatterns(hosts);
  terms.max_requests = 7;
  return terms;
}

TEST(NarrowTerms, LeavesTheHostsOfBothAndAddsNone) {
  const EgressTerms narrow = NarrowTerms(TermsWith({"*.a.com", "b.com", "c.com"}),
                                         TermsWith({"x.a.com", "*.y.a.com:443", "c.com", "d.com"}));
  EXPECT_EQ(narrow.hosts, *request::ParseHostPatterns({"x.a.com", "*.y.a.com:443", "c.com"}));
  EXPECT_EQ(narrow.max_requests, 7U);
  EXPECT_EQ(NarrowTerms(narrow, TermsWith({"*.a.com", "b.com", "c.com"})).hosts, narrow.hosts)
      << "what is gone does not come back";
}

TEST(NarrowTerms, TakesMethodsAndRangesAwayAndNeverMakesThemAny) {
  EgressTerms any = TermsWith({"a.com"});
  EgressTerms reads = any;
  reads.methods = {"GET", "HEAD"};
  EgressTerms writes = any;
  writes.methods = {"POST"};
  EXPECT_EQ(NarrowTerms(any, reads).methods, reads.methods);
  EXPECT_EQ(NarrowTerms(reads, any).methods, reads.methods);
  EXPECT_TRUE(NarrowTerms(reads, writes).hosts.empty());
  any.unsafe_private = *request::ParseAddressRanges({"10.0.0.0/24", "10.0.1.0/24"});
  reads.unsafe_private = *request::ParseAddressRanges({"10.0.1.0/24", "10.0.2.0/24"});
  EXPECT_EQ(NarrowTerms(any, reads).unsafe_private, *request::ParseAddressRanges({"10.0.1.0/24"}));
}

TEST(NarrowTerms, WithdrawsSecretsThatAreGone) {
  EgressTerms held = TermsWith({"a.com"});
  const request::HostPattern host = held.hosts.front();
  held.secrets.push_back({host, judgement::policy::Secret::Scheme::kHttp, "X", "P1", "v1"});
  held.secrets.push_back({host, judgement::policy::Secret::Scheme::kHttp, "X", "P2", "v2"});
  EgressTerms now = held;
  now.secrets.erase(now.secrets.begin());
  const EgressTerms narrow = NarrowTerms(held, now);
  EXPECT_EQ(narrow.withdrawn, std::set<std::string>{"P1"});
  EXPECT_EQ(NarrowTerms(narrow, held).withdrawn, std::set<std::string>{"P1"});
  EXPECT_EQ(narrow.secrets.size(), 2U) << "answers are still searched for both";
}

}  // namespace
}  // namespace belljar::resource::egress
