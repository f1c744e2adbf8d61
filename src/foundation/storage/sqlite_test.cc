#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <fstream>
#include <thread>

#include "foundation/storage/database.h"
#include "foundation/storage/scratch.h"

namespace belljar::storage {
namespace {

using testing::HasSubstr;

class SqliteTest : public testing::Test {
 protected:
  Result<std::unique_ptr<Database>> Open(const std::string& name) {
    return Database::Open("sqlite:" + dir_.path(name), Options{.patience = {}});
  }
  mode_t ModeOf(const std::string& name) {
    struct stat info {};
    EXPECT_EQ(::stat(dir_.path(name).c_str(), &info), 0) << name;
    return info.st_mode & 07777;
  }

  ScratchDir dir_;
};

TEST_F(SqliteTest, KeepsItsFilesFromOtherUsers) {
  const mode_t before = ::umask(0);
  const auto db = Open("x.db");
  ::umask(before);
  ASSERT_TRUE(db) << db.error().message();
  ASSERT_TRUE((*db)->Execute("CREATE TABLE t (a BIGINT)", {}));
  for (const char* name : {"x.db", "x.db-wal", "x.db-shm"}) EXPECT_EQ(ModeOf(name), 0600U) << name;
}

TEST_F(SqliteTest, NamesWhatCannotBeOpened) {
  const auto missing = Open("nowhere/x.db");
  EXPECT_EQ(missing.error().kind(), Kind::kUnavailable);
  EXPECT_THAT(missing.error().message(), HasSubstr("nowhere/x.db: No such file or directory"));
  std::ofstream(dir_.path("text")) << std::string(4096, 'x');
  const auto text = Open("text");
  EXPECT_EQ(text.error().kind(), Kind::kInvalid);
  EXPECT_THAT(text.error().message(), HasSubstr("/text: the file is not an SQLite database"));
  EXPECT_EQ(Database::Open("sqlite:relative.db").error().message(),
            "sqlite: must be followed by an absolute path");
  EXPECT_EQ(Database::Open("mysql://x").error().kind(), Kind::kInvalid);
  EXPECT_EQ(Database::Open(std::string("sqlite:/x\0y", 11)).error().kind(), Kind::kInvalid);
}

TEST_F(SqliteTest, CanBeOpenedByManyAtOnceWhenItIsNew) {
  std::atomic<int> failures = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 8; ++i) {
      threads.emplace_back([&] {
        const auto db = Database::Open("sqlite:" + dir_.path("new.db"));
        if (!db) ADD_FAILURE() << db.error().message();
        failures += db ? 0 : 1;
      });
    }
  }
  EXPECT_EQ(failures, 0);
}

// max_page_count makes SQLite report a full disk.
TEST_F(SqliteTest, LosesNothingWhenSpaceEndsAndGoesOnWhenThereIsSomeAgain) {
  const auto opened = Open("x.db");
  Database& db = **opened;
  ASSERT_TRUE(db.Execute("CREATE TABLE t (body BLOB)", {}));
  ASSERT_TRUE(db.Execute("INSERT INTO t VALUES (zeroblob(100))", {}));
  ASSERT_TRUE(db.Query("PRAGMA max_page_count = 4", {}));
  const auto full = db.Transaction([&]() -> Result<> {
    BJ_TRY(db.Execute("INSERT INTO t VALUES (zeroblob(200))", {}));
    EXPECT_FALSE(db.Execute("INSERT INTO t VALUES (zeroblob(100000))", {}));
    // SQLite has rolled back already: this statement alone must not be kept.
    EXPECT_FALSE(db.Execute("INSERT INTO t VALUES (zeroblob(300))", {}));
    return {};
  });
  EXPECT_EQ(full.error().kind(), Kind::kExhausted);
  EXPECT_THAT(full.error().message(), HasSubstr("no space is left for it; nothing was changed"));
  EXPECT_EQ(*db.Query("SELECT length(body) FROM t", {}),
            (std::vector<Row>{{Value(std::int64_t{100})}}));
  ASSERT_TRUE(db.Query("PRAGMA max_page_count = 100000", {}));
  EXPECT_TRUE(db.Execute("INSERT INTO t VALUES (zeroblob(100000))", {}));
}

TEST_F(SqliteTest, SaysThatItIsReadOnly) {
  const auto opened = Open("x.db");
  Database& db = **opened;
  ASSERT_TRUE(db.Execute("CREATE TABLE t (a BIGINT)", {}));
  ASSERT_TRUE(db.Query("PRAGMA query_only = ON", {}));
  const auto refused = db.Execute("INSERT INTO t VALUES (1)", {});
  EXPECT_EQ(refused.error().kind(), Kind::kUnavailable);
  EXPECT_THAT(refused.error().message(), HasSubstr("it is read-only; nothing was changed"));
  ASSERT_TRUE(db.Query("PRAGMA query_only = OFF", {}));
  EXPECT_TRUE(db.Execute("INSERT INTO t VALUES (1)", {}));
}

TEST_F(SqliteTest, MakesCommitsDurable) {
  const auto opened = Open("x.db");
  EXPECT_EQ(*(*opened)->Query("PRAGMA synchronous", {}),
            (std::vector<Row>{{Value(std::int64_t{2})}}));
  EXPECT_EQ(*(*opened)->Query("PRAGMA journal_mode", {}), (std::vector<Row>{{Value("wal")}}));
}

TEST_F(SqliteTest, RefusesPlaceholdersThatPostgresDoesNotKnow) {
  const auto opened = Open("x.db");
  const std::vector<Value> one = {Value(std::int64_t{1})};
  for (const char* sql : {"SELECT ?", "SELECT ?1", "SELECT :a", "SELECT @a", "SELECT $a"}) {
    EXPECT_EQ((*opened)->Query(sql, one).error().kind(), Kind::kInvalid) << sql;
  }
}

}  // namespace
}  // namespace belljar::storage
