#include "foundation/storage/database_suite.h"
#include "foundation/storage/postgres_server.h"

namespace belljar::storage {
namespace {

class PostgresPlace final : public Place {
 public:
  std::string where() const override { return url_; }

 private:
  const std::string url_ = PostgresServer::Shared().NewPlace();
};

const auto kPostgres =
    testing::Values(KindOfPlace{"postgres", [] { return std::make_unique<PostgresPlace>(); }});

INSTANTIATE_TEST_SUITE_P(Postgres, DatabaseTest, kPostgres);
INSTANTIATE_TEST_SUITE_P(Postgres, DatabaseMigrateTest, kPostgres);

}  // namespace
}  // namespace belljar::storage
