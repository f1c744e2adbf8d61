#include "cell/image/venv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cell/image/scratch.h"

namespace belljar::cell::image {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ParseVenvConfig, ReadsKeysWhateverTheirCaseAndSpacing) {
  const auto config = ParseVenvConfig(
      "Home=/opt/py/bin\r\nversion_info =  3.12.1\nInclude-System-Site-Packages = TRUE\nnoise\n");
  ASSERT_TRUE(config);
  EXPECT_EQ(config->home, "/opt/py/bin");
  EXPECT_EQ(config->version, "3.12.1");
  EXPECT_EQ(config->system_packages, VenvConfig::SystemPackages::kYes);
}

TEST(ParseVenvConfig, NeedsAnAbsoluteHomeAndAVersion) {
  EXPECT_FALSE(ParseVenvConfig("home = bin\nversion = 3.12\n"));
  EXPECT_FALSE(ParseVenvConfig("home = /bin\n"));
  EXPECT_FALSE(ParseVenvConfig(""));
}

class AddVenvTest : public testing::Test {
 protected:
  AddVenvTest() {
    host_.Write("opt/py/bin/python3.12", "", 0755);
    host_.MakeLink("opt/py/bin/python3", "python3.12");
    host_.Write("opt/py/lib/python3.12/os.py", "");
    host_.MakeDir("opt/py/lib/python3.12/lib-dynload");
    host_.Write("opt/py/lib/python3.12/site-packages/base.py", "");
    MakeVenv("srv/venv", "home = /opt/py/bin\nversion = 3.12.1\n");
  }
  void MakeVenv(const std::string& dir, const std::string& config) const {
    host_.Write(dir + "/pyvenv.cfg", config);
    host_.Write(dir + "/lib/python3.12/site-packages/own.py", "");
    host_.Write(dir + "/lib/python3.12/site-packages/own.pth", "import os");
  }
  Result<> Add(const std::string& venv) { return AddVenv(Root(host_.path()), venv, plan_, image_); }
  std::string Failure(const std::string& venv) {
    const auto added = Add(venv);
    return added ? "" : added.error().message();
  }

  Scratch host_;
  FilePlan plan_;
  Image image_;
};

TEST_F(AddVenvTest, KeepsTheBaseAndThePackagesAtTheirPaths) {
  ASSERT_EQ(Failure("/srv/venv"), "");
  EXPECT_EQ(image_.python, "/opt/py/bin/python3.12");
  EXPECT_EQ(image_.python_version, "3.12.1");
  EXPECT_THAT(image_.python_paths,
              ElementsAre("/opt/py/lib/python3.12", "/opt/py/lib/python3.12/lib-dynload",
                          "/srv/venv/lib/python3.12/site-packages"));
  EXPECT_TRUE(plan_.Has("/opt/py/bin/python3.12"));
  EXPECT_TRUE(plan_.Has("/srv/venv/lib/python3.12/site-packages/own.py"));
}

TEST_F(AddVenvTest, LeavesOutPathFilesAndThePackagesOfTheBase) {
  ASSERT_EQ(Failure("/srv/venv"), "");
  EXPECT_FALSE(plan_.Has("/srv/venv/lib/python3.12/site-packages/own.pth"));
  EXPECT_FALSE(plan_.Has("/opt/py/lib/python3.12/site-packages/base.py"));
}

TEST_F(AddVenvTest, TakesThePackagesOfTheBaseLastWhenTheVirtualenvSaysSo) {
  MakeVenv("srv/sys",
           "home = /opt/py/bin\nversion = 3.12.1\ninclude-system-site-packages = true\n");
  ASSERT_EQ(Failure("/srv/sys"), "");
  EXPECT_EQ(image_.python_paths.back(), "/opt/py/lib/python3.12/site-packages");
  EXPECT_TRUE(plan_.Has("/opt/py/lib/python3.12/site-packages/base.py"));
}

TEST_F(AddVenvTest, MovesPackagesOutOfAPlaceThatACellMountsOver) {
  MakeVenv("tmp/venv", "home = /opt/py/bin\nversion = 3.12.1\n");
  ASSERT_EQ(Failure("/tmp/venv"), "");
  EXPECT_EQ(image_.python_paths.back(), "/venv/lib/python3.12/site-packages");
  EXPECT_TRUE(plan_.Has("/venv/lib/python3.12/site-packages/own.py"));
  EXPECT_FALSE(plan_.Has("/tmp"));
}

TEST_F(AddVenvTest, TellsTheInterpretersThatAProgramStartsWhereThePackagesAre) {
  MakeVenv("tmp/venv", "home = /opt/py/bin\nversion = 3.12.1\n");
  ASSERT_EQ(Failure("/tmp/venv"), "");
  const auto& entries = plan_.entries();
  const auto told = entries.find("/opt/py/lib/python3.12/site-packages/belljar-venv.pth");
  ASSERT_NE(told, entries.end());
  EXPECT_EQ(told->second.from, "/venv/lib/python3.12/site-packages\n");
}

TEST_F(AddVenvTest, RefusesABaseThatACellWouldMountOver) {
  host_.Write("tmp/py/bin/python3.12", "", 0755);
  host_.Write("tmp/py/lib/python3.12/os.py", "");
  MakeVenv("srv/bad", "home = /tmp/py/bin\nversion = 3.12.1\n");
  EXPECT_THAT(Failure("/srv/bad"),
              HasSubstr("/tmp/py/bin/python3.12 lies where a cell has its own"));
}

TEST_F(AddVenvTest, FollowsALinkedHomeAndKeepsTheLink) {
  host_.MakeLink("opt/current", "py");
  MakeVenv("srv/linked", "home = /opt/current/bin\nversion = 3.12.1\n");
  ASSERT_EQ(Failure("/srv/linked"), "");
  EXPECT_EQ(image_.python, "/opt/py/bin/python3.12");
  EXPECT_EQ(plan_.entries().at("/opt/current").from, "py");
}

TEST_F(AddVenvTest, RefusesPythonBeforeThreeEight) {
  MakeVenv("srv/old", "home = /opt/py/bin\nversion = 3.7.16\n");
  EXPECT_EQ(Failure("/srv/old"),
            "/srv/old: Python 3.7.16 cannot be used in an image: 3.8 is the oldest that can");
}

TEST_F(AddVenvTest, SaysWhenTheBaseIsGone) {
  MakeVenv("srv/gone", "home = /opt/gone/bin\nversion = 3.12.1\n");
  EXPECT_THAT(Failure("/srv/gone"), HasSubstr("no Python 3.12.1 in /opt/gone/bin"));
}

TEST_F(AddVenvTest, SaysWhenADirectoryIsNoVirtualenv) {
  EXPECT_THAT(Failure("/opt"), HasSubstr("/opt is no virtualenv"));
}

}  // namespace
}  // namespace belljar::cell::image
