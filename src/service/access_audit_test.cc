#include "service/access_audit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "record/scratch.h"
#include "service/callers/change_log.h"
#include "service/callers/token_store.h"

namespace belljar::service {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

class AccessAuditTest : public testing::Test {
 protected:
  void SetUp() override {
    log_ = *record::OpenQuiet(scratch_.dir());
    database_ = *storage::Database::Open("sqlite:" + scratch_.path("belljar.db"));
    tokens_ = *callers::TokenStore::Open(*database_, 7);
    AccessAudit::Options options;
    options.steady = [this] { return std::chrono::steady_clock::time_point(steady_.load()); };
    book_ = std::make_unique<AccessAudit>(*log_, *database_, std::move(options));
  }
  static http::server::Served Refused(unsigned status, const std::string& caller = "") {
    http::server::Served served;
    served.status = status;
    served.principal = caller;
    served.method = "POST";
    served.pattern = "/v1/runs";
    served.peer.uid = 1000;
    return served;
  }
  std::vector<record::Record> Records(record::Event event) {
    record::Filter filter;
    filter.event = event;
    filter.limit = 1000;
    return *log_->Find(filter);
  }
  std::vector<record::Record> Refusals() { return Records(record::Event::kRefusal); }

  record::Scratch scratch_;
  std::unique_ptr<record::Log> log_;
  std::unique_ptr<storage::Database> database_;
  std::unique_ptr<callers::TokenStore> tokens_;
  std::atomic<std::chrono::steady_clock::duration> steady_{1h};
  std::unique_ptr<AccessAudit> book_;
};

TEST_F(AccessAuditTest, RecordsWhoWasRefusedWhat) {
  http::server::Served served = Refused(403, "ann");
  served.marks.Add("X-Correlation-Id", "c-1");
  book_->Answered(served);
  book_->Round();
  ASSERT_THAT(Refusals(), SizeIs(1));
  const record::Record record = Refusals().front();
  EXPECT_EQ(record.caller, "ann");
  EXPECT_EQ(record.correlation_id, "c-1");
  EXPECT_THAT(record.entry, HasSubstr(R"("detail":{"count":1,"method":"POST",)"));
  EXPECT_THAT(record.entry, HasSubstr(R"("route":"/v1/runs","status":403)"));
}

TEST_F(AccessAuditTest, RecordsNothingOfOtherAnswers) {
  for (const unsigned status : {200U, 400U, 404U, 500U, 503U}) book_->Answered(Refused(status));
  book_->Round();
  EXPECT_THAT(Refusals(), SizeIs(0));
}

TEST_F(AccessAuditTest, AFloodIsOneRecordAMinuteWithItsCount) {
  book_->Answered(Refused(401));
  book_->Round();
  for (int i = 0; i < 5000; ++i) {
    book_->Answered(Refused(401));
    if (i % 1000 == 0) book_->Round();
  }
  EXPECT_THAT(Refusals(), SizeIs(1));
  steady_ = 1h + AccessAudit::kTogether;
  book_->Round();
  ASSERT_THAT(Refusals(), SizeIs(2));
  EXPECT_THAT(Refusals().front().entry, HasSubstr(R"("count":5000)"));
}

TEST_F(AccessAuditTest, ManyKindsAtOnceAreCountedTogether) {
  for (std::size_t i = 0; i < 4 * AccessAudit::kMostKinds; ++i) {
    book_->Answered(Refused(401, "c" + std::to_string(i)));
  }
  book_->Close();
  const auto records = Refusals();
  EXPECT_LE(records.size(), AccessAudit::kMostKinds + 1);
  const auto others = std::ranges::find(records, "", &record::Record::caller);
  ASSERT_NE(others, records.end());
  EXPECT_THAT(others->entry, HasSubstr(R"("count":768)"));
  EXPECT_THAT(others->entry, Not(HasSubstr("route")));
}

TEST_F(AccessAuditTest, TheEndLeavesNothingUnrecorded) {
  book_->Answered(Refused(429, "ann"));
  book_->Round();
  book_->Answered(Refused(429, "ann"));
  book_->Close();
  EXPECT_THAT(Refusals(), SizeIs(2));
}

TEST_F(AccessAuditTest, RecordsCallersThatWereAddedAndRemovedOnce) {
  const std::string token = *tokens_->Add("ci", {callers::Scope::kRun}, {});
  ASSERT_TRUE(tokens_->Grant(1234, {callers::Scope::kAudit}, {}));
  ASSERT_TRUE(tokens_->Remove("ci"));
  EXPECT_FALSE(tokens_->Remove("ci"));
  book_->Round();
  book_->Round();
  const auto records = Records(record::Event::kToken);
  ASSERT_THAT(records, SizeIs(3));
  EXPECT_THAT(records[2].entry, HasSubstr(R"("action":"add")"));
  EXPECT_THAT(records[2].entry, HasSubstr(R"("scopes":"run")"));
  EXPECT_THAT(records[1].entry, HasSubstr(R"("name":"uid:1234")"));
  EXPECT_THAT(records[0].entry, HasSubstr(R"("action":"remove")"));
  EXPECT_EQ(records[0].caller, "uid:7");
  for (const record::Record& record : records) EXPECT_THAT(record.entry, Not(HasSubstr(token)));
  EXPECT_THAT(*callers::ReadChanges(*database_), SizeIs(0));
}

TEST_F(AccessAuditTest, WhatIsRecordedOfCallersIsHeldAgainstTheirTable) {
  const auto compare = [&] {
    return *callers::CompareWithRecords(*database_, [&]() -> Result<std::vector<json::object>> {
      std::vector<json::object> details;
      for (const record::Record& record : Records(record::Event::kToken)) {
        details.insert(details.begin(), json::parse(record.entry).at("detail").as_object());
      }
      return details;
    });
  };
  const auto change = [&](std::string_view sql) { ASSERT_TRUE(database_->Execute(sql, {})); };
  EXPECT_EQ(compare(), "");
  ASSERT_TRUE(tokens_->Add("ann", {callers::Scope::kRun}, {}));
  EXPECT_EQ(compare(), "") << "before it is recorded";
  book_->Round();
  ASSERT_TRUE(tokens_->Add("bob", {callers::Scope::kRun}, {}));
  ASSERT_TRUE(tokens_->Grant(1234, {callers::Scope::kAudit}, {}));
  ASSERT_TRUE(tokens_->Remove("bob"));
  book_->Round();
  EXPECT_EQ(compare(), "");
  change("UPDATE callers SET scopes = 'run admin' WHERE name = 'ann'");
  EXPECT_EQ(compare(), "caller ann is not as it was recorded when it was added");
  change("DELETE FROM callers WHERE name = 'ann'");
  EXPECT_EQ(compare(), "caller ann is gone, and no record says that it was removed");
  change("UPDATE callers SET name = 'ann' WHERE name = 'uid:1234'");
  EXPECT_EQ(compare(), "caller ann is not as it was recorded when it was added");
  change("UPDATE callers SET name = 'eve'");
  EXPECT_EQ(compare(), "caller eve is there, and no record says that it was added");
}

}  // namespace
}  // namespace belljar::service
