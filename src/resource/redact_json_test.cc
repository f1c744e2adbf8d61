#include "resource/redact_json.h"

#include <gtest/gtest.h>

namespace belljar::resource {
namespace {

TEST(RedactJson, TakesCardsOutThatAreTextsOrNumbers) {
  const auto redactor = judgement::redaction::Redactor::Create();
  ASSERT_TRUE(redactor);
  json::value value = {
      {"text", "4111 1111 1111 1111"}, {"number", 4111111111111111}, {"count", 12}};
  RedactJson(redactor->get(), value);
  EXPECT_EQ(value.at("text"), json::value("[redacted:payment-card]"));
  EXPECT_EQ(value.at("number"), json::value("[redacted:payment-card]"));
  EXPECT_EQ(value.at("count"), json::value(12));
}

TEST(RedactJson, LeavesNumbersAloneThatAreNoCards) {
  const auto redactor = judgement::redaction::Redactor::Create();
  ASSERT_TRUE(redactor);
  json::value value = {{"number", 4111111111111112}};
  RedactJson(redactor->get(), value);
  EXPECT_EQ(value.at("number"), json::value(4111111111111112));
}

}  // namespace
}  // namespace belljar::resource
