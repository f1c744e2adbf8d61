#include "resource/database/job.h"

#include <gtest/gtest.h>

#include <limits>

#include "resource/database/transaction.h"

namespace belljar::resource::database {
namespace {

TEST(Job, TravelsAsJsonAndBack) {
  Job job;
  job.place = {Engine::kPostgres, "host=db password=hush", "reader", true};
  job.task = Task::kWrite;
  job.sql = "UPDATE t SET a = $1";
  job.params = {1, "x", nullptr};
  job.bounds = {7, 8, std::chrono::milliseconds(9), std::chrono::milliseconds(10)};
  const auto back = JobFromJson(ParseJson(json::serialize(ToJson(job)))->get_object());
  ASSERT_TRUE(back) << back.error().message();
  EXPECT_EQ(back->place, job.place);
  EXPECT_EQ(back->task, job.task);
  EXPECT_EQ(back->sql, job.sql);
  EXPECT_EQ(back->params, job.params);
  EXPECT_EQ(back->bounds, job.bounds);
}

TEST(Job, WhatIsNoneIsAnErrorAndNoException) {
  EXPECT_FALSE(JobFromJson({}));
  EXPECT_FALSE(JobFromJson({{"task", "drop"}}));
  EXPECT_FALSE(JobFromJson({{"task", 7}}));
}

TEST(Values, AreExactInJson) {
  EXPECT_EQ(WholeNumber(9007199254740991), json::value(9007199254740991));
  EXPECT_EQ(WholeNumber(9007199254740993), (json::value{{"$int", "9007199254740993"}}));
  EXPECT_EQ(WholeNumber(std::numeric_limits<std::int64_t>::min()),
            (json::value{{"$int", "-9223372036854775808"}}));
  EXPECT_EQ(RealNumber(0.5), json::value(0.5));
  EXPECT_EQ(RealNumber(std::numeric_limits<double>::quiet_NaN()),
            (json::value{{"$number", "NaN"}}));
  EXPECT_EQ(TextOrBytes("\xff"), (json::value{{"$bytes", "/w=="}}));
}

TEST(Values, OfParametersAreReadStrictly) {
  EXPECT_EQ(ReadTagged({{"$bytes", "/w=="}})->value, "\xff");
  EXPECT_EQ(ReadTagged({{"$int", "-12345678901234567890"}})->value, "-12345678901234567890");
  for (const json::value& wrong :
       {json::value{{"$int", "1; DROP"}}, json::value{{"$int", "-"}}, json::value{{"$bytes", "!"}},
        json::value{{"$other", "1"}}, json::value(json::object()), json::value(json::array())}) {
    EXPECT_FALSE(ReadTagged(wrong)) << json::serialize(wrong);
  }
}

TEST(Rows, EndAtTheirBoundsAndSaySo) {
  Bounds bounds;
  bounds.max_rows = 2;
  Rows few(bounds);
  EXPECT_TRUE(*few.Add({1}));
  EXPECT_TRUE(*few.Add({2}));
  EXPECT_FALSE(*few.Add({3}));
  const Answer answer = std::move(few).Finish({});
  EXPECT_TRUE(answer.truncated);
  EXPECT_EQ(answer.rows.size(), 2U);
  bounds.max_bytes = 20;
  Rows small(bounds);
  EXPECT_TRUE(*small.Add({"twelve"}));
  EXPECT_FALSE(*small.Add({"twelve bytes"}));
  EXPECT_TRUE(std::move(small).Finish({}).truncated);
}

TEST(Rows, OneThatIsTooLargeByItselfIsAnError) {
  Bounds bounds;
  bounds.max_bytes = 20;
  Rows rows(bounds);
  const auto added = rows.Add({std::string(30, 'x')});
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().kind(), Kind::kExhausted);
}

TEST(Describe, GroupsColumnsByTable) {
  const json::array rows = {{"s", "a", "table", "x", "int", true},
                            {"s", "a", "table", "y", "text", false},
                            {"s", "b", "view", "x", "int", 1}};
  const json::array tables = GroupColumns(rows);
  ASSERT_EQ(tables.size(), 2U);
  EXPECT_EQ(tables[0].at("columns").as_array().size(), 2U);
  EXPECT_EQ(tables[0].at("columns").at(1).at("nullable"), json::value(false));
  EXPECT_EQ(tables[1].at("kind"), json::value("view"));
  EXPECT_EQ(tables[1].at("columns").at(0).at("nullable"), json::value(true));
}

}  // namespace
}  // namespace belljar::resource::database
