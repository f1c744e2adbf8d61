#include "door/cli/jsonl.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "request/request_json.h"

namespace belljar::door::cli {
namespace {

std::string Complaint(const RunFlags& flags) {
  const auto defaults = LineDefaults(flags);
  return defaults ? "none" : defaults.error().message();
}

TEST(LineDefaults, AreEmptyWithoutFlags) {
  const auto defaults = LineDefaults(RunFlags());
  ASSERT_TRUE(defaults) << defaults.error().message();
  EXPECT_EQ(*defaults, json::object());
}

TEST(LineDefaults, HoldForLinesThatDoNotSayOtherwise) {
  RunFlags flags;
  flags.lang = "bash";
  flags.image = "mine";
  flags.backend = "gvisor";
  flags.limits = {{"timeout", "2"}, {"memory", "64M"}, {"cpu_time", ""}};
  flags.env = {"A=b"};
  flags.fetch = flags.writes = {"out"};
  flags.allow_hosts = {"a.example"};
  flags.artefacts = {"weights"};
  flags.vaults = {"/srv/data:rw"};
  flags.text = "plain";
  flags.reason = "why";
  flags.correlation_id = "c";
  flags.input = "[1]";
  flags.input_schema = flags.output_schema = "{}";
  flags.deterministic = 7;
  const auto defaults = LineDefaults(flags);
  ASSERT_TRUE(defaults) << defaults.error().message();
  const auto plain = request::ParseRequestOver(*defaults, R"({"code":"1"})");
  ASSERT_TRUE(plain) << plain.error().message();
  request::Request expected;
  expected.code = "1";
  expected.lang = request::Lang::kBash;
  ASSERT_TRUE(ApplyFlags(flags, expected));
  EXPECT_EQ(*plain, expected);
  const auto own = request::ParseRequestOver(
      *defaults,
      R"({"code":"1","lang":"python","backend":"native","memory":"32M","env":{},"vaults":[]})");
  ASSERT_TRUE(own) << own.error().message();
  expected.lang = request::Lang::kPython;
  expected.backend = request::BackendKind::kNative;
  expected.limits.memory_bytes = 32 * request::kMiB;
  expected.env.clear();
  expected.vaults.clear();
  EXPECT_EQ(*own, expected);
}

// A belljar.toml that exists while this object lives.
class Configured {
 public:
  explicit Configured(const std::string& text) {
    std::ofstream(path_) << text;
    ::setenv("BELLJAR_CONFIG", path_.c_str(), 1);
  }
  ~Configured() {
    ::unsetenv("BELLJAR_CONFIG");
    std::filesystem::remove(path_);
  }

 private:
  std::string path_ = testing::TempDir() + "/belljar-config-" + std::to_string(::getpid());
};

TEST(LineDefaults, HaveTheLimitsOfTheConfiguration) {
  const Configured configured("[limits]\nmemory = \"100M\"\ntimeout = \"2s\"\n");
  RunFlags flags;
  flags.limits = {{"memory", "64M"}};
  const auto defaults = LineDefaults(flags);
  ASSERT_TRUE(defaults) << defaults.error().message();
  const auto line = request::ParseRequestOver(*defaults, R"({"code":"1"})");
  ASSERT_TRUE(line) << line.error().message();
  EXPECT_EQ(line->limits.memory_bytes, 64 * request::kMiB);
  EXPECT_EQ(line->limits.wall, std::chrono::seconds(2));
  request::Request one;
  ASSERT_TRUE(ApplyFlags(flags, one));
  EXPECT_EQ(one.limits, line->limits);
}

TEST(LineDefaults, RefuseByNameWhatNoLineCanHave) {
  RunFlags flags;
  flags.limits = {{"memory", "1M"}};
  EXPECT_THAT(Complaint(flags), testing::StartsWith("--memory 1M: "));
  flags = {};
  flags.backend = "nobody";
  EXPECT_THAT(Complaint(flags), testing::StartsWith("--backend: "));
  flags = {};
  flags.lang = "cobol";
  EXPECT_THAT(Complaint(flags), testing::StartsWith("--lang: "));
  flags = {};
  flags.wait = "5m";
  EXPECT_EQ(Complaint(flags), "--wait is for one run: leave it out with --jsonl");
  flags = {};
  flags.account = true;
  EXPECT_EQ(Complaint(flags), "--account is for one run: leave it out with --jsonl");
}

}  // namespace
}  // namespace belljar::door::cli
