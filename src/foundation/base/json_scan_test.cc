#include "foundation/base/json_scan.h"

#include <gtest/gtest.h>

namespace belljar {
namespace {

TEST(JsonScan, SaysWhichNumberItDoesNotHoldAsItIsWritten) {
  const auto place = [](std::string_view text) {
    return PlaceOfUnheldNumber(text).value_or("none");
  };
  for (const char* const held :
       {R"({"a":18446744073709551615,"b":-9223372036854775808,"c":1e300,"d":0.1,"e":-0})",
        R"({"a":"12345678901234567890123","b\":":"9","c":"\"1e999"})", "[]", "7", "true"}) {
    EXPECT_EQ(place(held), "none") << held;
  }
  EXPECT_EQ(place(R"({"a":{"b":[1,12345678901234567890123]}})"), "a.b");
  EXPECT_EQ(place(R"({"a":1,"b":-9223372036854775809})"), "b");
  EXPECT_EQ(place(R"({"a" : [{"n" : 1e400}]})"), "a.n");
  EXPECT_EQ(place("18446744073709551616"), "");
  EXPECT_EQ(place("[1" + std::string(400, '0') + "]"), "");
}

TEST(JsonScan, WalksTheScalarsOfWhatIsMalformedToo) {
  std::string seen;
  const auto note = [&](const std::vector<std::string_view>& names, std::string_view written) {
    seen += std::string(names.empty() ? "" : names.back()) + "=" + std::string(written) + " ";
    return true;
  };
  EachScalar(R"({"id":7,"a":NaN,"b":["x",tru)", note);
  EXPECT_EQ(seen, "id=7 a=NaN =\"x\" =tru ");
  for (const char* const text :
       {"", "\"", "\"\\", "{\"", "}", "{\"a\"", "{\"a\":", "::", "{\"a\\"}) {
    EachScalar(text, note);
  }
  std::size_t heard = 0;
  EachScalar(std::string(100'000, '[') + "1",
             [&](const auto&, std::string_view) { return ++heard > 0; });
  EXPECT_EQ(heard, 0U);
}

}  // namespace
}  // namespace belljar
