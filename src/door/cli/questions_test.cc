#include "door/cli/questions.h"

#include <gtest/gtest.h>

#include <filesystem>

#include "foundation/storage/scratch.h"

namespace belljar::door::cli {
namespace {

TEST(OpenedWhenAsked, TouchesNoDatabaseBeforeAQuestionIsPut) {
  const storage::ScratchDir dir;
  OpenedWhenAsked questions(dir.path("state"));
  EXPECT_EQ(questions.IfOpen(), nullptr);
  EXPECT_FALSE(std::filesystem::exists(dir.path("state")));
  const auto opened = questions.Open();
  ASSERT_TRUE(opened) << opened.error().message();
  EXPECT_EQ(questions.IfOpen(), *opened);
  EXPECT_EQ(*questions.Open(), *opened) << "one store for all questions";
}

}  // namespace
}  // namespace belljar::door::cli
