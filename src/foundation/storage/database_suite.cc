#include "foundation/storage/database_suite.h"

#include <gmock/gmock.h>

#include <atomic>
#include <future>
#include <limits>
#include <thread>

namespace belljar::storage {

using std::chrono::milliseconds;
using testing::HasSubstr;

DatabaseSuite::DatabaseSuite() : place_(GetParam().make()), db_(Connect(milliseconds(20'000))) {}

std::unique_ptr<Database> DatabaseSuite::Connect(milliseconds patience) const {
  auto opened = Database::Open(place_->where(), Options{.patience = patience});
  if (opened) return *std::move(opened);
  ADD_FAILURE() << opened.error().message();
  std::abort();  // no test of this suite can run without a database
}

void DatabaseSuite::Do(std::string_view sql, std::vector<Value> params) {
  const auto done = db_->Execute(sql, params);
  EXPECT_TRUE(done) << sql << ": " << done.error().message();
}

std::vector<Row> DatabaseSuite::Ask(std::string_view sql, std::vector<Value> params) {
  auto rows = db_->Query(sql, params);
  EXPECT_TRUE(rows) << sql << ": " << rows.error().message();
  return rows ? *std::move(rows) : std::vector<Row>();
}

namespace {

Value Number(std::int64_t number) { return number; }
Value Text(const char* text) { return std::string(text); }

// Accepts a success too: the assertion then fails with a message, and nothing crashes.
template <class T>
std::optional<Kind> KindOfFailure(const Result<T>& result) {
  if (result) return std::nullopt;
  return result.error().kind();
}
template <class T>
std::string MessageOf(const Result<T>& result) {
  return result ? "it succeeded" : result.error().message();
}

constexpr Migration kItems[] = {
    {1,
     "CREATE TABLE items (id $ID, name TEXT UNIQUE, size BIGINT, ratio DOUBLE PRECISION, "
     "body $BLOB); CREATE INDEX items_size ON items (size)"}};

}  // namespace

DatabaseTest::DatabaseTest() { EXPECT_TRUE(db_->Migrate("items", kItems)); }

std::int64_t DatabaseTest::Count() {
  const auto rows = Ask("SELECT count(*) FROM items");
  return rows.empty() ? -1 : std::get<std::int64_t>(rows[0][0]);
}

namespace {

TEST_P(DatabaseTest, ReturnsEveryKindOfValueAsItWasGiven) {
  const std::string all_bytes = [] {
    std::string bytes;
    for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
    return bytes;
  }();
  const std::vector<Row> given = {
      {Text("gr\xc3\xbc\xc3\x9f'\";--"), Number(std::numeric_limits<std::int64_t>::min()), 0.1,
       Blob{all_bytes}},
      {Text(""), Number(std::numeric_limits<std::int64_t>::max()), 5e-324, Blob{}},
      {Value(), Value(), Value(), Value()}};
  for (const Row& row : given) {
    Do("INSERT INTO items (name, size, ratio, body) VALUES ($1, $2, $3, $4)", row);
  }
  EXPECT_EQ(Ask("SELECT name, size, ratio, body FROM items ORDER BY id"), given);
}

TEST_P(DatabaseTest, KeepsBodiesOfMegabytes) {
  const Blob body{std::string(5U << 20, '\x7f')};
  Do("INSERT INTO items (name, body) VALUES ($1, $2)", {Text("large"), body});
  EXPECT_EQ(Ask("SELECT body FROM items WHERE name = $1", {Text("large")}),
            (std::vector<Row>{{Value(body)}}));
}

TEST_P(DatabaseTest, TakesPlaceholdersInAnyOrderAndTwice) {
  Do("INSERT INTO items (size, name) VALUES ($2, $1)", {Text("a"), Number(7)});
  EXPECT_EQ(Ask("SELECT name FROM items WHERE size = $1 OR size = $2 OR size = $1",
                {Number(7), Number(8)}),
            (std::vector<Row>{{Text("a")}}));
}

TEST_P(DatabaseTest, RefusesTheWrongNumberOfParameters) {
  const std::vector<Value> one = {Number(1)}, three = {Number(1), Number(2), Number(3)};
  EXPECT_FALSE(db_->Query("SELECT id FROM items WHERE id = $1 OR id = $2", one));
  EXPECT_FALSE(db_->Query("SELECT id FROM items WHERE id = $1 OR id = $2", three));
  EXPECT_FALSE(db_->Query("SELECT id FROM items WHERE id = $1", {}));
}

TEST_P(DatabaseTest, NeverTakesDataForAStatement) {
  const Value evil = Text("x'); DROP TABLE items; --");
  Do("INSERT INTO items (name) VALUES ($1)", {evil});
  EXPECT_EQ(Ask("SELECT name FROM items WHERE name = $1", {evil}), (std::vector<Row>{{evil}}));
  EXPECT_FALSE(db_->Execute("INSERT INTO items (name) VALUES ('a'); DELETE FROM items", {}));
  EXPECT_EQ(Count(), 1);
}

TEST_P(DatabaseTest, CountsTheRowsThatAStatementTouched) {
  EXPECT_EQ(*db_->Execute("INSERT INTO items (name) VALUES ('a'), ('b'), ('c')", {}), 3U);
  EXPECT_EQ(*db_->Execute("UPDATE items SET size = 1 WHERE name <> 'a'", {}), 2U);
  EXPECT_EQ(*db_->Execute("SELECT id FROM items", {}), 0U);
  EXPECT_EQ(*db_->Execute("CREATE TABLE more (x BIGINT)", {}), 0U);
  EXPECT_EQ(*db_->Execute("DELETE FROM items WHERE name = 'nobody'", {}), 0U);
  EXPECT_EQ(*db_->Execute("DELETE FROM items", {}), 3U);
  EXPECT_EQ(*db_->Execute("DROP TABLE more", {}), 0U);
}

TEST_P(DatabaseTest, HasOneDialect) {
  Do("INSERT INTO items (name, size) VALUES ('b', 2), ('B', 40), ('a', 8)");
  EXPECT_EQ(Ask("SELECT name FROM items ORDER BY name COLLATE \"C\""),
            (std::vector<Row>{{Text("B")}, {Text("a")}, {Text("b")}}));
  EXPECT_EQ(Ask("SELECT sum(size), min(size), count(*) FROM items"),
            (std::vector<Row>{{Number(50), Number(2), Number(3)}}));
  EXPECT_EQ(Ask("SELECT count(*) FROM items WHERE name LIKE 'b%'"),
            (std::vector<Row>{{Number(1)}}));
  EXPECT_EQ(Ask("INSERT INTO items (name) VALUES ('b') ON CONFLICT (name) DO UPDATE SET size = 3 "
                "RETURNING size"),
            (std::vector<Row>{{Number(3)}}));
  EXPECT_FALSE(db_->Query("SELECT \"nothing of this name\" FROM items", {}));
  EXPECT_EQ(Ask("SELECT name FROM items ORDER BY id LIMIT $1 OFFSET $2", {Number(1), Number(1)}),
            (std::vector<Row>{{Text("B")}}));
}

TEST_P(DatabaseTest, GivesOutAscendingIdsThatAreNeverUsedAgain) {
  Do("INSERT INTO items (name) VALUES ('a'), ('b')");
  Do("DELETE FROM items");
  Do("INSERT INTO items (name) VALUES ('c')");
  EXPECT_EQ(Ask("SELECT id FROM items"), (std::vector<Row>{{Number(3)}}));
}

TEST_P(DatabaseTest, CallsAViolatedConstraintInvalid) {
  Do("INSERT INTO items (name) VALUES ('a')");
  EXPECT_EQ(KindOfFailure(db_->Execute("INSERT INTO items (name) VALUES ('a')", {})),
            Kind::kInvalid);
  EXPECT_EQ(Count(), 1);
}

TEST_P(DatabaseTest, CallsAMistakeInAStatementInternal) {
  EXPECT_EQ(KindOfFailure(db_->Query("SELECT x FROM nowhere", {})), Kind::kInternal);
  EXPECT_EQ(KindOfFailure(db_->Query("", {})), Kind::kInvalid);
}

TEST_P(DatabaseTest, BoundsTheRowsOfAQuery) {
  const auto series = [&](std::int64_t count) {
    const std::vector<Value> params = {Number(count)};
    return db_->Query(
        "WITH RECURSIVE series(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM series "
        "WHERE n < $1) SELECT n FROM series",
        params);
  };
  const auto most = series(kMaxRows);
  ASSERT_TRUE(most) << most.error().message();
  EXPECT_EQ(most->size(), kMaxRows);
  EXPECT_EQ(series(kMaxRows + 1).error().kind(), Kind::kExhausted);
  EXPECT_TRUE(series(1));
}

TEST_P(DatabaseTest, KeepsAllOfATransactionOrNothing) {
  const auto kept = db_->Transaction([&]() -> Result<> {
    Do("INSERT INTO items (name) VALUES ('a')");
    Do("INSERT INTO items (name) VALUES ('b')");
    return {};
  });
  EXPECT_TRUE(kept);
  EXPECT_EQ(Count(), 2);
  const auto dropped = db_->Transaction([&]() -> Result<> {
    Do("DELETE FROM items");
    EXPECT_EQ(Count(), 0);
    return Error(Kind::kDenied, "changed my mind");
  });
  EXPECT_EQ(MessageOf(dropped), "changed my mind");
  EXPECT_EQ(KindOfFailure(dropped), Kind::kDenied);
  EXPECT_EQ(Count(), 2);
}

TEST_P(DatabaseTest, UndoesATransactionWhoseFailedStatementNobodyMinded) {
  Do("INSERT INTO items (name) VALUES ('a')");
  const auto done = db_->Transaction([&]() -> Result<> {
    Do("INSERT INTO items (name) VALUES ('b')");
    EXPECT_FALSE(db_->Execute("INSERT INTO items (name) VALUES ('a')", {}));
    const auto later = db_->Execute("INSERT INTO items (name) VALUES ('c')", {});
    EXPECT_THAT(MessageOf(later), HasSubstr("the transaction has already failed: "));
    return {};
  });
  EXPECT_EQ(KindOfFailure(done), Kind::kInvalid);
  EXPECT_EQ(Count(), 1);
}

TEST_P(DatabaseTest, TakesAnInnerTransactionForAPartOfTheOuterOne) {
  const auto done = db_->Transaction([&]() -> Result<> {
    Do("INSERT INTO items (name) VALUES ('a')");
    const auto inner =
        db_->Transaction([&]() -> Result<> { return Error(Kind::kInvalid, "inner"); });
    EXPECT_FALSE(inner);
    return {};
  });
  EXPECT_EQ(MessageOf(done), "inner");
  EXPECT_EQ(Count(), 0);
}

TEST_P(DatabaseTest, RollsBackWhenWorkThrows) {
  EXPECT_THROW(static_cast<void>(db_->Transaction([&]() -> Result<> {
                 Do("INSERT INTO items (name) VALUES ('a')");
                 throw std::runtime_error("thrown");
               })),
               std::runtime_error);
  EXPECT_EQ(Count(), 0);
  Do("INSERT INTO items (name) VALUES ('a')");
  EXPECT_EQ(Count(), 1);
}

TEST_P(DatabaseTest, RefusesTransactionWordsInStatements) {
  EXPECT_FALSE(db_->Execute("BEGIN", {}));
  EXPECT_FALSE(db_->Execute("/* hidden */ BEGIN", {}));
  Do("INSERT INTO items (name) VALUES ('a')");
  const auto other = Connect(milliseconds(20'000));
  EXPECT_EQ(other->Query("SELECT name FROM items", {})->size(), 1U);
}

TEST_P(DatabaseTest, LetsTransactionsOfManyConnectionsReadAndWriteInTurn) {
  Do("INSERT INTO items (name, size) VALUES ('n', 0)");
  const auto add = [&](Database& db) {
    return db.Transaction([&]() -> Result<> {
      const auto rows = BJ_TRY(db.Query("SELECT size FROM items WHERE name = 'n'", {}));
      const std::vector<Value> next = {Number(std::get<std::int64_t>(rows.at(0).at(0)) + 1)};
      BJ_TRY(db.Execute("UPDATE items SET size = $1 WHERE name = 'n'", next));
      return {};
    });
  };
  const auto other = Connect(milliseconds(20'000));
  std::atomic<int> failures = 0;
  {
    std::vector<std::jthread> threads;
    for (Database* db : {db_.get(), db_.get(), other.get()}) {
      threads.emplace_back([&failures, &add, db] {
        for (int i = 0; i < 20; ++i) failures += add(*db) ? 0 : 1;
      });
    }
  }
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(Ask("SELECT size FROM items"), (std::vector<Row>{{Number(60)}}));
}

TEST_P(DatabaseTest, GivesUpOnALockAndGoesOnWhenItIsFree) {
  const auto impatient = Connect(milliseconds(20));
  const auto write = [&]() -> Result<> {
    BJ_TRY(impatient->Execute("INSERT INTO items (name) VALUES ('a')", {}));
    return {};
  };
  const auto held = db_->Transaction([&]() -> Result<> {
    const auto refused = impatient->Transaction(write);
    EXPECT_EQ(KindOfFailure(refused), Kind::kUnavailable);
    EXPECT_THAT(MessageOf(refused), HasSubstr("try again"));
    EXPECT_TRUE(impatient->Query("SELECT id FROM items", {})) << "readers need not wait";
    return {};
  });
  EXPECT_TRUE(held);
  EXPECT_EQ(Count(), 0);
  EXPECT_TRUE(impatient->Transaction(write));
  EXPECT_EQ(Count(), 1);
}

TEST_P(DatabaseTest, KeepsOtherThreadsOutOfATransaction) {
  const auto impatient = Connect(milliseconds(20));
  const auto held = impatient->Transaction([&]() -> Result<> {
    auto other =
        std::async(std::launch::async, [&] { return impatient->Execute("DELETE FROM items", {}); });
    const auto refused = other.get();
    EXPECT_EQ(KindOfFailure(refused), Kind::kUnavailable);
    return {};
  });
  EXPECT_TRUE(held);
  EXPECT_TRUE(impatient->Execute("DELETE FROM items", {}));
}

TEST_P(DatabaseTest, StopsAStatementThatTakesTooLong) {
  auto hasty = Database::Open(place_->where(), Options{.statement_limit = milliseconds(50)});
  ASSERT_TRUE(hasty);
  const auto stopped = (*hasty)->Query(
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000000000) "
      "SELECT count(*) FROM n",
      {});
  ASSERT_FALSE(stopped);
  EXPECT_EQ(KindOfFailure(stopped), Kind::kUnavailable);
  EXPECT_THAT(MessageOf(stopped), HasSubstr("took too long"));
  EXPECT_TRUE((*hasty)->Query("SELECT 1", {}));
}

TEST_P(DatabaseTest, OutlivesItsConnection) {
  Do("INSERT INTO items (name) VALUES ('a')");
  db_.reset();
  db_ = Connect(milliseconds(20'000));
  EXPECT_EQ(Count(), 1);
}

constexpr Migration kSteps[] = {{1, "CREATE TABLE t (a BIGINT); INSERT INTO t VALUES (1)"},
                                {2, "ALTER TABLE t ADD COLUMN b BIGINT"},
                                {5, "UPDATE t SET b = a + 1"}};

TEST_P(DatabaseMigrateTest, TakesEachStepOnce) {
  const std::span steps(kSteps);
  EXPECT_TRUE(db_->Migrate("t", steps.first(1)));
  EXPECT_TRUE(db_->Migrate("t", steps));
  EXPECT_TRUE(db_->Migrate("t", steps));
  EXPECT_EQ(Ask("SELECT a, b FROM t"), (std::vector<Row>{{Number(1), Number(2)}}));
  EXPECT_EQ(Ask("SELECT component, version FROM belljar_schema"),
            (std::vector<Row>{{Text("t"), Number(5)}}));
}

TEST_P(DatabaseMigrateTest, RefusesADatabaseThatIsNewerThanTheProgram) {
  const std::span steps(kSteps);
  ASSERT_TRUE(db_->Migrate("t", steps));
  const auto refused = db_->Migrate("t", steps.first(2));
  EXPECT_EQ(KindOfFailure(refused), Kind::kInvalid);
  EXPECT_THAT(MessageOf(refused),
              HasSubstr("its schema t has version 5, and this program knows only version 2: use a "
                        "newer belljar"));
}

TEST_P(DatabaseMigrateTest, LeavesNothingOfAStepThatFails) {
  constexpr Migration kBroken[] = {
      {1, "CREATE TABLE good (a BIGINT)"},
      {2, "CREATE TABLE half (a BIGINT); INSERT INTO half VALUES (1); CREATE TABLE good (b TEXT)"}};
  const auto failed = db_->Migrate("t", kBroken);
  EXPECT_THAT(MessageOf(failed), HasSubstr("schema t, version 2: "));
  EXPECT_FALSE(db_->Query("SELECT a FROM half", {}));
  EXPECT_EQ(Ask("SELECT version FROM belljar_schema"), (std::vector<Row>{{Number(1)}}));
}

TEST_P(DatabaseMigrateTest, KeepsComponentsApart) {
  constexpr Migration kOther[] = {{9, "CREATE TABLE u (a BIGINT)"}};
  ASSERT_TRUE(db_->Migrate("t", kSteps));
  ASSERT_TRUE(db_->Migrate("u", kOther));
  EXPECT_EQ(Ask("SELECT version FROM belljar_schema ORDER BY component"),
            (std::vector<Row>{{Number(5)}, {Number(9)}}));
}

TEST_P(DatabaseMigrateTest, RefusesStepsOutOfOrderAndUnknownWords) {
  constexpr Migration kBackwards[] = {{2, "SELECT 1"}, {1, "SELECT 1"}};
  constexpr Migration kUnknown[] = {{1, "CREATE TABLE t (a $FLOAT)"}};
  EXPECT_EQ(KindOfFailure(db_->Migrate("t", kBackwards)), Kind::kInvalid);
  EXPECT_EQ(KindOfFailure(db_->Migrate("t", {})), Kind::kInvalid);
  EXPECT_EQ(KindOfFailure(db_->Migrate("", kSteps)), Kind::kInvalid);
  EXPECT_THAT(MessageOf(db_->Migrate("t", kUnknown)),
              HasSubstr("$FLOAT stands for nothing in a migration"));
}

TEST_P(DatabaseMigrateTest, IsDoneOnceByProgramsThatStartTogether) {
  std::atomic<int> failures = 0;
  {
    std::vector<std::jthread> programs;
    for (int i = 0; i < 4; ++i) {
      programs.emplace_back([&] {
        auto db = Database::Open(place_->where(), Options{.patience = milliseconds(20'000)});
        failures += db && (*db)->Migrate("t", kSteps) ? 0 : 1;
      });
    }
  }
  EXPECT_EQ(failures, 0);
  EXPECT_EQ(Ask("SELECT a, b FROM t"), (std::vector<Row>{{Number(1), Number(2)}}));
}

}  // namespace
}  // namespace belljar::storage
