#include "foundation/storage/postgres_server.h"
#include "resource/skill/registry_suite.h"

namespace belljar::resource::skill {
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
}  // namespace belljar::resource::skill
