#include "request/address.h"

#include <gtest/gtest.h>

namespace belljar::request {
namespace {

std::string KindOfAddress(std::string_view text) {
  const auto address = Address::Parse(text);
  if (!address) return "no address";
  return std::string(WhyNotPublic(*address).value_or("public"));
}

TEST(WhyNotPublic, TellsTheKindOfEveryAddressThatIsNotForCells) {
  const std::pair<const char*, const char*> kKinds[] = {
      {"0.0.0.0", "unspecified"},
      {"0.1.2.3", "unspecified"},
      {"10.0.0.1", "private"},
      {"100.64.0.1", "shared (carrier-grade NAT)"},
      {"100.127.255.255", "shared (carrier-grade NAT)"},
      {"127.0.0.1", "loopback"},
      {"127.255.255.254", "loopback"},
      {"169.254.169.254", "metadata"},
      {"169.254.0.1", "link-local"},
      {"168.63.129.16", "metadata"},
      {"172.16.0.1", "private"},
      {"172.31.255.255", "private"},
      {"192.168.255.255", "private"},
      {"192.0.0.192", "protocol"},
      {"198.19.0.1", "benchmarking"},
      {"224.0.0.1", "multicast"},
      {"239.255.255.255", "multicast"},
      {"255.255.255.255", "reserved"},
      {"::", "unspecified"},
      {"::1", "loopback"},
      {"::ffff:127.0.0.1", "IPv4-mapped"},
      {"::ffff:8.8.8.8", "IPv4-mapped"},
      {"::127.0.0.1", "IPv4-compatible"},
      {"::ffff:0:127.0.0.1", "IPv4-translated"},
      {"64:ff9b::7f00:1", "NAT64"},
      {"64:ff9b:1::a00:1", "NAT64"},
      {"2002:7f00:1::", "6to4"},
      {"2001:0:7f00:1::", "protocol"},
      {"fc00::1", "private"},
      {"fd00:ec2::254", "metadata"},
      {"fdff::1", "private"},
      {"fe80::1", "link-local"},
      {"fec0::1", "site-local"},
      {"ff02::1", "multicast"},
      {"4000::1", "reserved"},
      {"2001:db8::1", "documentation"},
  };
  for (const auto& [address, kind] : kKinds) EXPECT_EQ(KindOfAddress(address), kind) << address;
}

TEST(WhyNotPublic, LeavesTheRestOfTheInternetAlone) {
  for (const char* const address :
       {"1.1.1.1", "8.8.8.8", "9.255.255.255", "11.0.0.0", "100.63.0.1", "100.128.0.0",
        "126.255.255.255", "128.0.0.1", "172.15.0.1", "172.32.0.0", "192.167.0.1",
        "223.255.255.255", "2606:4700::1111", "2a00:1450::1", "2001:4860::8888"}) {
    EXPECT_EQ(KindOfAddress(address), "public") << address;
  }
}

TEST(Address, IsReadInTheOneSpellingInWhichItIsPrinted) {
  for (const char* const text : {"127.1", "0x7f.0.0.1", "0177.0.0.1", "2130706433", "127.0.0.1 ",
                                 " 127.0.0.1", "127.0.0.1.", "::1%lo", "[::1]", "", "1.2.3.256"}) {
    EXPECT_FALSE(Address::Parse(text)) << text;
  }
  EXPECT_FALSE(Address::Parse(std::string_view("127.0.0.1\0x", 11)));
  EXPECT_EQ(Address::Parse("2001:DB8:0:0::7")->Text(), "2001:db8::7");
}

TEST(AddressRange, HoldsTheAddressesThatShareItsBits) {
  const auto in = [](std::string_view address, std::string_view range) {
    return IsIn(*Address::Parse(address), *ParseAddressRange(range));
  };
  EXPECT_TRUE(in("10.77.0.255", "10.77.0.0/24"));
  EXPECT_FALSE(in("10.77.1.0", "10.77.0.0/24"));
  EXPECT_TRUE(in("10.77.0.6", "10.77.0.4/30"));
  EXPECT_FALSE(in("10.77.0.8", "10.77.0.4/30"));
  EXPECT_TRUE(in("1.2.3.4", "0.0.0.0/0"));
  EXPECT_TRUE(in("127.0.0.1", "127.0.0.1"));
  EXPECT_FALSE(in("127.0.0.2", "127.0.0.1"));
  EXPECT_FALSE(in("::ffff:10.0.0.1", "10.0.0.0/8")) << "another family";
  for (const char* const text : {"10.0.0.0/33", "10.0.0.0/", "10.0.0.0/-1", "10/8", "::/129"}) {
    EXPECT_FALSE(ParseAddressRange(text)) << text;
  }
}

}  // namespace
}  // namespace belljar::request
