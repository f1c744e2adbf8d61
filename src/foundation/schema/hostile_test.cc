// Schemas and values built to exhaust the validator: each is refused or answered quickly.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "foundation/base/safe_text.h"
#include "foundation/schema/schema.h"

namespace belljar::schema {
namespace {

using ::testing::HasSubstr;

std::string RefusalOf(std::string_view schema) {
  const auto text = ParseJson(schema);
  EXPECT_TRUE(text);
  const auto parsed = ParseSchema(*text);
  return parsed ? "" : parsed.error().message();
}

Schema Parsed(std::string_view schema) {
  auto text = ParseJson(schema);
  auto parsed = ParseSchema(*text);
  EXPECT_TRUE(parsed) << parsed.error().message();
  return *std::move(parsed);
}

TEST(HostileSchema, RefusesReferencesWithoutEnd) {
  EXPECT_THAT(RefusalOf(R"({"$ref":"#"})"), HasSubstr("lead back to themselves"));
  EXPECT_THAT(RefusalOf(R"({"allOf":[{"$ref":"#/$defs/a"}],"$defs":{"a":{"not":{"$ref":"#"}}}})"),
              HasSubstr("lead back to themselves"));
  std::string chain = R"({"$ref":"#/$defs/d0","$defs":{)";
  for (int i = 0; i < 3000; ++i) {
    chain += fmt::format(R"("d{}":{{"$ref":"#/$defs/d{}"}},)", i, i + 1);
  }
  EXPECT_THAT(RefusalOf(chain + R"("d3000":true}})"), HasSubstr("more than 32 schemas"));
}

TEST(HostileSchema, RefusesWhatIsTooLargeOrTooDeep) {
  std::string deep = "true";
  for (int i = 0; i < 50; ++i) deep = R"({"not":)" + deep + "}";
  EXPECT_THAT(RefusalOf(deep), HasSubstr("levels deep"));
  const std::string large = R"({"description":")" + std::string(kMaxSchemaBytes, 'a') + R"("})";
  EXPECT_THAT(RefusalOf(large), HasSubstr("bytes; at most"));
  const std::string pattern = R"({"pattern":")" + std::string(kMaxPatternBytes + 1, 'a') + R"("})";
  EXPECT_THAT(RefusalOf(pattern), HasSubstr("the pattern has 1025 bytes"));
  EXPECT_THAT(RefusalOf(R"x({"pattern":"((((a{1000}){1000}){1000}){1000})"})x"),
              HasSubstr("cannot be used"));
  std::string many;
  for (std::size_t i = 0; i <= kMaxPatterns; ++i) {
    many += fmt::format(R"({}"^{}$":true)", i == 0 ? "" : ",", i);
  }
  EXPECT_THAT(RefusalOf(R"({"patternProperties":{)" + many + "}}"), HasSubstr("more than 256"));
}

// Each level of alternatives multiplies the work by four; the step limit ends the check.
TEST(HostileSchema, EndsAlternativesThatMultiply) {
  std::string schema = R"({"$ref":"#/$defs/d0","$defs":{)";
  for (int i = 0; i < 14; ++i) {
    const auto next = fmt::format(R"({{"$ref":"#/$defs/d{}"}})", i + 1);
    schema += fmt::format(R"("d{}":{{"anyOf":[{},{},{},{}]}},)", i, next, next, next, next);
  }
  const Schema parsed = Parsed(schema + R"("d14":{"type":"string"}}})");
  const auto told = Check(parsed, json::value(1));
  ASSERT_EQ(told.size(), 1U);
  EXPECT_THAT(told[0].message, HasSubstr("too much work"));
}

// Running out of steps inside "not" must not count as a match.
TEST(HostileSchema, RunningOutIsNeverAFit) {
  std::string schema = R"({"not":{"$ref":"#/$defs/d0"},"$defs":{)";
  for (int i = 0; i < 14; ++i) {
    const auto next = fmt::format(R"({{"$ref":"#/$defs/d{}"}})", i + 1);
    schema += fmt::format(R"("d{}":{{"anyOf":[{},{},{},{}]}},)", i, next, next, next, next);
  }
  const Schema parsed = Parsed(schema + R"("d14":{"type":"string"}}})");
  EXPECT_FALSE(Check(parsed, json::value(1)).empty());
}

TEST(HostileSchema, MatchesLongTextsInLinearTime) {
  const Schema parsed = Parsed(R"({"pattern":"^(a|aa|a*)*$","format":"date-time"})");
  const auto began = std::chrono::steady_clock::now();
  const auto told = Check(parsed, json::value(std::string(1 << 20, 'a') + "b"));
  EXPECT_EQ(told.size(), 2U);
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(5));
}

TEST(HostileSchema, TellsNoMoreThanAFew) {
  const Schema parsed = Parsed(R"({"items":{"type":"string"}})");
  EXPECT_EQ(Check(parsed, json::array(1000, 1)).size(), kMaxMismatches);
}

TEST(HostileSchema, ShowsNoWholeValuesAndNoHalfCharacters) {
  json::object object;
  object["\n\x1b\xE2\x80\xAE" + std::string(56, 'x') + "éééé"] = 1;
  const auto told = Check(Parsed(R"({"additionalProperties":false})"), object);
  ASSERT_EQ(told.size(), 1U);
  EXPECT_LT(told[0].path.size(), 100U);
  EXPECT_TRUE(told[0].path.starts_with(R"(["\n\u001b\u202exxx)")) << told[0].path;
  EXPECT_EQ(MakeVisible(told[0].path), told[0].path);
  const auto refused = RefusalOf("{\"properties\":{\"\\n\xE2\x80\xAE\":3}}");
  EXPECT_EQ(refused,
            R"(at #/properties/\n\u202e: a schema is an object, true or false, not a number)");
}

// Random nesting of keywords with values of every type: the parser must not crash or loop, and must
// answer twice the same.
class Wild {
 public:
  explicit Wild(unsigned seed) : random_(seed) {}

  json::value Value(int depth) {
    switch (Pick(depth > 0 ? 8 : 6)) {
      case 0:
        return nullptr;
      case 1:
        return Pick(2) == 0;
      case 2:
        return static_cast<std::int64_t>(Pick(5)) - 2;
      case 3:
        return 0.5 * static_cast<double>(Pick(7));
      case 4:
        return json::string(kTexts[Pick(kTexts.size())]);
      case 5:
        return json::string(std::string(Pick(40), 'a'));
      case 6: {
        json::array array;
        for (std::size_t i = Pick(4); i > 0; --i) array.push_back(Value(depth - 1));
        return array;
      }
      default: {
        json::object object;
        for (std::size_t i = Pick(4); i > 0; --i)
          object[kNames[Pick(kNames.size())]] = Value(depth - 1);
        return object;
      }
    }
  }

  json::value SchemaText(int depth) {
    if (depth == 0 || Pick(8) == 0) return Pick(3) != 0;
    json::object object;
    for (std::size_t i = 1 + Pick(4); i > 0; --i) {
      const char* const keyword = kNames[Pick(kNames.size())];
      object[keyword] = Pick(4) == 0 ? Value(2) : Fitting(keyword, depth - 1);
    }
    return object;
  }

 private:
  std::size_t Pick(std::size_t below) {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(random_);
  }

  // A value of the type that the keyword expects.
  json::value Fitting(std::string_view keyword, int depth) {
    if (keyword.ends_with("Of") || keyword == "prefixItems") {
      return json::array{SchemaText(depth), SchemaText(depth)};
    }
    if (keyword == "type") return json::string(kTexts[Pick(4)]);
    if (keyword == "pattern") return json::string(kTexts[4 + Pick(4)]);
    if (keyword == "$ref") return json::string(kTexts[8 + Pick(3)]);
    if (keyword == "enum") return json::array{Value(1), Value(1)};
    if (keyword == "required") return json::array{"type", "not"};
    if (keyword == "uniqueItems") return true;
    if (keyword.starts_with("m")) return static_cast<std::int64_t>(Pick(4));
    if (keyword == "properties" || keyword == "$defs") {
      return json::object{{"type", SchemaText(depth)}, {"not", SchemaText(depth)}};
    }
    return SchemaText(depth);
  }

  static constexpr std::array kTexts = {"string",  "object",      "integer", "array",
                                        "^(a+)+$", "[[:a]",       "(?=a)",   "\\u",
                                        "#",       "#/$defs/not", "#/not"};
  static constexpr std::array kNames = {"type",
                                        "not",
                                        "anyOf",
                                        "allOf",
                                        "oneOf",
                                        "items",
                                        "prefixItems",
                                        "contains",
                                        "if",
                                        "then",
                                        "pattern",
                                        "$ref",
                                        "$defs",
                                        "properties",
                                        "required",
                                        "enum",
                                        "const",
                                        "uniqueItems",
                                        "minimum",
                                        "maxLength",
                                        "propertyNames",
                                        "additionalProperties"};
  std::mt19937 random_;
};

TEST(HostileSchema, SurvivesSchemasMadeAtRandom) {
  std::size_t usable = 0;
  for (unsigned seed = 0; seed < 5000; ++seed) {
    Wild wild(seed);
    const json::value text = wild.SchemaText(4);
    const auto schema = ParseSchema(text);
    if (!schema) {
      EXPECT_FALSE(schema.error().message().empty());
      continue;
    }
    ++usable;
    for (int i = 0; i < 5; ++i) {
      const json::value value = wild.Value(4);
      const auto told = Check(*schema, value);
      EXPECT_EQ(Sentence("v", told), Sentence("v", Check(*schema, value))) << json::serialize(text);
    }
  }
  EXPECT_GT(usable, 200U);
}

}  // namespace
}  // namespace belljar::schema
