#include "foundation/log/logger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace belljar::log {
namespace {

using testing::HasSubstr;
using testing::Not;

Line Sample() {
  Line line;
  line.event = "run";
  line.id = "r-1";
  line.caller = "ann";
  line.more = {{"outcome", "ok"}, {"wall_ms", 3}};
  return line;
}

std::string ReadWhole(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

class JournalTest : public testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = testing::TempDir() + "journalXXXXXX";
    dir_ = ::mkdtemp(pattern.data());
    options_.file = dir_ / "log";
  }
  void TearDown() override { std::filesystem::remove_all(dir_); }

  std::filesystem::path dir_;
  Options options_;
};

TEST(Render, GivesOneObjectWithTheStatedMembersFirst) {
  EXPECT_EQ(Render(Sample(), 1'700'000'000'123, Format::kJson),
            R"({"time":"2023-11-14T22:13:20.123Z","level":"info","event":"run","id":"r-1",)"
            R"("caller":"ann","outcome":"ok","wall_ms":3})");
}

TEST(Render, GivesTheSameAsWords) {
  EXPECT_EQ(Render(Sample(), 1'700'000'000'123, Format::kText),
            R"(2023-11-14T22:13:20.123Z info run id="r-1" caller="ann" outcome="ok" wall_ms=3)");
}

TEST(Render, NoTextCanBreakItsLineOrSpeakToATerminal) {
  Line line = Sample();
  line.caller = "a\n{\"level\":\"info\"}\x1b[2J\x7f\xc2\x9b\xff\"\\\r";
  for (const Format format : {Format::kJson, Format::kText}) {
    const std::string text = Render(line, 0, format);
    EXPECT_TRUE(std::ranges::none_of(text, [](char c) { return c >= 0 && c < 0x20; })) << text;
    EXPECT_THAT(text, Not(HasSubstr("\xc2\x9b")));
    EXPECT_THAT(text, Not(HasSubstr("\x7f")));
  }
  const auto parsed = ParseJson(Render(line, 0, Format::kJson));
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->at("caller").as_string(),
            "a\n{\"level\":\"info\"}\x1b[2J\x7f\xc2\x9b\xef\xbf\xbd\"\\\r");
}

TEST(Render, CutsEveryTextAtItsLength) {
  Line line = Sample();
  line.id = std::string(100'000, 'i');
  line.more = {{"reason", std::string(100'000, 'r')}, {"stdout", std::string(100'000, 'o')}};
  const std::string text = Render(line, 0, Format::kJson);
  EXPECT_LT(text.size(), 2 * kMaxTextBytes + kMaxBodyBytes + 300);
  EXPECT_TRUE(ParseJson(text));
}

TEST(TraceId, IsThePartThatNamesTheTrace) {
  EXPECT_EQ(TraceId("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"),
            "0af7651916cd43dd8448eb211c80319c");
  EXPECT_EQ(TraceId(""), "");
}

TEST_F(JournalTest, WritesWhatTheDetailAsksForAndNothingElse) {
  options_.detail = Detail::kMinimal;
  {
    const auto journal = Journal::Open(options_);
    ASSERT_TRUE(journal);
    (*journal)->Write(Sample());
    Line important = Sample();
    important.from = Detail::kMinimal;
    important.event = "start";
    (*journal)->Write(important);
    (*journal)->Set(Detail::kStandard, Format::kText);
    (*journal)->Write(Sample());
  }
  const std::string text = ReadWhole(options_.file);
  EXPECT_EQ(std::ranges::count(text, '\n'), 2) << text;
  EXPECT_THAT(text, HasSubstr(R"("event":"start")"));
  EXPECT_THAT(text, HasSubstr(" info run id="));
}

TEST_F(JournalTest, KeepsItsFileFromOtherUsersAndFindsAnotherAfterItWasMoved) {
  const auto journal = Journal::Open(options_);
  ASSERT_TRUE(journal);
  struct stat status {};
  ASSERT_EQ(::stat(options_.file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600U);
  std::filesystem::rename(options_.file, dir_ / "old");
  ASSERT_TRUE((*journal)->Reopen());
  EXPECT_TRUE(std::filesystem::exists(options_.file));
}

TEST_F(JournalTest, AFileThatCannotBeOpenedIsAnError) {
  options_.file = dir_ / "no/such/log";
  EXPECT_FALSE(Journal::Open(options_));
}

}  // namespace
}  // namespace belljar::log
