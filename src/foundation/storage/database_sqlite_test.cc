#include "foundation/storage/database_suite.h"
#include "foundation/storage/scratch.h"

namespace belljar::storage {
namespace {

class SqlitePlace final : public Place {
 public:
  std::string where() const override { return "sqlite:" + dir_.path("test.db"); }

 private:
  ScratchDir dir_;
};

const auto kSqlite =
    testing::Values(KindOfPlace{"sqlite", [] { return std::make_unique<SqlitePlace>(); }});

INSTANTIATE_TEST_SUITE_P(Sqlite, DatabaseTest, kSqlite);
INSTANTIATE_TEST_SUITE_P(Sqlite, DatabaseMigrateTest, kSqlite);

}  // namespace
}  // namespace belljar::storage
