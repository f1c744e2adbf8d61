#include "resource/skill/registry_suite.h"

namespace belljar::resource::skill {
namespace {

class RegistryInSqlite final : public storage::Place {
 public:
  std::string where() const override { return "sqlite:" + dir_.path("belljar.db"); }

 private:
  storage::ScratchDir dir_;
};

const auto kRegistryInSqlite = testing::Values(
    storage::KindOfPlace{"sqlite", [] { return std::make_unique<RegistryInSqlite>(); }});

INSTANTIATE_TEST_SUITE_P(Sqlite, RegistryTest, kRegistryInSqlite);
INSTANTIATE_TEST_SUITE_P(Sqlite, RegistryHealthTest, kRegistryInSqlite);
INSTANTIATE_TEST_SUITE_P(Sqlite, RegistryCodeTest, kRegistryInSqlite);
INSTANTIATE_TEST_SUITE_P(Sqlite, RegistryTamperTest, kRegistryInSqlite);

}  // namespace
}  // namespace belljar::resource::skill
