#include "record/canonical.h"

#include <gtest/gtest.h>

#include <limits>

#include "record/entry.h"

namespace belljar::record {
namespace {

std::string Written(std::string_view text) {
  const auto value = ParseJson(text);
  EXPECT_TRUE(value) << text;
  const auto canonical = Canonical(*value);
  EXPECT_TRUE(canonical) << text;
  return canonical ? *canonical : "";
}

TEST(Canonical, SortsMembersAndDropsWhiteSpace) {
  EXPECT_EQ(Written(R"( { "b" : [ 1 , 2 ] , "a" : { "d" : null , "c" : true } } )"),
            R"({"a":{"c":true,"d":null},"b":[1,2]})");
}

TEST(Canonical, EscapesOnlyWhatMustBe) {
  EXPECT_EQ(Written(R"("\u0041\/\u00e9\"\\\n\u0001\u007f")"),
            "\"A/\xc3\xa9\\\"\\\\\\n\\u0001\x7f\"");
}

TEST(Canonical, WritesNumbersInTheirShortestForm) {
  EXPECT_EQ(Written("[1.0, 0.5, -0.0, 1e3, 18446744073709551615, -9223372036854775808, 1e300]"),
            "[1,0.5,0,1000,18446744073709551615,-9223372036854775808,1e+300]");
}

TEST(Canonical, IsItsOwnCanonicalForm) {
  for (const char* const text :
       {"[1e300,0.1,1e-7,123456.789]", R"({"a":{"b":["\u0000","x"]}})", "\"\xf0\x9f\x98\x80\""}) {
    const std::string once = Written(text);
    EXPECT_EQ(Written(once), once);
  }
}

TEST(Canonical, RefusesWhatJsonCannotSay) {
  EXPECT_FALSE(Canonical(json::value(std::numeric_limits<double>::infinity())));
  EXPECT_FALSE(Canonical(json::value("\xff")));
  json::value deep = 1;
  for (int i = 0; i < 40; ++i) deep = json::array{deep};
  EXPECT_FALSE(Canonical(deep));
}

TEST(TimeText, GoesBothWays) {
  EXPECT_EQ(TimeText(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(TimeText(1794754203123), "2026-11-15T14:50:03.123Z");
  EXPECT_EQ(*ParseTime("2026-11-15T14:50:03.123Z"), 1794754203123);
  EXPECT_EQ(*ParseTime("2026-11-15T14:50:03Z"), 1794754203000);
  EXPECT_EQ(*ParseTime("2026-11-15T14:50Z"), 1794754200000);
  EXPECT_EQ(*ParseTime("1970-01-02"), 86'400'000);
  // Formats that other programs write.
  EXPECT_EQ(*ParseTime("2026-11-15T14:50:03.123456+00:00"), 1794754203123);
  EXPECT_EQ(*ParseTime("2026-11-15T16:50:03.1+02:00"), 1794754203100);
  EXPECT_EQ(*ParseTime("2026-11-15T09:20:03-05:30"), 1794754203000);
  for (const char* const text :
       {"", "now", "2026-13-01", "2026-02-30", "2026-11-15T25:00Z", "2026-11-15T14:50",
        "2026-11-15 14:50Z", "2026-11-15T14:50Zx", "2026-11-15T14:50+2:00",
        "2026-11-15T14:50+24:00", "2026-11-15T14:50:03.Z", "2026-11-15T14:50:03.1234567890Z"}) {
    EXPECT_FALSE(ParseTime(text)) << text;
  }
}

TEST(Event, NamesAreOneToOne) {
  for (int i = 0; i <= static_cast<int>(Event::kRecovered); ++i) {
    const auto event = static_cast<Event>(i);
    EXPECT_EQ(ParseEvent(EventName(event)), event) << i;
  }
  EXPECT_FALSE(ParseEvent("anything"));
}

}  // namespace
}  // namespace belljar::record
