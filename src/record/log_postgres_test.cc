// Two logs, as on two machines, whose search copies share one PostgreSQL database.
#include <gtest/gtest.h>

#include "foundation/storage/postgres_server.h"
#include "record/log.h"
#include "record/scratch.h"
#include "record/verify.h"

namespace belljar::record {
namespace {

Result<std::unique_ptr<Log>> OpenAt(const Scratch& scratch, const std::string& place) {
  Log::Options options;
  options.dir = scratch.dir();
  options.database = place;
  return Log::Open(std::move(options));
}

TEST(LogInPostgres, TwoLogsShareADatabaseAndAreVerifiedEachForItself) {
  const std::string place = storage::PostgresServer::Shared().NewPlace();
  const Scratch one;
  const Scratch two;
  {
    const auto first = OpenAt(one, place);
    ASSERT_TRUE(first) << first.error().message();
    const auto second = OpenAt(two, place);
    ASSERT_TRUE(second) << second.error().message();
    AppendRuns(**first, 40);
    AppendRuns(**second, 7);
    EXPECT_EQ((*first)->Find({.caller = "alice"})->size(), 20U);
    EXPECT_EQ((*second)->Find({})->size(), 7U);
    ASSERT_TRUE((*first)->Seal());
    ASSERT_TRUE((*second)->Seal());
  }
  const auto whole = Verify(one.dir(), place);
  ASSERT_TRUE(whole);
  EXPECT_FALSE(whole->first_bad) << whole->first_bad->what;
  const auto database = storage::Database::Open(place);
  ASSERT_TRUE((*database)->Execute(
      "UPDATE audit_records SET outcome = 'exit' WHERE idx = 30 AND run_id = 'r30'", {}));
  EXPECT_EQ(Verify(one.dir(), place)->first_bad->index, 30U);
  ASSERT_TRUE((*database)->Execute("DELETE FROM audit_records WHERE idx = 12", {}));
  EXPECT_EQ(Verify(one.dir(), place)->first_bad->index, 12U);
  EXPECT_FALSE(Verify(two.dir(), place)->first_bad);
}

TEST(LogInPostgres, MissingRowsAreAddedAtTheNextStart) {
  const std::string place = storage::PostgresServer::Shared().NewPlace();
  const Scratch scratch;
  {
    const auto log = OpenAt(scratch, place);
    AppendRuns(**log, 20);
    ASSERT_TRUE((*log)->Seal());
  }
  const auto database = storage::Database::Open(place);
  ASSERT_TRUE((*database)->Execute("DELETE FROM audit_records WHERE idx IN (3, 19)", {}));
  const auto log = OpenAt(scratch, place);
  ASSERT_TRUE(log) << log.error().message();
  EXPECT_EQ((*log)->Find({})->size(), 20U);
}

}  // namespace
}  // namespace belljar::record
