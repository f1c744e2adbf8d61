#include "foundation/schema/format.h"

#include <gtest/gtest.h>

#include <initializer_list>

namespace belljar::schema {
namespace {

using Texts = std::initializer_list<std::string_view>;

void Expect(std::string_view name, Texts good, Texts bad) {
  const Format* const format = FindFormat(name);
  ASSERT_NE(format, nullptr) << name;
  for (const std::string_view text : good) EXPECT_TRUE(format->fits(text)) << name << " " << text;
  for (const std::string_view text : bad) EXPECT_FALSE(format->fits(text)) << name << " " << text;
}

TEST(SchemaFormat, KnowsDatesAndTimes) {
  Expect("date", {"2024-02-29", "2000-02-29", "1999-12-31"},
         {"2023-02-29", "1900-02-29", "2024-13-01", "2024-00-10", "2024-1-1", "2024-04-31",
          "2024-02-29 ", "", "٢٠٢٤-01-01"});
  Expect("time", {"12:30:00Z", "00:00:00.123+02:00", "23:59:60Z", "01:29:60+01:30", "12:30:00z"},
         {"12:30:00", "24:00:00Z", "12:60:00Z", "12:30:60Z", "12:30:00.Z", "12:30:00+24:00",
          "12:30Z"});
  Expect("date-time", {"2024-02-29T12:30:00Z", "2024-02-29t12:30:00-08:00"},
         {"2024-02-29", "2024-02-29 12:30:00Z", "2024-02-30T12:30:00Z"});
}

TEST(SchemaFormat, KnowsAddressesAndHosts) {
  Expect("ipv4", {"0.0.0.0", "255.255.255.255"},
         {"256.0.0.1", "1.2.3", "1.2.3.4.5", "01.2.3.4", " 1.2.3.4",
          std::string_view("1.2.3.4\0x", 9)});
  Expect("ipv6", {"::", "::1", "fe80::1", "::ffff:1.2.3.4"},
         {"1.2.3.4", "fe80::1%eth0", ":::", "g::1"});
  Expect("hostname", {"a", "example.com", "xn--bcher-kva.example", "a-b.c"},
         {"", "-a", "a-", "a..b", "a.b.", "a_b", "bücher.example", std::string(64, 'a'),
          std::string_view("a\0", 2)});
  Expect("email", {"joe.bloggs@example.com", "a+b@c", "o'brien@example.org"},
         {"@example.com", "a@", "a", ".a@b", "a.@b", "a..b@c", "a b@c", "a@b@c"});
}

TEST(SchemaFormat, KnowsUrisAndUuids) {
  Expect("uri", {"https://example.com/a?b=c#d", "mailto:a@b.c", "urn:isbn:123", "http://[::1]:80/"},
         {"", "/a/b", "example.com", "http://a b", "http://a/%zz", "http://é/", "1http://a"});
  Expect("uuid", {"123e4567-e89b-12d3-a456-426614174000", "123E4567-E89B-12D3-A456-426614174000"},
         {"123e4567e89b12d3a456426614174000", "123e4567-e89b-12d3-a456-42661417400g", ""});
}

TEST(SchemaFormat, KnowsNoOthers) { EXPECT_EQ(FindFormat("iban"), nullptr); }

}  // namespace
}  // namespace belljar::schema
