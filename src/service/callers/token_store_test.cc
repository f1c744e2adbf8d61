#include "service/callers/token_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "foundation/storage/scratch.h"
#include "service/callers/fake_clock.h"

namespace belljar::service::callers {
namespace {

using std::chrono::milliseconds;
using storage::Database;
using testing::HasSubstr;

constexpr uid_t kDaemon = 4000;
constexpr Scopes kRunAndAudit = {Scope::kRun, Scope::kAudit};
constexpr Quotas kSome = {3, 4, 50, 6U << 20};

class TokenStoreTest : public testing::Test {
 protected:
  // Separate connections, as two processes would have.
  std::unique_ptr<Database> Connect() {
    return *Database::Open("sqlite:" + dir_.path("belljar.db"),
                           storage::Options{.patience = milliseconds(0)});
  }
  std::unique_ptr<TokenStore> Open(Database& database) {
    auto store = TokenStore::Open(database, kDaemon, clock_.now());
    EXPECT_TRUE(store) << store.error().message();
    return *std::move(store);
  }

  storage::ScratchDir dir_;
  FakeClock clock_;
  std::unique_ptr<Database> database_ = Connect();
  std::unique_ptr<TokenStore> store_ = Open(*database_);
};

TEST_F(TokenStoreTest, KnowsTheCallerByItsToken) {
  const std::string token = *store_->Add("ci", kRunAndAudit, kSome);
  ASSERT_TRUE(store_->Add("other", {Scope::kAdmin}, {}));
  EXPECT_EQ(*store_->Find(token), (Caller{"ci", kRunAndAudit, kSome}));
}

TEST_F(TokenStoreTest, KnowsNobodyByAnythingElse) {
  const std::string token = *store_->Add("ci", kRunAndAudit, kSome);
  std::string changed = token;
  changed.back() = changed.back() == 'A' ? 'B' : 'A';
  for (const std::string& presented : {std::string(), std::string("ci"), changed, token + "A",
                                       token.substr(0, 45), *MakeToken()}) {
    EXPECT_EQ(*store_->Find(presented), std::nullopt) << presented;
  }
}

TEST_F(TokenStoreTest, KeepsNoTokenAnywhereInTheDatabase) {
  const std::string token = *store_->Add("ci", kRunAndAudit, kSome);
  const auto rows = *database_->Query("SELECT * FROM callers", {});
  ASSERT_EQ(rows.size(), 1U);
  for (const storage::Value& value : rows[0]) {
    if (const auto* const text = std::get_if<std::string>(&value)) {
      EXPECT_THAT(*text, testing::Not(HasSubstr(token.substr(3, 10))));
    }
    if (const auto* const blob = std::get_if<storage::Blob>(&value)) {
      EXPECT_THAT(blob->bytes, testing::Not(HasSubstr(token.substr(3, 10))));
    }
  }
}

TEST_F(TokenStoreTest, ForgetsARemovedCallerAtOnce) {
  const std::string token = *store_->Add("ci", kRunAndAudit, kSome);
  ASSERT_TRUE(store_->Find(token)->has_value());
  ASSERT_TRUE(store_->Remove("ci"));
  EXPECT_EQ(*store_->Find(token), std::nullopt);
  EXPECT_EQ(store_->Remove("ci").error().kind(), Kind::kNotFound);
}

TEST_F(TokenStoreTest, SeesWithinASecondWhatAnotherProcessChanges) {
  const auto their_database = Connect();
  const auto theirs = Open(*their_database);
  ASSERT_EQ(*store_->Find(*MakeToken()), std::nullopt);
  const std::string token = *theirs->Add("ci", kRunAndAudit, kSome);
  clock_.Pass(TokenStore::kFreshness);
  EXPECT_TRUE(store_->Find(token)->has_value());
  ASSERT_TRUE(theirs->Remove("ci"));
  clock_.Pass(TokenStore::kFreshness);
  EXPECT_EQ(*store_->Find(token), std::nullopt);
}

TEST_F(TokenStoreTest, AsksTheDatabaseOnceASecondHoweverManyAskIt) {
  const std::string token = *store_->Add("ci", kRunAndAudit, kSome);
  ASSERT_TRUE(store_->Find(token)->has_value());
  // The missing table is noticed only by the next lookup that reads the number.
  ASSERT_TRUE(database_->Execute("ALTER TABLE callers_change RENAME TO gone", {}));
  clock_.Pass(TokenStore::kFreshness - milliseconds(1));
  for (int i = 0; i < 100; ++i) EXPECT_TRUE(store_->Find(token)->has_value());
  clock_.Pass(milliseconds(1));
  EXPECT_FALSE(store_->Find(token)) << "what may have been revoked is not trusted";
  ASSERT_TRUE(database_->Execute("ALTER TABLE gone RENAME TO callers_change", {}));
  EXPECT_TRUE(store_->Find(token)->has_value());
}

TEST_F(TokenStoreTest, RefusesASecondCallerOfTheSameName) {
  const std::string token = *store_->Add("ci", kRunAndAudit, kSome);
  const auto again = store_->Add("ci", {Scope::kAdmin}, {});
  EXPECT_EQ(again.error().kind(), Kind::kInvalid);
  EXPECT_EQ(again.error().message(), "there is already a caller ci: remove it first");
  EXPECT_EQ((*store_->Find(token))->scopes, kRunAndAudit);
}

TEST_F(TokenStoreTest, RefusesNamesScopesAndQuotasThatMakeNoSense) {
  EXPECT_FALSE(store_->Add("uid:0", kRunAndAudit, {}));
  EXPECT_FALSE(store_->Add("", kRunAndAudit, {}));
  EXPECT_FALSE(store_->Add("ci", {}, {}));
  EXPECT_FALSE(store_->Add("ci", kRunAndAudit, Quotas::Unlimited()));
  EXPECT_TRUE(store_->List()->empty());
}

TEST_F(TokenStoreTest, ListsCallersByName) {
  ASSERT_TRUE(store_->Add("b", kRunAndAudit, kSome));
  ASSERT_TRUE(store_->Grant(1000, {Scope::kRun}, {}));
  ASSERT_TRUE(store_->Add("a", {Scope::kAdmin}, {}));
  const auto entries = *store_->List();
  ASSERT_EQ(entries.size(), 3U);
  EXPECT_EQ(entries[0].caller, (Caller{"a", {Scope::kAdmin}, {}}));
  EXPECT_EQ(entries[1].caller, (Caller{"b", kRunAndAudit, kSome}));
  EXPECT_EQ(entries[2].caller, (Caller{"uid:1000", {Scope::kRun}, {}}));
  EXPECT_GT(entries[0].created, 1'700'000'000);
}

TEST_F(TokenStoreTest, TrustsRootAndItsOwnUserWithEverything) {
  for (const uid_t uid : {uid_t{0}, kDaemon}) {
    EXPECT_EQ(*store_->FindUid(uid), (Caller{UidName(uid), Scopes::All(), Quotas::Unlimited()}));
  }
}

TEST_F(TokenStoreTest, GivesOtherUsersWhatWasGrantedAndOtherwiseNothing) {
  EXPECT_EQ(*store_->FindUid(1000), std::nullopt);
  ASSERT_TRUE(store_->Grant(1000, {Scope::kRun}, kSome));
  EXPECT_EQ(*store_->FindUid(1000), (Caller{"uid:1000", {Scope::kRun}, kSome}));
  EXPECT_EQ(*store_->FindUid(1001), std::nullopt);
  ASSERT_TRUE(store_->Remove("uid:1000"));
  EXPECT_EQ(*store_->FindUid(1000), std::nullopt);
}

TEST_F(TokenStoreTest, TakesNoPartOfADamagedTable) {
  const std::string token = *store_->Add("ci", kRunAndAudit, kSome);
  ASSERT_TRUE(database_->Execute("UPDATE callers SET scopes = 'everything'", {}));
  EXPECT_FALSE(store_->Find(token));
  ASSERT_TRUE(database_->Execute("UPDATE callers SET scopes = 'run', sessions = -1", {}));
  EXPECT_EQ(store_->Find(token).error().kind(), Kind::kInternal);
  ASSERT_TRUE(database_->Execute("UPDATE callers SET sessions = 1, digest = 'short'", {}));
  EXPECT_FALSE(store_->Find(token));
}

TEST_F(TokenStoreTest, SaysThatTheDatabaseIsLockedAndChangesNothing) {
  const auto other = Connect();
  const auto held = other->Transaction([&]() -> Result<> {
    const auto refused = store_->Add("ci", kRunAndAudit, kSome);
    EXPECT_TRUE(!refused && refused.error().kind() == Kind::kUnavailable);
    return {};
  });
  ASSERT_TRUE(held);
  EXPECT_TRUE(store_->List()->empty());
  EXPECT_TRUE(store_->Add("ci", kRunAndAudit, kSome));
}

}  // namespace
}  // namespace belljar::service::callers
