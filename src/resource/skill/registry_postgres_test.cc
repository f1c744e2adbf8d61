#include "skills/registry_suite.h"
#include "storage/postgres_server.h"

namespace belljar::skills {
namespace {

class RegistryInPostgres final : public storage::Place {
 public:
  std::string where() const override { return url_; }

 private:
  const std::string url_ = storage::PostgresServer::Shared().NewPlace();
};

const auto kRegistryInPostgres = testing::Values(
    storage::KindOfPlace{"postgres", [] { return std::make_unique<RegistryInPostgres>(); }});

INSTANTIATE_TEST_SUITE_P(Postgres, RegistryTest, kRegistryInPostgres);
INSTANTIATE_TEST_SUITE_P(Postgres, RegistryHealthTest, kRegistryInPostgres);
INSTANTIATE_TEST_SUITE_P(Postgres, RegistryCodeTest, kRegistryInPostgres);
INSTANTIATE_TEST_SUITE_P(Postgres, RegistryTamperTest, kRegistryInPostgres);

}  // namespace
}  // namespace belljar::skills
