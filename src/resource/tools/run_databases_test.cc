#include "resource/database/run_databases.h"

#include <gtest/gtest.h>

#include <csignal>
#include <fstream>

#include "resource/tools/run_tools.h"

namespace belljar::resource::tools {
namespace {

constexpr char kAnswer[] =
    R"({"answer":{"columns":[{"name":"a","type":""}],"rows":[[1]],"truncated":false,"changed":2}})";

// The worker process is a shell script that returns scripted answers.
class DatabaseRunTest : public testing::Test {
 protected:
  DatabaseRunTest() {
    hooks_.still_allowed = [this](const std::string&, const std::string&) { return still_; };
    hooks_.ask = [this](const database::DatabaseWrite& write, const std::stop_token&) -> Result<> {
      asked_.push_back(write.call.sql + " " + std::to_string(write.changed));
      if (agrees_) return {};
      return Error(Kind::kDenied, "a person said no");
    };
    hooks_.record = [this](const database::DatabaseRecord& record) -> Result<> {
      recorded_.push_back(std::string(database::TaskName(record.call.task)) + " " + record.outcome +
                          (record.made ? " made" : ""));
      if (records_) return {};
      return Error(Kind::kUnavailable, "the disk is full");
    };
    std::signal(SIGPIPE, SIG_IGN);  // the program ignores SIGPIPE too
    terms_.sqlite = "/nowhere";
    terms_.write = judgement::policy::DatabaseWrites::kAsk;
    terms_.max_calls = 3;
    Play("read job; echo '" + std::string(kAnswer) + "'; read word && echo \"$word\" >>" + said_ +
         " && echo '{\"answer\":{}}'");
  }
  ~DatabaseRunTest() override { std::remove(said_.c_str()); }

  void Play(const std::string& script) {
    workers_.emplace(std::vector<std::string>{"/bin/sh", "-c", script}, nullptr);
  }
  database::DatabaseRun& Run() {
    run_.emplace(*workers_, judgement::policy::Databases{{"sales", terms_}},
                 database::DatabaseRun::Shared{hooks_, nullptr, counts_}, clock_);
    return *run_;
  }
  Result<json::object> Ask(std::string_view method, json::object params) {
    if (!run_) Run();
    return run_->Serve("databases/" + std::string(method), params);
  }
  Kind KindOf(std::string_view method, json::object params) {
    const auto answer = Ask(method, std::move(params));
    EXPECT_FALSE(answer);
    return answer ? Kind::kInternal : answer.error().kind();
  }
  std::string Said() const {
    std::ifstream file(said_);
    return {std::istreambuf_iterator<char>(file), {}};
  }

