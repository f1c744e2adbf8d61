#include "service/config/settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace belljar::service::config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Result<Settings> FromFile(std::string_view text) {
  const GivenByKey file = BJ_TRY(ParseToml(text, "b.toml"));
  return Combine(file, {});
}

TEST(Settings, ComeFromTheFileInSections) {
  const auto settings = FromFile(R"(
    listen = ["unix:/a", "127.0.0.1:7070"]
    grace = "3s"
    jobs = 5
    [log]
    detail = "verbose"
    format = "text"
    [retention]
    workspaces = "2h"
    [limits]
    memory = "1G"
    cpus = 2.5
    timeout = 7
  )");
  ASSERT_TRUE(settings) << settings.error().message();
  EXPECT_THAT(settings->listen, ElementsAre("unix:/a", "127.0.0.1:7070"));
  EXPECT_EQ(settings->grace, std::chrono::seconds(3));
  EXPECT_EQ(settings->jobs, 5U);
  EXPECT_EQ(settings->log_detail, log::Detail::kVerbose);
  EXPECT_EQ(settings->log_format, log::Format::kText);
  EXPECT_EQ(settings->keep_workspaces, std::chrono::hours(2));
  EXPECT_EQ(settings->limits.memory_bytes, 1ULL << 30);
  EXPECT_EQ(settings->limits.cpu_millis, 2500U);
  EXPECT_EQ(settings->limits.wall, std::chrono::seconds(7));
}

TEST(Settings, FlagsWinOverTheFile) {
  const auto file = ParseToml("grace = \"3s\"\njobs = 2", "b.toml");
  const auto settings = Combine(*file, {{"grace", {{"1s"}, false}}});
  ASSERT_TRUE(settings);
  EXPECT_EQ(settings->grace, std::chrono::seconds(1));
  EXPECT_EQ(settings->jobs, 2U);
}

TEST(Settings, AnUnknownKeyNamesItsLineAndTheNearestKnownOne) {
  const auto settings = FromFile("jobs = 1\n[log]\ndetial = \"verbose\"\n");
  ASSERT_FALSE(settings);
  EXPECT_EQ(settings.error().message(),
            "b.toml:3: unknown key \"log.detial\"; did you mean \"log.detail\"?");
  EXPECT_THAT(FromFile("xyzzyplugh = 1").error().message(), HasSubstr("unknown key"));
  EXPECT_FALSE(FromFile("[limits]\ncpu_time = 3"));
}

TEST(Settings, AWrongValueNamesItsKeyAndWhatItTakes) {
  const std::pair<const char*, const char*> wrong[] = {
      {"grace = \"soon\"", "\"grace\""},
      {"session_timeout = \"0s\"", "\"session_timeout\": takes a time such as \"15m\""},
      {"session_timeout = 0", "\"session_timeout\": takes a time such as \"15m\""},
      {"session_timeout = \"169h\"", "7 days at the most"},
      {"grace = [\"1s\"]", "\"grace\" takes one value"},
      {"listen = \"unix:/a\"", "\"listen\" takes a list of texts"},
      {"jobs = -1", "\"jobs\": takes a number"},
      {"[log]\ndetail = \"loud\"", "\"minimal\", \"standard\" or \"verbose\""},
      {"[limits]\nmemory = \"1K\"", "from 16 MiB"},
      {"jobs = ", "b.toml:1:"},
      {"[log.deeper]\nx = 1", "log.deeper"},
      {"[docker]\nnetwork = \"bridge\"", "takes \"none\""},
      {"[docker]\nstrict_gvisor = \"no\"", "takes true or false"},
      {"[docker]\ncpu_period = 5", "from 1000"},
  };
  for (const auto& [text, says] : wrong) {
    const auto settings = FromFile(text);
    ASSERT_FALSE(settings) << text;
    EXPECT_THAT(settings.error().message(), HasSubstr(says));
  }
}

TEST(Settings, WhatIsShownReadsAsTheSame) {
  const auto settings = FromFile(
      "listen = [\"unix:/a\"]\ngrace = \"1500ms\"\n[limits]\ncpus = 0.5\n[log]\nformat = \"json\"");
  ASSERT_TRUE(settings);
  const auto again = FromFile(Show(*settings));
  ASSERT_TRUE(again) << again.error().message() << Show(*settings);
  EXPECT_EQ(*again, *settings);
  const auto defaults = FromFile(Show(Settings()));
  ASSERT_TRUE(defaults);
  EXPECT_EQ(*defaults, Settings());
}

TEST(Settings, SayWhatCannotChangeWhileRunning) {
  const Settings running;
  EXPECT_THAT(FixedDifferences(running, running), IsEmpty());
  const auto wanted = FromFile("jobs = 9\nlisten = [\"unix:/b\"]\ngrace = \"1s\"");
  EXPECT_THAT(FixedDifferences(running, *wanted), ElementsAre("listen", "jobs"));
}

TEST(Settings, EveryKeyIsThereOnceAndKeepsItsValueApart) {
  std::set<std::string> names;
  for (const Key& key : Keys()) {
    EXPECT_TRUE(names.insert(key.name).second) << key.name;
    Settings settings;
    const auto set = key.set(settings, key.get(Settings()));
    EXPECT_TRUE(set) << key.name << ": " << set.error().message();
    EXPECT_EQ(settings, Settings()) << key.name;
  }
}

}  // namespace
}  // namespace belljar::service::config
