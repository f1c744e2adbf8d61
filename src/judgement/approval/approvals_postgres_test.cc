#include "foundation/storage/postgres_server.h"
#include "judgement/approval/approvals_suite.h"

namespace belljar::judgement::approval {
namespace {

class ApprovalsInPostgres final : public storage::Place {
 public:
  std::string where() const override { return url_; }

 private:
  const std::string url_ = storage::PostgresServer::Shared().NewPlace();
};

const auto kInPostgres = testing::Values(
    storage::KindOfPlace{"postgres", [] { return std::make_unique<ApprovalsInPostgres>(); }});

INSTANTIATE_TEST_SUITE_P(Postgres, ApprovalsTest, kInPostgres);
INSTANTIATE_TEST_SUITE_P(Postgres, ApprovalsAnswerTest, kInPostgres);
INSTANTIATE_TEST_SUITE_P(Postgres, ApprovalsTamperTest, kInPostgres);

}  // namespace
}  // namespace belljar::judgement::approval
