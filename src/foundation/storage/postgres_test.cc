// Failures that only PostgreSQL has: servers that stop, restart, hang, or refuse the login.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/storage/database.h"
#include "foundation/storage/postgres_server.h"

namespace belljar::storage {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

class PostgresTest : public testing::Test {
 protected:
  PostgresTest() : url_(server_.NewPlace()), db_(Connect({})) {
    EXPECT_TRUE(db_->Execute("CREATE TABLE t (a BIGINT)", {}));
  }
  std::unique_ptr<Database> Connect(const Options& options) {
    auto opened = Database::Open(url_, options);
    EXPECT_TRUE(opened) << opened.error().message();
    return *std::move(opened);
  }
  std::int64_t Count() {
    const auto rows = db_->Query("SELECT count(*) FROM t", {});
    return rows ? std::get<std::int64_t>((*rows)[0][0]) : -1;
  }
  // Ends the connection that `db_` uses, from the server's side.
  void CutConnection() {
    const auto pid = db_->Query("SELECT pg_backend_pid()", {});
    ASSERT_TRUE(pid);
    const auto other = Connect({});
    ASSERT_TRUE(other->Query("SELECT pg_terminate_backend($1::int, 10000)", (*pid)[0]));
  }

  PostgresServer& server_ = PostgresServer::Shared();
  const std::string url_;
  std::unique_ptr<Database> db_;
};

TEST_F(PostgresTest, ConnectsAgainOnTheNextUse) {
  CutConnection();
  EXPECT_TRUE(db_->Execute("INSERT INTO t VALUES (1)", {}));
  EXPECT_EQ(Count(), 1);
  CutConnection();
  EXPECT_TRUE(db_->Transaction([&]() -> Result<> {
    BJ_TRY(db_->Execute("INSERT INTO t VALUES (2)", {}));
    return {};
  }));
  EXPECT_EQ(Count(), 2);
}

TEST_F(PostgresTest, DoesNotGoOnWithATransactionThatLostItsConnection) {
  const auto broken = db_->Transaction([&]() -> Result<> {
    BJ_TRY(db_->Execute("INSERT INTO t VALUES (1)", {}));
    CutConnection();
    EXPECT_FALSE(db_->Execute("INSERT INTO t VALUES (2)", {}));
    EXPECT_FALSE(db_->Execute("INSERT INTO t VALUES (3)", {}));
    return {};
  });
  ASSERT_FALSE(broken);
  EXPECT_EQ(broken.error().kind(), Kind::kUnavailable);
  EXPECT_THAT(broken.error().message(),
              HasSubstr("the connection was lost, and nothing of the transaction was kept"));
  EXPECT_EQ(Count(), 0);
}

TEST_F(PostgresTest, NeverRepeatsAStatementWhoseFateIsUnknown) {
  // The connection breaks after the row is inserted and before the answer is sent.
  const auto lost = db_->Execute(
      "INSERT INTO t SELECT 1 FROM (SELECT pg_terminate_backend(pg_backend_pid())) AS cut", {});
  ASSERT_FALSE(lost);
  EXPECT_EQ(lost.error().kind(), Kind::kUnavailable);
  EXPECT_EQ(Count(), 0) << "neither kept nor sent again";
}

TEST_F(PostgresTest, SurvivesARestartOfTheServer) {
  ASSERT_TRUE(db_->Execute("INSERT INTO t VALUES (1)", {}));
  server_.Stop();
  const auto gone = db_->Execute("INSERT INTO t VALUES (2)", {});
  const auto still = db_->Transaction([]() -> Result<> { return {}; });
  server_.Start();
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().kind(), Kind::kUnavailable);
  EXPECT_THAT(gone.error().message(), HasSubstr("it cannot be reached"));
  EXPECT_FALSE(still);
  EXPECT_TRUE(db_->Execute("INSERT INTO t VALUES (3)", {}));
  EXPECT_EQ(Count(), 2);
}

TEST_F(PostgresTest, GivesUpOnAServerThatHangsAndSaysThatTheFateIsUnknown) {
  const auto hasty = Connect({.patience = milliseconds(50), .statement_limit = milliseconds(50)});
  server_.Freeze();
  const auto hung = hasty->Execute("INSERT INTO t VALUES (1)", {});
  server_.Thaw();
  ASSERT_FALSE(hung);
  EXPECT_EQ(hung.error().kind(), Kind::kUnavailable);
  EXPECT_THAT(hung.error().message(),
              HasSubstr("it gives no answer; whether the statement took effect is unknown"));
  EXPECT_TRUE(hasty->Query("SELECT 1", {}));
}

TEST_F(PostgresTest, SaysThatItIsReadOnlyOrOutOfSpace) {
  ASSERT_TRUE(db_->Query("SELECT set_config('default_transaction_read_only', 'on', false)", {}));
  const auto refused = db_->Execute("INSERT INTO t VALUES (1)", {});
  EXPECT_EQ(refused.error().kind(), Kind::kUnavailable);
  EXPECT_THAT(refused.error().message(), HasSubstr("it is read-only; nothing was changed"));
  ASSERT_TRUE(
      db_->Query("SELECT set_config('default_transaction_read_only', 'off', false), "
                 "set_config('temp_file_limit', '1', false), "
                 "set_config('work_mem', '64', false)",
                 {}));
  const auto full =
      db_->Query("SELECT n FROM generate_series(1, 300000) AS n ORDER BY md5(n::text) LIMIT 1", {});
  ASSERT_FALSE(full);
  EXPECT_EQ(full.error().kind(), Kind::kExhausted);
  EXPECT_TRUE(db_->Execute("INSERT INTO t VALUES (1)", {}));
}

TEST_F(PostgresTest, DoesNotWaitForReadersOfItsOwnTransactions) {
  const auto other = Connect({});
  const auto written = db_->Transaction([&]() -> Result<> {
    BJ_TRY(db_->Execute("INSERT INTO t VALUES (1)", {}));
    const auto seen = BJ_TRY(other->Query("SELECT a FROM t", {}));
    EXPECT_TRUE(seen.empty());
    return {};
  });
  EXPECT_TRUE(written);
}

TEST(PostgresUrl, NeverComesBackInAnError) {
  for (const char* url :
       {"postgresql://me:hush%zz@localhost/x", "postgresql://me:hush@[::1/x",
        "postgresql://me:hush@%2Fnonexistent/x", "postgresql://me:hush@localhost:99999/x",
        "postgresql://me:hush@localhost/x?nonsense=hush", "postgres://me:hush@%2Fnowhere:1/x"}) {
    const auto opened = Database::Open(url);
    ASSERT_FALSE(opened) << url;
    EXPECT_THAT(opened.error().message(),
                AllOf(Not(HasSubstr("hush")), HasSubstr("PostgreSQL database")));
  }
}

TEST(PostgresServer, ListensOnNoNetwork) {
  const auto opened = Database::Open(PostgresServer::Shared().url());
  EXPECT_EQ(*(*opened)->Query("SELECT current_setting('listen_addresses')", {}),
            (std::vector<Row>{{Value("")}}));
}

}  // namespace
}  // namespace belljar::storage
