#include "foundation/schema/schema.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belljar::schema {
namespace {

using ::testing::HasSubstr;

// The mismatches of `value` as text, or "" when it fits.
std::string Told(std::string_view schema, std::string_view value) {
  const auto text = ParseJson(schema);
  EXPECT_TRUE(text) << schema;
  const auto parsed = ParseSchema(*text);
  EXPECT_TRUE(parsed) << parsed.error().message();
  if (!parsed) return "no schema";
  const auto held = ParseJson(value);
  EXPECT_TRUE(held) << value;
  return Sentence("input", Check(*parsed, *held));
}

std::string Refusal(std::string_view schema) {
  const auto text = ParseJson(schema);
  EXPECT_TRUE(text) << schema;
  const auto parsed = ParseSchema(*text);
  return parsed ? "" : parsed.error().message();
}

struct Row {
  const char* schema;
  const char* value;
  const char* told;
};

void ExpectAll(std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    EXPECT_EQ(Told(row.schema, row.value), row.told) << row.schema << " " << row.value;
  }
}

TEST(Schema, NamesThePathAndWhatIsWrong) {
  const char* const schema = R"({"type":"object","required":["items"],"properties":{"items":
      {"type":"array","items":{"type":"object","properties":{"age":{"type":"integer"}}}}}})";
  ExpectAll({
      {schema, R"({"items":[{},{"age":1},{"age":"x"}]})",
       "input.items[2].age: must be an integer, not a string"},
      {schema, R"({"items":[{"age":1.5}]})", "input.items[0].age: must be an integer, not 1.5"},
      {schema, R"({})", R"(input: needs the member "items")"},
      {schema, R"([])", "input: must be an object, not an array"},
      {schema, R"({"items":[]})", ""},
      {R"({"additionalProperties":false})", R"({"a b":1})", R"(input["a b"]: is not allowed here)"},
  });
}

TEST(Schema, ChecksTypesAndValues) {
  ExpectAll({
      {R"({"type":["string","null"]})", "null", ""},
      {R"({"type":["string","null"]})", "3", "input: must be a string or null, not a number"},
      {R"({"type":"integer"})", "1.0", ""},
      {R"({"type":"number"})", "1", ""},
      {R"({"type":"integer"})", "true", "input: must be an integer, not a boolean"},
      {R"({"enum":["a",1,null]})", "1.0", ""},
      {R"({"enum":["a",1,null]})", R"("b")", R"(input: must be one of "a", 1, null)"},
      {R"({"const":{"a":[1,2],"b":0}})", R"({"b":0.0,"a":[1,2]})", ""},
      {R"({"const":{"a":[1,2]}})", R"({"a":[2,1]})", R"(input: must be {"a":[1,2]})"},
      {R"({"const":18446744073709551615})", "18446744073709551614",
       "input: must be 18446744073709551615"},
      {"true", "1", ""},
      {"false", "1", "input: is not allowed here"},
  });
}

TEST(Schema, ChecksNumbers) {
  ExpectAll({
      {R"({"minimum":3})", "3", ""},
      {R"({"minimum":3})", "2.5", "input: must be at least 3"},
      {R"({"maximum":3})", "4", "input: must be at most 3"},
      {R"({"exclusiveMinimum":3})", "3", "input: must be more than 3"},
      {R"({"exclusiveMaximum":3})", "3", "input: must be less than 3"},
      {R"({"multipleOf":0.1})", "0.3", ""},
      {R"({"multipleOf":0.01})", "19.99", ""},
      {R"({"multipleOf":0.01})", "19.995", "input: must be a multiple of 0.01"},
      {R"({"multipleOf":7})", "9223372036854775807", ""},
      {R"({"multipleOf":2})", "9223372036854775807", "input: must be a multiple of 2"},
      {R"({"minimum":3})", R"("no number")", ""},
  });
}

TEST(Schema, ChecksStrings) {
  ExpectAll({
      {R"({"minLength":2})", R"("é")", "input: must have at least 2 characters, and has 1"},
      {R"({"maxLength":2})", R"("éé")", ""},
      {R"({"maxLength":2})", R"("abc")", "input: must have at most 2 characters, and has 3"},
      {R"({"pattern":"^[a-z]+$"})", R"("abc")", ""},
      {R"({"pattern":"^[a-z]+$"})", R"("abc\n")", R"(input: must match the pattern "^[a-z]+$")"},
      {R"({"pattern":"b"})", R"("abc")", ""},
      {R"({"format":"ipv4"})", R"("1.2.3.256")", "input: must be an IPv4 address"},
      {R"({"format":"ipv4"})", "7", ""},
  });
}

TEST(Schema, ChecksArrays) {
  ExpectAll({
      {R"({"minItems":1})", "[]", "input: must have at least 1 items, and has 0"},
      {R"({"maxItems":1})", "[1,2]", "input: must have at most 1 items, and has 2"},
      {R"({"uniqueItems":true})", "[1,2,1.0]",
       "input: must not hold equal items, as [0] and [2] are"},
      {R"({"uniqueItems":true})", R"([1,"1",[1],true])", ""},
      {R"({"prefixItems":[{"type":"string"}],"items":{"type":"integer"}})", R"(["a",1,2])", ""},
      {R"({"prefixItems":[{"type":"string"}],"items":false})", R"(["a",1])",
       "input[1]: is not allowed here"},
      {R"({"items":[{"type":"string"}],"additionalItems":{"type":"integer"}})", R"(["a","b"])",
       "input[1]: must be an integer, not a string"},
      {R"({"items":{"type":"string"},"additionalItems":false})", R"(["a","b"])", ""},
      {R"({"contains":{"type":"integer"}})", R"(["a"])",
       "input: must hold at least 1 items that fit \"contains\", and holds 0"},
      {R"({"contains":{"type":"integer"},"minContains":0})", R"(["a"])", ""},
      {R"({"contains":{"type":"integer"},"maxContains":1})", "[1,2]",
       "input: must hold at most 1 items that fit \"contains\", and holds 2"},
  });
}

