#include "judgement/approval/approvals_suite.h"

namespace belljar::judgement::approval {
namespace {

class ApprovalsInSqlite final : public storage::Place {
 public:
  std::string where() const override { return "sqlite:" + dir_.path("belljar.db"); }

 private:
  storage::ScratchDir dir_;
};

const auto kInSqlite = testing::Values(
    storage::KindOfPlace{"sqlite", [] { return std::make_unique<ApprovalsInSqlite>(); }});

INSTANTIATE_TEST_SUITE_P(Sqlite, ApprovalsTest, kInSqlite);
INSTANTIATE_TEST_SUITE_P(Sqlite, ApprovalsAnswerTest, kInSqlite);
INSTANTIATE_TEST_SUITE_P(Sqlite, ApprovalsTamperTest, kInSqlite);

}  // namespace
}  // namespace belljar::judgement::approval
