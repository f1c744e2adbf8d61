#include "request/host_pattern.h"

#include <gtest/gtest.h>

namespace belljar::request {
namespace {

bool Reaches(std::string_view pattern, std::string_view host, std::uint16_t port = 443) {
  const auto parsed = ParseHostPattern(pattern);
  EXPECT_TRUE(parsed) << pattern;
  const auto canonical = CanonicalHost(host);
  return parsed && canonical && Matches(*parsed, *canonical, port);
}

TEST(HostPattern, MatchesANameOnThePortsOfTheWeb) {
  EXPECT_TRUE(Reaches("api.example.com", "api.example.com", 80));
  EXPECT_TRUE(Reaches("api.example.com", "API.Example.COM."));
  EXPECT_FALSE(Reaches("api.example.com", "api.example.com", 8443));
  EXPECT_FALSE(Reaches("api.example.com", "example.com"));
  EXPECT_FALSE(Reaches("api.example.com", "x.api.example.com"));
  EXPECT_FALSE(Reaches("api.example.com", "api.example.com.evil.org"));
  EXPECT_FALSE(Reaches("api.example.com", "evilapi.example.com"));
}

TEST(HostPattern, MatchesEveryNameBelowAStarAndNotTheNameItself) {
  EXPECT_TRUE(Reaches("*.example.com", "a.example.com"));
  EXPECT_TRUE(Reaches("*.example.com", "a.b.example.com"));
  EXPECT_FALSE(Reaches("*.example.com", "example.com"));
  EXPECT_FALSE(Reaches("*.example.com", "evilexample.com"));
  EXPECT_FALSE(Reaches("*.example.com", "example.com.evil.org"));
}

TEST(HostPattern, MatchesItsOwnPortAlone) {
  EXPECT_TRUE(Reaches("h.example.com:8443", "h.example.com", 8443));
  EXPECT_FALSE(Reaches("h.example.com:8443", "h.example.com", 443));
  EXPECT_TRUE(Reaches("192.0.2.7:81", "192.0.2.7", 81));
  EXPECT_TRUE(Reaches("[2001:db8::7]:81", "[2001:DB8:0::7]", 81));
}

TEST(ParseHostPattern, RefusesWhatIsNoHost) {
  for (const char* const text : {"",
                                 "*",
                                 "*.",
                                 "*.com",
                                 "**.example.com",
                                 "a.*.example.com",
                                 "a*.example.com",
                                 "-a.com",
                                 "a-.com",
                                 "a..com",
                                 ".com",
                                 "a.com:",
                                 "a.com:0",
                                 "a.com:080",
                                 "a.com:65536",
                                 "a.com:x",
                                 "http://a.com",
                                 "a.com/x",
                                 "user@a.com",
                                 "a b.com",
                                 "a.com\r\n",
                                 "2130706433",
                                 "0x7f.1",
                                 "0177.0.0.1",
                                 "127.1",
                                 "*.127.0.0.1",
                                 "[::1",
                                 "::1",
                                 "[127.0.0.1]",
                                 "a%2ecom",
                                 "\xc3\xa9.com"}) {
    EXPECT_FALSE(ParseHostPattern(text)) << text;
  }
  EXPECT_FALSE(ParseHostPattern(std::string(64, 'a') + ".com"));
  EXPECT_TRUE(ParseHostPattern(std::string(63, 'a') + ".com"));
}

TEST(CanonicalHost, RefusesOtherSpellingsOfAddresses) {
  for (const char* const text : {"2130706433", "0x7f000001", "017700000001", "127.1", "0x7f.0.0.1",
                                 "127.0.0.0x1", "1.2.3.4.5", "fe80::1%eth0", "[fe80::1%25eth0]"}) {
    EXPECT_FALSE(CanonicalHost(text)) << text;
  }
  EXPECT_EQ(*CanonicalHost("[::FFFF:127.0.0.1]"), "::ffff:127.0.0.1");
}

TEST(IsWithin, ComparesNamesAndPorts) {
  const auto within = [](std::string_view narrow, std::string_view wide) {
    return IsWithin(*ParseHostPattern(narrow), *ParseHostPattern(wide));
  };
  EXPECT_TRUE(within("a.example.com", "a.example.com"));
  EXPECT_TRUE(within("a.example.com", "*.example.com"));
  EXPECT_TRUE(within("*.b.example.com", "*.example.com"));
  EXPECT_TRUE(within("*.example.com", "*.example.com"));
  EXPECT_TRUE(within("a.example.com:443", "a.example.com"));
  EXPECT_FALSE(within("a.example.com", "a.example.com:443"));
  EXPECT_FALSE(within("example.com", "*.example.com"));
  EXPECT_FALSE(within("*.example.com", "a.example.com"));
  EXPECT_FALSE(within("*.example.com", "*.b.example.com"));
  EXPECT_FALSE(within("a.example.com:8443", "a.example.com"));
  EXPECT_FALSE(within("evilexample.com", "*.example.com"));
}

TEST(ParseHostPattern, SaysWhatToWriteInstead) {
  const auto said = [](std::string_view text) {
    const auto parsed = ParseHostPattern(text);
    return parsed ? std::string() : parsed.error().message();
  };
  EXPECT_NE(said("http://api.example.com/").find("leave out the scheme"), std::string::npos);
  EXPECT_NE(said("api.example.com/v1").find("leave out the scheme"), std::string::npos);
  EXPECT_NE(said("::1").find("write [::1]"), std::string::npos) << said("::1");
  EXPECT_NE(said("b\xc3\xbc"
                 "cher.example")
                .find("xn--"),
            std::string::npos);
  EXPECT_NE(said("api.example.com:x").find("port from 1 to 65535"), std::string::npos);
}

TEST(Intersect, IsWhatMatchesBoth) {
  const auto both = [](std::string_view one, std::string_view other) {
    return Intersect(*ParseHostPattern(one), *ParseHostPattern(other));
  };
  EXPECT_EQ(both("*.a.com", "x.a.com"), *ParseHostPattern("x.a.com"));
  EXPECT_EQ(both("x.a.com:443", "*.a.com"), *ParseHostPattern("x.a.com:443"));
  EXPECT_EQ(both("*.a.com:443", "x.a.com"), *ParseHostPattern("x.a.com:443"));
  EXPECT_EQ(both("*.a.com", "*.b.a.com"), *ParseHostPattern("*.b.a.com"));
  EXPECT_EQ(both("a.com", "a.com"), *ParseHostPattern("a.com"));
  EXPECT_EQ(both("*.a.com", "a.com"), std::nullopt);
  EXPECT_EQ(both("a.com:8080", "a.com"), std::nullopt);
  EXPECT_EQ(both("a.com:80", "a.com:443"), std::nullopt);
  EXPECT_EQ(both("a.com", "b.com"), std::nullopt);
}

}  // namespace
}  // namespace belljar::request
