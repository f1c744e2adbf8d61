#include "foundation/base/json.h"

#include <gtest/gtest.h>

namespace belljar {
namespace {

TEST(ParseJson, RefusesNumbersThatItCouldNotWriteAgain) {
  for (const char* text : {"1e999", "[1, -1e999]", R"({"a": {"b": [1e400]}})"}) {
    const auto value = ParseJson(text);
    ASSERT_FALSE(value) << text;
    EXPECT_EQ(value.error().kind(), Kind::kInvalid);
  }
  EXPECT_TRUE(ParseJson("[1e308, -1e308, 1e-999]"));
}

TEST(ParseJson, RefusesWhatFollowsTheValueAndWhatIsTooDeep) {
  EXPECT_FALSE(ParseJson("{} {}"));
  EXPECT_TRUE(ParseJson(" {} \n"));
  EXPECT_TRUE(ParseJson("[[1]]", 2));
  EXPECT_FALSE(ParseJson("[[[1]]]", 2));
}

}  // namespace
}  // namespace belljar