  const std::string said_ =
      testing::TempDir() + "/belljar-worker-said-" + std::to_string(::getpid());
  judgement::policy::DatabaseTerms terms_;
  database::DatabaseHooks hooks_;
  std::shared_ptr<ToolCounts> counts_ = std::make_shared<ToolCounts>();
  WaitClock clock_;
  std::optional<database::DatabaseWorkers> workers_;
  std::optional<database::DatabaseRun> run_;
  bool still_ = true, agrees_ = true, records_ = true;
  std::vector<std::string> asked_, recorded_;
};

const json::object kQuestion = {{"database", "sales"}, {"sql", "select 1"}};

TEST_F(DatabaseRunTest, AQueryIsAnsweredAndRecorded) {
  const auto answer = Ask("query", kQuestion);
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(json::serialize(answer->at("rows")), "[[1]]");
  EXPECT_EQ(recorded_, std::vector<std::string>{"query ok made"});
  EXPECT_TRUE(asked_.empty());
  EXPECT_EQ(Said(), "");
  EXPECT_EQ(run_->made(), 1U);
}

TEST_F(DatabaseRunTest, AWriteIsCommittedAfterAYes) {
  const auto answer = Ask("write", kQuestion);
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(asked_, std::vector<std::string>{"select 1 2"});
  EXPECT_EQ(Said(), "commit\n");
}

TEST_F(DatabaseRunTest, AWriteIsNotCommittedAfterANo) {
  agrees_ = false;
  EXPECT_EQ(KindOf("write", kQuestion), Kind::kDenied);
  EXPECT_EQ(Said(), "");
  EXPECT_EQ(recorded_, std::vector<std::string>{"write denied"});
}

TEST_F(DatabaseRunTest, AWriteIsNotCommittedWhenThePolicyHasChangedMeanwhile) {
  hooks_.ask = [this](const database::DatabaseWrite&, const std::stop_token&) -> Result<> {
    still_ = false;
    return {};
  };
  EXPECT_EQ(KindOf("write", kQuestion), Kind::kDenied);
  EXPECT_EQ(Said(), "");
}

TEST_F(DatabaseRunTest, AWriteIsNotCommittedWhenTheRunIsOver) {
  hooks_.ask = [this](const database::DatabaseWrite&, const std::stop_token&) -> Result<> {
    run_->calls().Stop();
    return {};
  };
  EXPECT_EQ(KindOf("write", kQuestion), Kind::kDenied);
  EXPECT_EQ(Said(), "");
}

TEST_F(DatabaseRunTest, WhatThePolicyDoesNotSayIsDenied) {
  terms_.write = judgement::policy::DatabaseWrites::kNever;
  EXPECT_EQ(KindOf("write", kQuestion), Kind::kDenied);
  EXPECT_EQ(KindOf("query", {{"database", "other"}, {"sql", "select 1"}}), Kind::kDenied);
  still_ = false;
  EXPECT_EQ(KindOf("query", kQuestion), Kind::kDenied);
  EXPECT_EQ(run_->made(), 0U);
}

TEST_F(DatabaseRunTest, CallsAreCounted) {
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(Ask("query", kQuestion));
  EXPECT_EQ(KindOf("query", kQuestion), Kind::kExhausted);
  EXPECT_EQ(run_->made(), 3U);
}

TEST_F(DatabaseRunTest, WhatIsBeyondALimitIsRecordedAndOfAFloodTheBeginning) {
  terms_.max_calls = 1;
  EXPECT_TRUE(Ask("query", kQuestion));
  EXPECT_EQ(KindOf("query", kQuestion), Kind::kExhausted);
  EXPECT_EQ(KindOf("query", {{"database", "other"}, {"sql", "select 1"}}), Kind::kDenied);
  EXPECT_EQ(recorded_,
            (std::vector<std::string>{"query ok made", "query exhausted", "query denied"}));
  for (int i = 0; i < 50; ++i) EXPECT_EQ(KindOf("query", kQuestion), Kind::kExhausted);
  EXPECT_EQ(recorded_.size(), 1 + ToldRefusals::kMost);
  Run();  // the cell's next run
  EXPECT_EQ(KindOf("query", kQuestion), Kind::kExhausted);
  EXPECT_EQ(recorded_.size(), 2 + ToldRefusals::kMost);
}

TEST_F(DatabaseRunTest, WhatCannotBeRecordedHasNoAnswer) {
  records_ = false;
  EXPECT_EQ(KindOf("query", kQuestion), Kind::kUnavailable);
}

TEST_F(DatabaseRunTest, StatementsHaveAFormAndASize) {
  EXPECT_EQ(KindOf("query", {{"database", "sales"}}), Kind::kInvalid);
  EXPECT_EQ(KindOf("query", {{"database", "sales"}, {"sql", 1}}), Kind::kInvalid);
  EXPECT_EQ(KindOf("query", {{"database", std::string(300, 'x')}, {"sql", "a"}}), Kind::kInvalid);
  EXPECT_EQ(KindOf("query", {{"database", "sales"}, {"sql", "a"}, {"params", 1}}), Kind::kInvalid);
  EXPECT_EQ(KindOf("query", {{"database", "sales"}, {"sql", json::string(1, '\0')}}),
            Kind::kInvalid);
  EXPECT_EQ(KindOf("drop", kQuestion), Kind::kInvalid);
  EXPECT_EQ(KindOf("query", {{"database", "sales"}, {"sql", std::string(300'000, 'x')}}),
            Kind::kInvalid);
  EXPECT_EQ(KindOf("write", {{"database", "sales"}, {"sql", std::string(40'000, 'x')}}),
            Kind::kInvalid);
}

TEST_F(DatabaseRunTest, AWorkerThatLiesIsAnError) {
  for (const char* const script :
       {"exit 0", "echo nonsense", "echo '{\"answer\":{}}'", "echo '{\"answer\":[]}'",
        "echo '{\"error\":7}'", "yes | tr -d '\\n'",
        "echo '{\"answer\":{\"columns\":[],\"rows\":7}}'"}) {
    counts_ = std::make_shared<ToolCounts>();
    Play(script);
    Run();
    EXPECT_EQ(KindOf("query", kQuestion), Kind::kUnavailable) << script;
  }
}

TEST_F(DatabaseRunTest, AWorkerThatSaysNothingIsGivenUpWhenTheRunIsOver) {
  Play("exec sleep 600");
  Run();
  std::thread other([this] {
    while (run_->made() == 0) std::this_thread::yield();
    run_->calls().Revoke();
  });
  const auto answer = Ask("query", kQuestion);
  other.join();
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().message(), TakenAway().message());
}

TEST_F(DatabaseRunTest, AStatementBeyondTheConnectionsOfAllCellsIsRefusedByName) {
  terms_.max_connections = 1;
  terms_.timeout = std::chrono::milliseconds(20);
  const database::DatabaseConnections::Wish wish{"another cell's", "/nowhere", 1};
  {
    const auto turn = workers_->connections().Take(wish, terms_.timeout, {});
    const auto answer = Ask("query", kQuestion);
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().kind(), Kind::kExhausted);
    EXPECT_NE(answer.error().message().find("the connections to sales"), std::string::npos);
    EXPECT_EQ(recorded_, std::vector<std::string>{"query exhausted"});
  }
  EXPECT_TRUE(Ask("query", kQuestion));
  EXPECT_TRUE(workers_->connections().Take(wish, terms_.timeout, {}));
}

TEST_F(DatabaseRunTest, ErrorsOfTheDatabaseKeepTheirKind) {
  Play(R"(read job; echo '{"error":{"kind":"denied","message":"permission denied"}}')");
  EXPECT_EQ(KindOf("query", kQuestion), Kind::kDenied);
}

TEST_F(DatabaseRunTest, WithoutDatabasesThereAreNone) {
  McpServers servers(nullptr);
  ToolRun run(servers, {}, {}, counts_);
  EXPECT_NE(run.Answer(R"({"jsonrpc":"2.0","id":1,"method":"databases/query","params":{}})")
                .find("denied"),
            std::string::npos);
  EXPECT_NE(
      run.Answer(R"({"jsonrpc":"2.0","id":1,"method":"databases/list"})").find("\"databases\":[]"),
      std::string::npos);
}

}  // namespace
}  // namespace belljar::resource::tools
