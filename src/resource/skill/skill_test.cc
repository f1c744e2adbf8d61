#include "resource/skill/skill.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/base/text.h"

namespace belljar::resource::skill {
namespace {

using testing::HasSubstr;

std::string ComplaintAbout(std::string_view json_text) {
  const auto parsed = ParseDefinition(json_text);
  return parsed ? "none" : parsed.error().message();
}

TEST(SkillName, IsShortLowerCaseAndBeginsWithALetter) {
  for (const std::string& good :
       {std::string("a"), std::string("word-count_2"), std::string(64, 'a')}) {
    EXPECT_TRUE(CheckName(good)) << good;
  }
  for (const std::string& bad :
       {std::string(), std::string("A"), std::string("1a"), std::string("-a"), std::string("a b"),
        std::string("a/b"), std::string("a@1"), std::string("\xc3\xa4"), std::string(65, 'a')}) {
    EXPECT_FALSE(CheckName(bad)) << bad;
  }
}

TEST(SkillHandle, IsANameAndPerhapsAVersion) {
  EXPECT_EQ(ParseHandle("count")->version, std::nullopt);
  EXPECT_EQ(ParseHandle("count@12")->name, "count");
  EXPECT_EQ(ParseHandle("count@12")->version, 12);
  for (const char* bad : {"", "@1", "count@", "count@0", "count@-1", "count@01", "count@1x",
                          "count@1@2", "count@99999999999999999999", "count@+1"}) {
    EXPECT_FALSE(ParseHandle(bad)) << bad;
  }
}

TEST(SkillDefinition, HasWhatARunOfItHas) {
  const auto parsed = ParseDefinition(
      R"({"name":"count","description":"counts","lang":"bash","code":"wc","timeout":5,)"
      R"("memory":"64M","level":"strict","threshold":0.9})");
  ASSERT_TRUE(parsed) << parsed.error().message();
  EXPECT_EQ(parsed->name, "count");
  EXPECT_EQ(parsed->threshold, 900);
  EXPECT_EQ(parsed->request_template.lang, request::Lang::kBash);
  EXPECT_EQ(parsed->request_template.limits.wall, std::chrono::seconds(5));
  EXPECT_EQ(parsed->request_template.limits.memory_bytes, 64U << 20);
  EXPECT_EQ(parsed->request_template.level, "strict");
}

TEST(SkillDefinition, ReadsWhatItWrites) {
  auto parsed = ParseDefinition(R"({"name":"a","code":"1","cpus":0.5,"threshold":0})");
  ASSERT_TRUE(parsed) << parsed.error().message();
  json::object again = TermsJson(*parsed);
  EXPECT_FALSE(again.contains("code"));
  again["code"] = "1";
  const auto twice = ParseDefinition(json::serialize(again));
  ASSERT_TRUE(twice) << twice.error().message();
  EXPECT_EQ(twice->request_template, parsed->request_template);
  EXPECT_EQ(twice->threshold, 0);
}

TEST(SkillDefinition, HasSchemasThatAreSchemas) {
  const auto parsed = ParseDefinition(
      R"({"name":"a","code":"1","input_schema":{"type":"object"},"output_schema":{"type":"array"}})");
  ASSERT_TRUE(parsed) << parsed.error().message();
  EXPECT_EQ(json::serialize(*parsed->input_schema), R"({"type":"object"})");
  EXPECT_EQ(json::serialize(*parsed->request_template.output_schema), R"({"type":"array"})");
  EXPECT_EQ(TermsJson(*parsed).at("input_schema"), *parsed->input_schema);
  for (const char* const key : {"input_schema", "output_schema"}) {
    EXPECT_THAT(ComplaintAbout(fmt::format(R"({{"name":"a","code":"1","{}":{{"typ":1}}}})", key)),
                HasSubstr(key));
  }
}

TEST(SkillDefinition, NamesWhatIsWrong) {
  EXPECT_THAT(ComplaintAbout(R"({"name":"a"})"), HasSubstr("needs \"code\""));
  EXPECT_THAT(ComplaintAbout(R"({"code":"1"})"), HasSubstr("cannot be named"));
  EXPECT_THAT(ComplaintAbout(R"({"name":"a","code":"1","stdin":"x"})"), HasSubstr("\"stdin\""));
  EXPECT_THAT(ComplaintAbout(R"({"name":"a","code":"1","session":"x"})"), HasSubstr("\"session\""));
  EXPECT_THAT(ComplaintAbout(R"({"name":"a","command":["ls"]})"), HasSubstr("\"command\""));
  EXPECT_THAT(ComplaintAbout(R"({"name":"a","code":"1","name":"b"})"), HasSubstr("twice"));
  EXPECT_THAT(ComplaintAbout(R"({"name":"a","code":"1","threshold":2})"), HasSubstr("from 0"));
  EXPECT_THAT(ComplaintAbout(R"({"name":"a","code":"1","threshold":"x"})"), HasSubstr("from 0"));
  EXPECT_THAT(ComplaintAbout(R"({"name":"a","code":"1","timeout":"x"})"), HasSubstr("timeout"));
  EXPECT_THAT(ComplaintAbout(R"({"name":"a","code":"1","description":7})"),
              HasSubstr("\"description\" must be a text"));
  EXPECT_THAT(ComplaintAbout(R"({"name":"a","code":"1","output_schema":{"description":")" +
                             std::string(65'537, 'x') + "\"}}"),
              HasSubstr("at most 65536"));
  EXPECT_THAT(ComplaintAbout("[]"), HasSubstr("an object"));
  EXPECT_THAT(
      ComplaintAbout(R"({"name":"a","code":"1","description":")" + std::string(4097, 'x') + "\"}"),
      HasSubstr("4097 bytes"));
}

TEST(SkillDigest, TellsTermsAndCodeApart) {
  EXPECT_EQ(DigestOf("{}", "1"), DigestOf("{}", "1"));
  EXPECT_NE(DigestOf("{}", "1"), DigestOf("{}1", ""));
  EXPECT_NE(DigestOf("{}", "1"), DigestOf("{}", "2"));
  EXPECT_EQ(DigestOf("", "").size(), 64U);
}

TEST(SkillText, IsCutBetweenCharacters) {
  EXPECT_EQ(Fit("short", 10), "short");
  EXPECT_EQ(Fit("0123456789x", 10), "0123456...");
  EXPECT_EQ(Fit(std::string("a\0b", 3), 10), "a b");
  for (std::size_t size = 8; size < 16; ++size) {
    const std::string cut =
        Fit("\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac\xe2\x82\xac", size);
    EXPECT_TRUE(IsValidUtf8(cut)) << size;
    EXPECT_LE(cut.size(), size);
  }
}

}  // namespace
}  // namespace belljar::resource::skill
