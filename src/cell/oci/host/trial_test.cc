#include "cell/oci/host/trial.h"

#include <gtest/gtest.h>

#include <map>

namespace belljar::cell::oci {
namespace {

using Spoken = std::vector<std::string>;
using namespace std::chrono_literals;

// A fake runtime, which can be made to report false states.
class TrialTest : public ::testing::Test {
 protected:
  Result<std::string> Tell(const Spoken& words) {
    told_.push_back(words.front());
    const auto lie = lies_.find(words.front() + (words.front() == "state" ? " " + status_ : ""));
    if (lie != lies_.end()) return lie->second;
    if (words.front() == "state") {
      if (status_.empty()) return Error(Kind::kInternal, "no such container");
      return "{\"ociVersion\":\"1.0.2\",\"status\":\"" + status_ + "\"}\n";
    }
    static const std::map<std::string, std::string> kNext = {
        {"create", "created"}, {"start", "running"}, {"run", "running"},
        {"kill", "stopped"},   {"delete", ""},
    };
    if (const auto next = kNext.find(words.front()); next != kNext.end()) status_ = next->second;
    return std::string(words.front() == "exec" ? "here\n" : "");
  }

  std::string Try(TrialPlan::Begins begins = TrialPlan::Begins::kCreated) {
    const auto tell = [this](const Spoken& words) { return Tell(words); };
    const auto ended = [this](auto) -> Result<bool> { return ended_; };
    const auto tried =
        TryInterface({begins, "/bundle", "/program", "here\n", 50ms}, {tell, tell, ended});
    return tried ? "" : tried.error().message();
  }

  std::string status_;
  bool ended_ = true;
  Spoken told_;
  std::map<std::string, Result<std::string>> lies_;
};

TEST_F(TrialTest, TakesAContainerThroughAllOfIt) {
  EXPECT_EQ(Try(), "");
  EXPECT_EQ(told_, Spoken({"create", "state", "start", "state", "exec", "kill", "state", "delete",
                           "state"}));
}

TEST_F(TrialTest, BeginsWithRunWhereThereIsNoCreate) {
  EXPECT_EQ(Try(TrialPlan::Begins::kRunning), "");
  EXPECT_EQ(told_, Spoken({"run", "state", "exec", "kill", "state", "delete", "state"}));
}

TEST_F(TrialTest, NamesTheCommandThatHangs) {
  for (const char* command : {"create", "start", "exec", "kill", "delete"}) {
    status_.clear();
    lies_ = {{command, Error(Kind::kUnavailable, "late")}};
    EXPECT_EQ(Try(), std::string("its ") + command + " did not end within 0.05 s");
  }
  for (const char* command : {"state created", "state running", "state stopped", "state "}) {
    status_.clear();
    lies_ = {{command, Error(Kind::kUnavailable, "late")}};
    EXPECT_EQ(Try(), "its state did not end within 0.05 s") << command;
  }
}

TEST_F(TrialTest, NamesTheCommandThatFailsWithTheFirstLineOfWhatItSaid) {
  lies_ = {{"exec", Error(Kind::kInternal, "no room\nmore\n")}};
  EXPECT_EQ(Try(), "its exec failed: no room");
}

TEST_F(TrialTest, DoesNotTakeItsWord) {
  const auto with = [this](const std::string& command, const std::string& answer) {
    status_.clear();
    lies_ = {{command, answer}};
    return Try();
  };
  EXPECT_EQ(with("create", ""), "its state failed: no such container");
  EXPECT_EQ(with("start", ""), "its state says \"created\" after start, and not \"running\"");
  EXPECT_EQ(with("exec", ""), "its exec says that a program ended well which never spoke");
  EXPECT_EQ(with("kill", ""), "its state says \"running\" after kill, and not \"stopped\"");
  EXPECT_EQ(with("delete", ""), "its delete left a container that is stopped");
  EXPECT_EQ(with("state created", "what?\n"),
            "its state says \"what?\" after create, and not \"created\"");
  ended_ = false;
  EXPECT_EQ(with("none", ""), "its state says that a container has stopped which still runs");
}

TEST(StatusFrom, IsEmptyOfWhatIsNoState) {
  EXPECT_EQ(StatusFrom("{\"status\": \"running\", \"pid\": 7}"), "running");
  for (const char* said : {"", "running", "[]", "{}", "{\"status\": 3}", "{\"status\": \"run"}) {
    EXPECT_EQ(StatusFrom(said), "") << said;
  }
}

}  // namespace
}  // namespace belljar::cell::oci
