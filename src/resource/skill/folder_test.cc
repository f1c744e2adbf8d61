#include "resource/skill/folder.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "foundation/storage/scratch.h"
#include "resource/skill/skill.h"

namespace belljar::resource::skill {
namespace {

using testing::HasSubstr;

class SkillFolderTest : public testing::Test {
 protected:
  void Write(const std::string& name, std::string_view text) {
    std::ofstream(dir_.path(name)) << text;
  }
  std::string Complaint(std::string_view toml) {
    Write("skill.toml", toml);
    const auto read = ReadSkillFolder(dir_.path(""));
    return read ? "none" : read.error().message();
  }
  storage::ScratchDir dir_;
};

TEST_F(SkillFolderTest, BecomesADefinition) {
  Write("main.py", "print(1)\n");
  Write("in.json", R"({"type":"object"})");
  Write("skill.toml",
        "name = 'count'\ndescription = 'counts'\ncode = 'main.py'\nlevel = 'strict'\n"
        "threshold = 0.8\ninput_schema = 'in.json'\n[limits]\ntimeout = '5s'\nmemory = 67108864\n"
        "[output_schema]\ntype = 'array'\nitems = { type = 'integer', minimum = 0 }\n");
  const auto read = ReadSkillFolder(dir_.path(""));
  ASSERT_TRUE(read) << read.error().message();
  EXPECT_EQ(read->code_file, "main.py");
  EXPECT_EQ(json::serialize(read->definition.at("input_schema")), R"({"type":"object"})");
  EXPECT_EQ(json::serialize(read->definition.at("output_schema").at("items").at("minimum")), "0");
  EXPECT_EQ(read->definition.at("timeout"), "5s");
  EXPECT_EQ(read->definition.at("memory"), 67108864);
  EXPECT_EQ(read->definition.at("code"), "print(1)\n");
  EXPECT_FALSE(read->definition.contains("limits"));
}

TEST_F(SkillFolderTest, NamesTheLineOfAMistake) {
  Write("main.py", "1");
  EXPECT_THAT(Complaint("name = 'a'\n"), HasSubstr("code = \"main.py\""));
  EXPECT_THAT(Complaint("name = 'a'\ncodes = 'main.py'\n"), HasSubstr("line 2: \"codes\""));
  EXPECT_THAT(Complaint("name = \n"), HasSubstr("line 1"));
  EXPECT_THAT(Complaint("code = 'other.py'\n"), HasSubstr("other.py"));
  EXPECT_THAT(Complaint("code = 'main.py'\nname = 2020-01-01\n"), HasSubstr("no time or date"));
  EXPECT_THAT(Complaint("code = 'main.py'\n[limits]\ncode = 'x'\n"), HasSubstr("no limit"));
  EXPECT_THAT(Complaint("code = 'main.py'\ninput_schema = 'main.py.json'\n"),
              HasSubstr("input_schema"));
}

TEST_F(SkillFolderTest, ReadsNothingOutsideIt) {
  std::filesystem::create_directory(dir_.path("in"));
  Write("secret", "x");
  for (const char* const name : {"../secret", "/etc/hostname", "link"}) {
    std::filesystem::remove(dir_.path("in/link"));
    std::filesystem::create_symlink("../secret", dir_.path("in/link"));
    std::ofstream(dir_.path("in/skill.toml")) << "code = '" << name << "'\n";
    EXPECT_FALSE(ReadSkillFolder(dir_.path("in"))) << name;
  }
  EXPECT_FALSE(ReadSkillFolder(dir_.path("nowhere")));
}

}  // namespace
}  // namespace belljar::resource::skill
