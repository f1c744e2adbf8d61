#include "run/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belljar::run {
namespace {

using ::testing::HasSubstr;

TEST(AdviceFor, KnowsWhatUsuallyGoesWrongInACell) {
  struct Row {
    cell::guest::GuestError error;
    const char* says;
  };
  for (const Row& row : {
           Row{{"ModuleNotFoundError", "No module named 'lxml'", ""}, "\"lxml\""},
           Row{{"Error", "Cannot find module 'lodash'\nRequire stack:", ""}, "\"lodash\""},
           Row{{"Error", "Cannot find module 'lodash'\nRequire stack:", ""}, "node_modules"},
           Row{{"Error", "Cannot find package 'left-pad' imported from /workspace/main.mjs", ""},
               "node_modules"},
           Row{{"MemoryError", "", ""}, "memory"},
           Row{{"PermissionError", "[Errno 13] Permission denied: '/etc'", ""}, "workspace"},
           Row{{"OSError", "[Errno 30] Read-only file system: '/usr/x'", ""}, "workspace"},
           Row{{"OSError", "[Errno 101] Network is unreachable", ""}, "no network"},
           Row{{"OSError", "[Errno 28] No space left on device", ""}, "workspace"},
       }) {
    EXPECT_THAT(AdviceFor(row.error), HasSubstr(row.says)) << row.error.type;
  }
}

TEST(AdviceFor, SaysNothingOfWhatItDoesNotKnow) {
  EXPECT_EQ(AdviceFor({"ValueError", "no", ""}), "");
  EXPECT_EQ(AdviceFor({"ModuleNotFoundError", "no quotes here", ""}), "");
}

}  // namespace
}  // namespace belljar::run
