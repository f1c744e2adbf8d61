#include "run/replay.h"

#include <gtest/gtest.h>

namespace belljar::run {
namespace {

json::object ResultWith(std::string_view out, int exit_code) {
  return {{"outcome", exit_code == 0 ? "ok" : "exit"},
          {"exit_code", exit_code},
          {"signal", nullptr},
          {"stdout", out},
          {"stderr", ""},
          {"truncated", {{"stdout", false}, {"stderr", false}}},
          {"error", nullptr},
          {"usage", {{"wall_ms", 1.5}}},
          {"files", {{"created", {"a.txt"}}, {"changed", json::array()}, {"deleted", {}}}}};
}

std::vector<std::string> Names(const std::vector<Difference>& differences) {
  std::vector<std::string> names;
  for (const Difference& difference : differences) names.push_back(difference.what);
  return names;
}

using List = std::vector<std::string>;

TEST(CompareResults, FindsNothingInEqualOnesWhateverTheyCost) {
  json::object other = ResultWith("hello\n", 0);
  other["usage"] = {{"wall_ms", 99}};
  other["id"] = "r-2";
  EXPECT_EQ(Names(CompareResults(ResultWith("hello\n", 0), other)), List());
}

TEST(CompareResults, ShowsWhatEndedOtherwiseAndWhatWasPrinted) {
  const auto found = CompareResults(ResultWith("a\nb\n", 0), ResultWith("a\nc\n", 3));
  ASSERT_EQ(Names(found), (List{"outcome", "exit_code", "stdout"}));
  EXPECT_EQ(found[0].recorded + " " + found[0].replayed, "ok exit");
  EXPECT_EQ(found[1].recorded + " " + found[1].replayed, "0 3");
  EXPECT_EQ(found[2].diff,
            "--- stdout, recorded\n+++ stdout, replayed\n@@ -1,2 +1,2 @@\n a\n-b\n+c\n");
}

TEST(CompareResults, ComparesNamesOfFilesAndWhatWasFetched) {
  json::object was = ResultWith("", 0);
  json::object is = ResultWith("", 0);
  was["files"].as_object()["fetched"] = {{"a.txt", "eA=="}};
  is["files"].as_object()["fetched"] = {{"a.txt", "eQ=="}};
  is["files"].as_object()["created"] = {"a.txt", "b.txt"};
  EXPECT_EQ(Names(CompareResults(was, is)), (List{"files created", "content of a.txt"}));
}

TEST(CompareResults, LeavesOutWhatWasCommittedToVaults) {
  json::object was = ResultWith("", 0);
  was["files"].as_object()["created"] = {"/vault/data/new", "a.txt"};
  EXPECT_EQ(Names(CompareResults(was, ResultWith("", 0))), List());
}

TEST(CompareResults, TellsATruncatedOutputFromAWholeOne) {
  json::object is = ResultWith("x", 0);
  is["truncated"].as_object()["stdout"] = true;
  EXPECT_EQ(Names(CompareResults(ResultWith("x", 0), is)), List{"truncated stdout"});
}

TEST(Replayed, IsTheSameWhenNothingDiffers) {
  Replayed replayed;
  replayed.of = "r-1";
  EXPECT_EQ(ToJson(replayed).at("same"), json::value(true));
  replayed.differences.push_back({"outcome", "ok", "exit", ""});
  EXPECT_EQ(ToJson(replayed).at("same"), json::value(false));
}

}  // namespace
}  // namespace belljar::run
