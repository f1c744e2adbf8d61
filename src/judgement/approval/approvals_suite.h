// ApprovalsSuite: the tests that Approvals must pass on every kind of database, run once for each
// kind. The SQLite run is part of the unit tests; the PostgreSQL run needs a server and is part of
// the slow tests.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "foundation/storage/database_suite.h"
#include "foundation/storage/scratch.h"
#include "judgement/approval/approvals.h"
#include "judgement/approval/row.h"

namespace belljar::judgement::approval {

// A clock that a test advances and sets.
class TestClock {
 public:
  void Pass(std::chrono::milliseconds time) { now_ms_ += time.count(); }
  std::int64_t now_ms() const { return now_ms_; }
  Now now() {
    return [this] { return now_ms_.load(); };
  }

 private:
  std::atomic<std::int64_t> now_ms_ = 1'795'000'000'000;
};

// What one process would have: its own connection and its own Approvals object.
struct Opened {
  std::unique_ptr<storage::Database> database;
  std::unique_ptr<Approvals> approvals;
  Approvals* operator->() const { return approvals.get(); }
};

// Accepts a success too: the assertion then fails with a message, and nothing crashes.
template <class T>
std::optional<Kind> FailureOf(const Result<T>& result) {
  if (result) return std::nullopt;
  return result.error().kind();
}
template <class T>
std::string MessageOf(const Result<T>& result) {
  return result ? "it succeeded" : result.error().message();
}

class ApprovalsSuite : public testing::TestWithParam<storage::KindOfPlace> {
 protected:
  Opened Open() {
    auto database = storage::Database::Open(
        place_->where(), storage::Options{.patience = std::chrono::milliseconds(20'000)});
    if (!database) return Give(database.error());
    auto approvals = Approvals::Open(**database, key_file(), clock_.now());
    if (!approvals) return Give(approvals.error());
    return {*std::move(database), *std::move(approvals)};
  }
  std::string key_file() const { return dir_.path("approvals.key"); }

  static NewQuestion Sample() {
    NewQuestion asked;
    asked.caller = "ci";
    asked.digest = std::string(64, 'a');
    asked.session = "s-1";
    asked.lang = "python";
    asked.subject = "print(1)\n";
    asked.reason = "the report needs it";
    asked.risks = {"reads files outside the workspace", "starts programs"};
    asked.touches = {"writes /etc/hosts", "network"};
    asked.level = "L3";
    asked.wishes = {"timeout 120 s"};
    asked.correlation_id = "corr-7";
    asked.wait = std::chrono::minutes(10);
    return asked;
  }
  static Approval Yes(GrantKind kind = GrantKind::kOnce, const std::string& name = "ann") {
    Approval approval;
    approval.approver.name = name;
    approval.grant.kind = kind;
    return approval;
  }
  // Asks a question, which must succeed, and returns its id.
  std::string Ask(const NewQuestion& asked) {
    const auto answer = first_->Ask(asked);
    EXPECT_TRUE(answer) << answer.error().message();
    return answer ? answer->question.id : "";
  }
  State StateOf(const std::string& id) {
    const auto shown = first_->Show(id, Viewer::Everything());
    EXPECT_TRUE(shown) << shown.error().message();
    return shown ? shown->state : State::kTampered;
  }
  // Whether the request has a grant.
  bool MayRun(const NewQuestion& asked) {
    const auto redeemed = first_->Redeem(asked.caller, asked.digest, asked.session);
    EXPECT_TRUE(redeemed) << redeemed.error().message();
    return redeemed && redeemed->has_value();
  }
  // Doubles the rows `times` times, under new ids. Returns the resulting number of rows.
  std::size_t Multiply(int times) {
    std::string columns;
    for (const std::string_view column : std::span(kRowColumns).subspan(1)) {
      columns += ", " + std::string(column);
    }
    for (int i = 0; i < times; ++i) {
      const std::vector<storage::Value> mark = {"-" + std::to_string(i)};
      EXPECT_TRUE(first_.database->Execute(
          "INSERT INTO approvals (id" + columns + ") SELECT id || $1" + columns + " FROM approvals",
          mark));
    }
    const auto counted = first_.database->Query("SELECT count(*) FROM approvals", {});
    return static_cast<std::size_t>(std::get<std::int64_t>(counted->at(0).at(0)));
  }
  // Calls `one` and `other` from `count` threads each, concurrently. Returns how many calls
  // returned true.
  static int Race(int count, const std::function<bool(int)>& one,
                  const std::function<bool(int)>& other) {
    std::atomic<int> won = 0;
    {
      std::vector<std::jthread> threads;
      for (int i = 0; i < count; ++i) {
        threads.emplace_back([&, i] { won += one(i) ? 1 : 0; });
        threads.emplace_back([&, i] { won += other(i) ? 1 : 0; });
      }
    }
    return won;
  }

  storage::ScratchDir dir_;
  TestClock clock_;
  std::unique_ptr<storage::Place> place_ = GetParam().make();
  Opened first_ = Open();
  Opened second_ = Open();

 private:
  [[noreturn]] static Opened Give(const Error& error) {
    ADD_FAILURE() << error.message();
    std::abort();  // no test of this suite can run without a database
  }
};

class ApprovalsTest : public ApprovalsSuite {};
class ApprovalsAnswerTest : public ApprovalsSuite {};
class ApprovalsTamperTest : public ApprovalsSuite {};

}  // namespace belljar::judgement::approval