TEST(Schema, ChecksObjects) {
  ExpectAll({
      {R"({"minProperties":1})", "{}", "input: must have at least 1 members, and has 0"},
      {R"({"maxProperties":0})", R"({"a":1})", "input: must have at most 0 members, and has 1"},
      {R"({"patternProperties":{"^x":{"type":"string"}},"additionalProperties":false})",
       R"({"xa":"1"})", ""},
      {R"({"patternProperties":{"^x":{"type":"string"}},"additionalProperties":false})",
       R"({"xa":1})", "input.xa: must be a string, not a number"},
      {R"({"propertyNames":{"maxLength":1}})", R"({"ab":1})",
       R"(input: has the name "ab", which must have at most 1 characters, and has 2)"},
      {R"({"dependencies":{"a":["b"]}})", R"({"a":1})",
       R"(input: needs the member "b", because it has "a")"},
      {R"({"dependentRequired":{"a":["b"]}})", R"({"b":1})", ""},
      {R"({"dependencies":{"a":{"required":["c"]}}})", R"({"a":1})",
       R"(input: needs the member "c")"},
      {R"({"dependentSchemas":{"a":{"required":["c"]}}})", R"({"a":1,"c":1})", ""},
  });
}

TEST(Schema, ChecksWhatIsMadeOfOthers) {
  const char* const forms = R"({"anyOf":[{"type":"string"},{"type":"object","properties":
      {"age":{"type":"integer"}}}]})";
  ExpectAll({
      {forms, R"("a")", ""},
      {forms, R"({"age":"a"})",
       "input: fits none of 2 alternatives; nearest: .age: must be an integer, not a string"},
      {R"({"oneOf":[{"type":"integer"},{"minimum":2}]})", "3",
       "input: must fit one of 2 alternatives, and fits 2"},
      {R"({"oneOf":[{"type":"integer"},{"minimum":2}]})", "1", ""},
      {R"({"allOf":[{"minimum":2},{"maximum":1}]})", "1.5",
       "input: must be at least 2; input: must be at most 1"},
      {R"({"not":{"type":"string"}})", R"("a")", "input: must not fit what \"not\" describes"},
      {R"({"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":5}})", "4",
       "input: must be at least 5"},
      {R"({"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":5}})", R"("ab")", ""},
  });
}

TEST(Schema, FollowsReferencesInside) {
  const char* const list = R"({"$ref":"#/$defs/list","$defs":{"list":{"type":"object",
      "properties":{"next":{"$ref":"#/$defs/list"},"value":{"$ref":"#/$defs/a~1b%25"}}},
      "a/b%":{"type":"integer"}}})";
  ExpectAll({
      {list, R"({"value":1,"next":{"value":2,"next":{}}})", ""},
      {list, R"({"next":{"next":{"value":"x"}}})",
       "input.next.next.value: must be an integer, not a string"},
      {R"({"properties":{"a":{"$ref":"#"}},"type":"object"})", R"({"a":{"a":1}})",
       "input.a.a: must be an object, not a number"},
  });
}

TEST(Schema, RefusesWhatItWouldHaveToIgnore) {
  EXPECT_EQ(Refusal(R"({"properties":{"a":{"minimun":3}}})"),
            "at #/properties/a: the keyword \"minimun\" is not known, and ignoring it could change "
            "what is meant; did you mean \"minimum\"?");
  EXPECT_THAT(Refusal(R"({"unevaluatedProperties":false})"), HasSubstr("is not known"));
  EXPECT_THAT(Refusal(R"({"$ref":"https://example.com/a.json"})"),
              HasSubstr("leads out of the schema"));
  EXPECT_THAT(Refusal(R"({"$ref":"other.json#/a"})"), HasSubstr("leads out of the schema"));
  EXPECT_THAT(Refusal(R"({"$ref":"#/$defs/none"})"), HasSubstr("is not there"));
  EXPECT_THAT(Refusal(R"({"format":"iban"})"), HasSubstr("the format \"iban\" is not checked"));
  EXPECT_THAT(Refusal(R"({"exclusiveMinimum":true})"), HasSubstr("a number is needed"));
  EXPECT_THAT(Refusal(R"({"type":"strin"})"), HasSubstr("a type is one of"));
  EXPECT_THAT(Refusal(R"({"properties":{"a":{"$id":"x"}}})"), HasSubstr("whole schema only"));
  EXPECT_THAT(Refusal(R"({"$schema":"http://json-schema.org/draft-04/schema#"})"),
              HasSubstr("this kind of schema"));
  EXPECT_THAT(Refusal("3"), HasSubstr("a schema is an object"));
  EXPECT_EQ(Refusal(R"({"$schema":"https://json-schema.org/draft/2020-12/schema","$id":"a",
      "title":"t","x-mine":1})"),
            "");
}

}  // namespace
}  // namespace belljar::schema
