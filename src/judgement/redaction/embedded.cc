#include "foundation/base/embed.h"
#include "judgement/redaction/compiled.h"

// CMake defines BJ_DATABASE_PATH.
BJ_EMBED(bj_redact_database_0, BJ_DATABASE_PATH "0");
BJ_EMBED(bj_redact_database_1, BJ_DATABASE_PATH "1");
BJ_EMBED(bj_redact_database_2, BJ_DATABASE_PATH "2");

namespace belljar::judgement::redaction {
std::span<const std::string_view> EmbeddedDatabases() {
  static const std::string_view kDatabases[] = {
      Between(bj_redact_database_0_begin, bj_redact_database_0_end),
      Between(bj_redact_database_1_begin, bj_redact_database_1_end),
      Between(bj_redact_database_2_begin, bj_redact_database_2_end)};
  return kDatabases;
}

}  // namespace belljar::judgement::redaction
