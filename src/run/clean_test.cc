#include "run/clean.h"

#include <gtest/gtest.h>

#include "run/run_result.h"

namespace belljar::run {
namespace {

// A token in GitHub's format, assembled here so that secret scanners do not report this file.
std::string Secret() { return "ghp_" + std::string("0123456789abcdefghijABCDEFGHIJ012345"); }

Cleaner NewCleaner() {
  auto redactor = judgement::redaction::Redactor::Create();
  EXPECT_TRUE(redactor);
  return Cleaner(*redactor);
}

TEST(Cleaner, CatchesASecretThatIsSplitOverTwoWrites) {
  Cleaner cleaner = NewCleaner();
  const std::string secret = Secret();
  std::string out = cleaner.Pass(Stream::kStdout, "key " + secret.substr(0, 9));
  out += cleaner.Pass(Stream::kStdout, secret.substr(9) + "\n");
  out += cleaner.Finish(Stream::kStdout);
  EXPECT_EQ(out.find(secret.substr(9)), std::string::npos) << out;
  EXPECT_EQ(out.find("[redacted:"), 4U) << out;
  ASSERT_EQ(cleaner.Told().size(), 1U);
  EXPECT_EQ(cleaner.Told()[0].at("stream"), "stdout");
  EXPECT_EQ(cleaner.Told()[0].at("count"), 1);
}

TEST(Cleaner, CleansErrorsResultsAndFiles) {
  Cleaner cleaner = NewCleaner();
  const std::string secret = Secret();
  RunResult result;
  result.error = cell::guest::GuestError{};
  result.error->message = "bad key " + secret;
  result.error->traceback = "line 1: " + secret;
  result.results.push_back({{"text/plain", secret},
                            {"application/json", {{"deep", json::array{secret}}}},
                            {"image/png", secret}});
  result.files.fetched["a.txt"] = "x " + secret + "\n";
  result.files.fetched["b.bin"] = std::string(
                                      "\x7f"
                                      "ELF\0",
                                      5) +
                                  secret;
  result.files.fetched["c.txt"] = "a=1" + std::string("\0", 1) + "key=" + secret;
  cleaner.CleanRest(result);
  EXPECT_EQ(result.error->message.find(secret), std::string::npos);
  EXPECT_EQ(result.error->traceback.find(secret), std::string::npos);
  EXPECT_EQ(json::serialize(result.results[0].at("text/plain")).find(secret), std::string::npos);
  EXPECT_EQ(json::serialize(result.results[0].at("application/json")).find(secret),
            std::string::npos);
  EXPECT_EQ(result.results[0].at("image/png"), json::value(secret));
  EXPECT_EQ(result.files.fetched["a.txt"].find(secret), std::string::npos);
  EXPECT_EQ(result.files.fetched["b.bin"], std::string("\x7f"
                                                       "ELF\0",
                                                       5) +
                                               secret);
  EXPECT_EQ(result.files.fetched["c.txt"].find(secret), std::string::npos);
  EXPECT_EQ(cleaner.Told().size(), 3U);
}

TEST(Cleaner, CleansNumbersThatAreCards) {
  Cleaner cleaner = NewCleaner();
  RunResult result;
  result.results.push_back({{"application/json", {{"card", 4111111111111111}, {"count", 12}}}});
  cleaner.CleanRest(result);
  const json::value& shown = result.results[0].at("application/json");
  EXPECT_EQ(shown.at("card"), json::value("[redacted:payment-card]"));
  EXPECT_EQ(shown.at("count"), json::value(12));
}

TEST(Cleaner, ShowsTextSafelyAlsoWhereItIsCut) {
  Cleaner cleaner(nullptr, TextMode::kPlain);
  std::string out = cleaner.Pass(Stream::kStdout, "a\x1b[3");
  out += cleaner.Pass(Stream::kStdout, "1mb\xE2\x80");
  out += cleaner.Pass(Stream::kStderr, "\x1b]0;");
  out += cleaner.Pass(Stream::kStdout,
                      "\xAE"
                      "c\xC3");
  out += cleaner.Finish(Stream::kStdout);
  EXPECT_EQ(out, "abc\xEF\xBF\xBD");
  EXPECT_EQ(cleaner.Finish(Stream::kStderr), "");
}

TEST(Cleaner, SafeTextDoesNotPutASecretTogetherAgain) {
  auto redactor = judgement::redaction::Redactor::Create();
  ASSERT_TRUE(redactor);
  Cleaner cleaner(*redactor, TextMode::kPlain);
  const std::string secret = Secret();
  const std::string hidden = secret.substr(0, 9) + "\x1b[0m" + secret.substr(9) + "\n";
  std::string out = cleaner.Pass(Stream::kStdout, hidden);
  out += cleaner.Finish(Stream::kStdout);
  EXPECT_EQ(out.find(secret), std::string::npos) << out;
  RunResult result;
  result.error = cell::guest::GuestError{};
  result.error->message = hidden;
  cleaner.CleanRest(result);
  EXPECT_EQ(result.error->message.find(secret), std::string::npos) << result.error->message;
}

TEST(Cleaner, ShowsErrorsResultsAndOutputSafely) {
  Cleaner cleaner(nullptr, TextMode::kVisible);
  const std::string text = "a\x1b[2J\xE2\x80\xAE";
  RunResult result;
  result.error = cell::guest::GuestError{};
  result.error->message = result.error->traceback = text;
  result.results.push_back({{"text/plain", text}, {"image/png", text}});
  result.output = json::value{{text, json::array{text, 1}}};
  result.files.fetched["a.txt"] = text;
  cleaner.CleanRest(result);
  const std::string safe = "a\\x1b[2J\\u202e";
  EXPECT_EQ(result.error->message, safe);
  EXPECT_EQ(result.error->traceback, safe);
  EXPECT_EQ(result.results[0].at("text/plain"), json::value(safe));
  EXPECT_EQ(result.results[0].at("image/png"), json::value(text));
  EXPECT_EQ(*result.output, (json::value{{safe, json::array{safe, 1}}}));
  EXPECT_EQ(result.files.fetched["a.txt"], text);
}

TEST(Cleaner, WithoutARedactorChangesNothing) {
  Cleaner cleaner;
  EXPECT_EQ(cleaner.Pass(Stream::kStderr, Secret()), Secret());
  EXPECT_EQ(cleaner.Finish(Stream::kStderr), "");
  EXPECT_TRUE(cleaner.Told().empty());
}

}  // namespace
}  // namespace belljar::run
