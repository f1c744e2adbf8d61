#include <gtest/gtest.h>
#include <sqlite3.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "resource/database/transaction.h"

namespace belljar::resource::database {
namespace {

namespace fs = std::filesystem;

class SqliteFile : public testing::Test {
 protected:
  SqliteFile() {
    std::string made = (fs::temp_directory_path() / "belljar-db.XXXXXX").string();
    folder_ = ::mkdtemp(made.data());
    job_.place.where = (folder_ / "data.db").string();
    Make(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT NOT NULL); CREATE INDEX i ON t(v); CREATE "
        "VIEW w AS SELECT v FROM t;"
        "INSERT INTO t VALUES (1, 'one'), (2, 'two'), (9007199254740993, 'large');");
  }
  ~SqliteFile() override { fs::remove_all(folder_); }

  void Make(const char* sql) const {
    sqlite3* db = nullptr;
    ASSERT_EQ(::sqlite3_open(job_.place.where.c_str(), &db), SQLITE_OK);
    ASSERT_EQ(::sqlite3_exec(db, sql, nullptr, nullptr, nullptr), SQLITE_OK);
    ::sqlite3_close(db);
  }
  Result<Answer> Query(const std::string& sql, json::array params = {}) {
    return Run(Task::kQuery, sql, std::move(params));
  }
  Result<Answer> Run(Task task, const std::string& sql, json::array params = {}) {
    job_.task = task;
    job_.sql = sql;
    job_.params = std::move(params);
    open_.reset();
    open_ = BJ_TRY(BeginSqlite(job_));
    return open_->Run(job_);
  }
  Kind KindOfQuery(const std::string& sql) {
    const auto answer = Query(sql);
    EXPECT_FALSE(answer) << sql;
    return answer ? Kind::kInternal : answer.error().kind();
  }
  std::string Count() {
    open_.reset();
    return json::serialize(Query("SELECT count(*), group_concat(v) FROM t")->rows);
  }

