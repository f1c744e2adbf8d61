#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "judgement/redaction/pattern.h"
#include "judgement/redaction/redactor.h"
#include "judgement/redaction/rule.h"

namespace belljar::judgement::redaction {
namespace {

std::shared_ptr<const Redactor> Make(bool machines = false) {
  Options options;
  options.machine_addresses = machines;
  auto created = Redactor::Create(options);
  EXPECT_TRUE(created) << created.error().message();
  return *created;
}

std::string Whole(const std::shared_ptr<const Redactor>& redactor, std::string_view text) {
  Counts counts;
  return redactor->RedactWhole(text, counts);
}

std::string InPiecesOf(const std::shared_ptr<const Redactor>& redactor, std::string_view text,
                       std::size_t size) {
  StreamRedactor stream(redactor);
  std::string out;
  for (std::size_t at = 0; at < text.size(); at += size) out += stream.Feed(text.substr(at, size));
  return out + stream.Finish();
}

// Every rule's examples, mixed with prose, numbers, invalid UTF-8 and NULs.
std::string RichSample() {
  std::string text;
  for (const auto [rule, group] : AllRules()) {
    text += "so: " + ExpandExample(rule->caught) + "\n";
    text += std::string("\xff\xfe\0 12 345 (6) ", 14) + ExpandExample(rule->spared) + " ... --\t";
  }
  return text;
}

TEST(StreamRedactor, GivesTheSameByByteAsWhole) {
  for (const bool machines : {false, true}) {
    const auto redactor = Make(machines);
    const std::string text = RichSample();
    const std::string whole = Whole(redactor, text);
    EXPECT_EQ(InPiecesOf(redactor, text, 1), whole);
    for (const std::size_t size : {2, 3, 7, 16, 61, 255, 4096}) {
      EXPECT_EQ(InPiecesOf(redactor, text, size), whole) << size;
    }
  }
}

TEST(StreamRedactor, GivesTheSameWhereverItIsCutInTwo) {
  const auto redactor = Make(true);
  for (const auto [rule, group] : AllRules()) {
    const std::string text = "x " + ExpandExample(rule->caught) + " 1 y@\n";
    const std::string whole = Whole(redactor, text);
    for (std::size_t cut = 0; cut <= text.size(); ++cut) {
      StreamRedactor stream(redactor);
      std::string out = stream.Feed(std::string_view(text).substr(0, cut));
      out += stream.Feed(std::string_view(text).substr(cut));
      out += stream.Finish();
      ASSERT_EQ(out, whole) << rule->kind << " cut at " << cut;
    }
  }
}

TEST(StreamRedactor, GivesTheSameInRandomPiecesOfRandomMixtures) {
  const auto redactor = Make(true);
  std::mt19937 random(7);
  const auto rules = AllRules();
  const std::string glue = " \n\t=:.-_@+()/\"'\\0123456789AZaz,;~";
  for (int round = 0; round < 200; ++round) {
    std::string text;
    while (text.size() < 600) {
      const std::string example = ExpandExample(rules[random() % rules.size()].rule->caught);
      text += example.substr(random() % 8, 8 + random() % 200);
      for (std::size_t i = random() % 6; i > 0; --i) text += glue[random() % glue.size()];
    }
    const std::string whole = Whole(redactor, text);
    StreamRedactor stream(redactor);
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t size = 1 + random() % 40;
      out += stream.Feed(std::string_view(text).substr(at, size));
      at += size;
    }
    ASSERT_EQ(out + stream.Finish(), whole) << text;
  }
}

// Two more bytes are needed to decide whether a number ends with its letter.
TEST(StreamRedactor, WaitsForWhatFollowsANumbersLetter) {
  const auto redactor = Make();
  for (const std::string_view text : {"=131052-308T.7", "=131052-308T. 7", "=11010519491231002X-4",
                                      "=11010519491231002X-", "=131052-308T"}) {
    EXPECT_EQ(InPiecesOf(redactor, text, 1), Whole(redactor, text)) << text;
  }
}

TEST(StreamRedactor, LetsPromptsOutAtOnce) {
  const auto redactor = Make();
  for (const std::string_view prompt :
       {"name? ", "Password: ", ">>> ", "Continue [y/N] ", "$ ", "Loading...", "login:", "\n",
        "50%", "caf\xc3\xa9", "== done ==", "-----"}) {
    StreamRedactor stream(redactor);
    EXPECT_EQ(stream.Feed(prompt), prompt);
  }
}

TEST(StreamRedactor, HoldsAWordUntilItEnds) {
  StreamRedactor stream(Make());
  EXPECT_EQ(stream.Feed("the wor"), "the ");
  EXPECT_EQ(stream.held(), 3U);
  EXPECT_EQ(stream.Feed("d is "), "word is ");
  EXPECT_EQ(stream.Feed("out"), "");
  EXPECT_EQ(stream.Finish(), "out");
}

TEST(StreamRedactor, HoldsLittleOfALongWord) {
  StreamRedactor stream(Make());
  std::string blob;
  for (int i = 0; i < 1000; ++i) blob += "iVBORw0KGgoAAAANSUhEUg";
  const std::string out = stream.Feed(blob);
  EXPECT_GE(out.size() + kMaxUnanchoredBytes, blob.size());
  EXPECT_EQ(out + stream.Finish(), blob);
}

TEST(StreamRedactor, RedactsWhatIsLongerThanItCanHold) {
  const auto redactor = Make();
  const std::string key = ExpandExample("%6{300000}");
  const std::string text =
      "-----BEGIN PRIVATE KEY-----\n" + key + "\n-----END PRIVATE KEY-----\nbye\n";
  StreamRedactor stream(redactor);
  std::string out;
  std::size_t held = 0;
  for (std::size_t at = 0; at < text.size(); at += 1000) {
    out += stream.Feed(std::string_view(text).substr(at, 1000));
    held = std::max(held, stream.held());
  }
  out += stream.Finish();
  EXPECT_EQ(out,
            "-----BEGIN PRIVATE KEY-----[redacted:private-key]-----END PRIVATE KEY-----\nbye\n");
  EXPECT_LE(held, kMaxHeldBytes);
  EXPECT_EQ(Whole(redactor, text), out);
}

TEST(StreamRedactor, CountsKindsOnce) {
  StreamRedactor stream(Make());
  std::string text = "a@b.org and c@d.org " + ExpandExample("ghp_%w{36}");
  for (const char c : text) stream.Feed(std::string_view(&c, 1));
  stream.Finish();
  EXPECT_THAT(stream.counts(), testing::UnorderedElementsAre(testing::Pair("e-mail", 2U),
                                                             testing::Pair("github-token", 1U)));
}

TEST(StreamRedactor, TakesNothing) {
  StreamRedactor stream(Make());
  EXPECT_EQ(stream.Feed(""), "");
  EXPECT_EQ(stream.Finish(), "");
}

}  // namespace
}  // namespace belljar::judgement::redaction
