#include "judgement/analysis/name_memory.h"

#include <gtest/gtest.h>

#include <string>

namespace belljar::judgement::analysis {
namespace {

// There are more names than slots, so that names evict each other and are looked up again.
TEST(NameMemory, AnswersForManyNamesAsTheirTableDoes) {
  NameMemory<std::size_t> memory;
  int asked = 0;
  const auto find = [&](std::string_view name) {
    ++asked;
    return name.size();
  };
  for (int round = 0; round < 3; ++round) {
    for (std::size_t length = 0; length < 60; ++length) {
      for (const char c : {'a', 'b', '.'}) {
        const std::string name(length, c);
        EXPECT_EQ(memory.Get(name, find), length);
      }
    }
  }
  EXPECT_GE(asked, 60 * 3);
}

TEST(NameMemory, DoesNotAskAgainForTheLastName) {
  NameMemory<int> memory;
  int asked = 0;
  const auto find = [&](std::string_view) { return ++asked; };
  EXPECT_EQ(memory.Get("os.path.join", find), 1);
  EXPECT_EQ(memory.Get("os.path.join", find), 1);
  EXPECT_EQ(memory.Get(std::string(200, 'x'), find), 2);
  EXPECT_EQ(memory.Get(std::string(200, 'x'), find), 3);  // too long to be cached
}

TEST(MixedName, TellsNamesApartThatDifferAnywhere) {
  const std::string name(40, 'n');
  for (std::size_t i = 0; i < name.size(); ++i) {
    std::string other = name;
    other[i] = 'm';
    EXPECT_NE(MixedName(other), MixedName(name)) << i;
  }
  EXPECT_NE(MixedName("a"), MixedName(std::string("a\0", 2)));
}

}  // namespace
}  // namespace belljar::judgement::analysis