  fs::path folder_;
  Job job_;
  std::unique_ptr<Transaction> open_;
};

std::string BytesOf(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST_F(SqliteFile, ALargeWriteReachesTheFileByItsCommitOnly) {
  const std::string before = BytesOf(job_.place.where);
  const auto answer = Run(Task::kWrite,
                          "WITH RECURSIVE n(i) AS (SELECT 10 UNION ALL SELECT i + 1 FROM n WHERE i "
                          "< 8000) INSERT INTO t SELECT i, hex(zeroblob(500)) FROM n");
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(BytesOf(job_.place.where), before);
}

TEST_F(SqliteFile, RowsThatATriggerChangesCountToo) {
  Make("CREATE TRIGGER g AFTER DELETE ON t BEGIN UPDATE t SET v = 'x' WHERE id = 2; END");
  const auto answer = Run(Task::kWrite, "DELETE FROM t WHERE id = 1");
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(answer->changed, 2u);
}

TEST_F(SqliteFile, AnswersWithNamesTypesAndExactValues) {
  const auto answer = Query("SELECT id, v, 1.5, x'00ff', NULL FROM t WHERE id >= ?", {3});
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(json::serialize(answer->rows),
            R"([[{"$int":"9007199254740993"},"large",1.5E0,{"$bytes":"AP8="},null]])");
  EXPECT_EQ(answer->columns[0], (json::value{{"name", "id"}, {"type", "INTEGER"}}));
  EXPECT_EQ(answer->changed, 0U);
}

TEST_F(SqliteFile, TakesParametersOfEveryKindAndNoOthers) {
  const auto answer = Query("SELECT ?, ?, ?, ?, typeof(?)",
                            {true, "a\0b'", json::value{{"$int", "9223372036854775807"}}, 0.5,
                             json::value{{"$bytes", "AP8="}}});
  ASSERT_TRUE(answer) << answer.error().message();
  EXPECT_EQ(answer->rows[0].at(2), (json::value{{"$int", "9223372036854775807"}}));
  EXPECT_EQ(answer->rows[0].at(4), json::value("blob"));
  EXPECT_FALSE(Query("SELECT ?", {}));
  EXPECT_FALSE(Query("SELECT 1", {1}));
  EXPECT_FALSE(Query("SELECT ?", {json::object()}));
  EXPECT_FALSE(Query("SELECT ?", {json::value{{"$int", "92233720368547758070"}}}));
}

TEST_F(SqliteFile, AQueryOnlyReads) {
  for (const char* const sql : {"DELETE FROM t",
                                "UPDATE t SET v = 1",
                                "INSERT INTO t VALUES (5, 'x')",
                                "DROP TABLE t",
                                "CREATE TEMP TABLE x(a)",
                                "PRAGMA query_only = OFF",
                                "PRAGMA journal_mode",
                                "ATTACH ':memory:' AS x",
                                "VACUUM INTO '/tmp/x'",
                                "COMMIT",
                                "BEGIN",
                                "SAVEPOINT a",
                                "ROLLBACK",
                                "REINDEX",
                                "ANALYZE",
                                "SELECT * FROM pragma_table_info('t')",
                                "SELECT load_extension('x')",
                                "SELECT fts3_tokenizer('simple')",
                                "WITH x AS (SELECT 1) DELETE FROM t",
                                "EXPLAIN DELETE FROM t"}) {
    EXPECT_FALSE(Query(sql)) << sql;
  }
  EXPECT_EQ(Count(), R"([[3,"one,two,large"]])");
}

TEST_F(SqliteFile, WhatIsNotAllowedIsDeniedAndNoMistake) {
  for (const char* const sql :
       {"DELETE FROM t", "CREATE TABLE x(a)", "PRAGMA journal_mode", "SELECT load_extension('x')",
        "SELECT * FROM pragma_table_info('t')", "SELECT * FROM pragma_database_list",
        "ATTACH ':memory:' AS x", "VACUUM", "VACUUM INTO '/tmp/x'", "EXPLAIN SELECT 1",
        "EXPLAIN QUERY PLAN SELECT 1", "SELECT * FROM t, pragma_table_info(t.v)"}) {
    EXPECT_EQ(KindOfQuery(sql), Kind::kDenied) << sql;
  }
  EXPECT_EQ(KindOfQuery("SELECT nothing FROM t"), Kind::kInvalid);
}

TEST_F(SqliteFile, VirtualTablesCanBeRead) {
  Make(
      "CREATE VIRTUAL TABLE five USING fts5(words); INSERT INTO five VALUES ('good day'), ('bye');"
      "CREATE VIRTUAL TABLE four USING fts4(words); INSERT INTO four VALUES ('good day');"
      "CREATE VIRTUAL TABLE terms USING fts5vocab(five, row)");
  const auto reads = [this](const std::string& sql) {
    const auto answer = Query(sql);
    return answer ? json::serialize(answer->rows) : answer.error().message();
  };
  EXPECT_EQ(reads("SELECT words FROM five WHERE five MATCH 'good'"), R"([["good day"]])");
  EXPECT_EQ(reads("SELECT highlight(five, 0, '<', '>') FROM five('bye')"), R"([["<bye>"]])");
  EXPECT_EQ(reads("SELECT words FROM four WHERE four MATCH 'good'"), R"([["good day"]])");
  EXPECT_EQ(reads("SELECT term FROM terms"), R"([["bye"],["day"],["good"]])");
  EXPECT_EQ(reads("SELECT value FROM json_each('[1,2]')"), "[[1],[2]]");
  EXPECT_EQ(reads("SELECT count(*) > 0 FROM dbstat"), "[[1]]");
}

TEST_F(SqliteFile, AQueryWritesThroughNoVirtualTable) {
  Make("CREATE VIRTUAL TABLE five USING fts5(words); INSERT INTO five VALUES ('good day')");
  const std::string before = BytesOf(job_.place.where);
  for (const char* const sql :
       {"INSERT INTO five VALUES ('x')", "INSERT INTO five(five) VALUES ('rebuild')",
        "INSERT INTO five(five) VALUES ('optimize')", "DELETE FROM five",
        "UPDATE five SET words = 'x'", "DROP TABLE five", "CREATE VIRTUAL TABLE x USING fts5(a)",
        "CREATE VIRTUAL TABLE temp.x USING fts5vocab(main, five, row)", "DELETE FROM five_data",
        "UPDATE sqlite_master SET type = 'x'", "UPDATE sqlite_schema SET type = 'x'",
        "SELECT * FROM sqlite_dbpage"}) {
    EXPECT_FALSE(Query(sql)) << sql;
    EXPECT_FALSE(std::string(sql).starts_with("UPDATE sqlite") && Run(Task::kWrite, sql)) << sql;
  }
  open_.reset();
  EXPECT_EQ(BytesOf(job_.place.where), before);
}

TEST_F(SqliteFile, OneStatementAtATime) {
  EXPECT_EQ(KindOfQuery("SELECT 1; DELETE FROM t"), Kind::kInvalid);
  EXPECT_EQ(KindOfQuery("SELECT 1; SELECT 2"), Kind::kInvalid);
  EXPECT_EQ(KindOfQuery("SELECT 1; nonsense"), Kind::kInvalid);
  EXPECT_EQ(KindOfQuery(" -- nothing"), Kind::kInvalid);
  EXPECT_TRUE(Query("SELECT 1; -- that was all"));
}

TEST_F(SqliteFile, EndsWhatTakesTooLong) {
  job_.bounds.timeout = std::chrono::milliseconds(50);
  EXPECT_EQ(KindOfQuery("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) "
                        "SELECT count(*) FROM n"),
            Kind::kExhausted);
}

TEST_F(SqliteFile, HoldsNoMoreThanItsBounds) {
  job_.bounds.max_rows = 10;
  const auto many =
      Query("WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n");
  ASSERT_TRUE(many) << many.error().message();
  EXPECT_TRUE(many->truncated);
  EXPECT_EQ(many->rows.size(), 10U);
  EXPECT_EQ(KindOfQuery("SELECT zeroblob(500000000)"), Kind::kExhausted);
  EXPECT_EQ(KindOfQuery("SELECT zeroblob(1500000)"), Kind::kExhausted);
}

TEST_F(SqliteFile, AWriteIsThereOnlyAfterItsCommit) {
  const auto written = Run(Task::kWrite, "UPDATE t SET v = v || ? WHERE id < 3 RETURNING v", {"!"});
  ASSERT_TRUE(written) << written.error().message();
  EXPECT_EQ(written->changed, 2U);
  EXPECT_EQ(json::serialize(written->rows), R"([["one!"],["two!"]])");
  EXPECT_EQ(Count(), R"([[3,"one,two,large"]])");
  ASSERT_TRUE(Run(Task::kWrite, "DELETE FROM t WHERE id = 1"));
  ASSERT_TRUE(open_->Commit());
  EXPECT_EQ(Count(), R"([[2,"two,large"]])");
}

TEST_F(SqliteFile, AWriteHasNoTransactionOfItsOwn) {
  for (const char* const sql :
       {"COMMIT", "END", "ROLLBACK", "SAVEPOINT a", "PRAGMA writable_schema=1",
        "ATTACH '/tmp/x' AS x", "DROP TABLE t", "CREATE TABLE x(a)", "VACUUM",
        "UPDATE sqlite_schema SET sql = ''"}) {
    EXPECT_FALSE(Run(Task::kWrite, sql)) << sql;
  }
  EXPECT_FALSE(Run(Task::kWrite, "DELETE FROM t; COMMIT"));
  EXPECT_EQ(Count(), R"([[3,"one,two,large"]])");
}

// A connection with write access would run recovery on a file whose log was left behind by a crash.
TEST_F(SqliteFile, AQueryChangesNoByteOfTheFile) {
  const fs::path left = folder_ / "left.db";
  sqlite3* db = nullptr;
  ASSERT_EQ(::sqlite3_open(job_.place.where.c_str(), &db), SQLITE_OK);
  ASSERT_EQ(::sqlite3_exec(db, "PRAGMA journal_mode = WAL; INSERT INTO t VALUES (4, 'four')",
                           nullptr, nullptr, nullptr),
            SQLITE_OK);
  fs::copy(job_.place.where, left);
  fs::copy(job_.place.where + "-wal", left.string() + "-wal");
  ::sqlite3_close(db);
  const auto bytes = [&left] {
    std::ifstream file(left, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  const std::string before = bytes();
  job_.place.where = left.string();
  EXPECT_EQ(Count(), R"([[4,"one,two,four,large"]])");
  open_.reset();
  EXPECT_EQ(bytes(), before);
  EXPECT_TRUE(fs::exists(left.string() + "-wal"));
}

TEST_F(SqliteFile, DescribesTablesAndViews) {
  const auto answer = Run(Task::kDescribe, "");
  ASSERT_TRUE(answer) << answer.error().message();
  ASSERT_EQ(answer->rows.size(), 2U);
  EXPECT_EQ(answer->rows[0].at("name"), json::value("t"));
  EXPECT_EQ(answer->rows[0].at("columns").at(1),
            (json::value{{"name", "v"}, {"type", "TEXT"}, {"nullable", false}}));
  EXPECT_EQ(answer->rows[1].at("kind"), json::value("view"));
}

TEST_F(SqliteFile, OpensRegularFilesThatAreThere) {
  const std::string real = job_.place.where;
  job_.place.where = (folder_ / "none.db").string();
  EXPECT_FALSE(Query("SELECT 1"));
  EXPECT_FALSE(Run(Task::kWrite, "SELECT 1"));
  EXPECT_FALSE(fs::exists(job_.place.where));
  fs::create_symlink(real, job_.place.where);
  EXPECT_FALSE(Query("SELECT 1"));
  job_.place.where = (folder_ / "noise").string();
  std::ofstream(job_.place.where) << std::string(4096, 'x');
  const auto noise = Query("SELECT * FROM t");
  ASSERT_FALSE(noise);
  EXPECT_EQ(noise.error().kind(), Kind::kUnavailable);
}

TEST_F(SqliteFile, ASchemaThatWasMadeToHarmCallsNothing) {
  Make("CREATE VIEW evil AS SELECT load_extension('/tmp/x')");
  EXPECT_FALSE(Query("SELECT * FROM evil"));
}

}  // namespace
}  // namespace belljar::resource::database
