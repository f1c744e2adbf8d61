#include "run/file_kind.h"

#include <gtest/gtest.h>

#include <string>

namespace belljar::run {
namespace {

using namespace std::string_literals;

TEST(IsTextFile, TakesTextWithAFewNulsForText) {
  EXPECT_TRUE(IsTextFile("plain text\n"));
  EXPECT_TRUE(IsTextFile(""));
  EXPECT_TRUE(IsTextFile("HOME=/home/alice\0PATH=/usr/bin:/bin\0LANG=C.UTF-8\0"s));
  EXPECT_TRUE(IsTextFile(std::string(1000, 'x') + "\0 caf\xc3\xa9\n"s));
}

TEST(IsTextFile, LeavesBytesAlone) {
  EXPECT_FALSE(IsTextFile("a\0b\0c\0"s));  // UTF-16
  EXPECT_FALSE(IsTextFile("SQLite format 3\0"s + std::string(4000, 'x')));
  std::string archive = "notes.txt" + std::string(248, '\0') + "ustar" + std::string(250, '\0');
  EXPECT_FALSE(IsTextFile(archive + std::string(8000, 'x')));
  EXPECT_FALSE(IsTextFile("\x80\x04\x95\0"s + std::string(4000, 'x')));
  std::string noise;
  for (int i = 0; i < 4096; ++i) noise.push_back(static_cast<char>(i * 37));
  EXPECT_FALSE(IsTextFile(noise));
}

}  // namespace
}  // namespace belljar::run
