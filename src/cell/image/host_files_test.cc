#include "cell/image/host_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cell/image/program.h"
#include "cell/image/python_files.h"
#include "cell/image/scratch.h"
#include "cell/image/tree.h"

namespace belljar::cell::image {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(AddTools, KeepsTheHostsLinks) {
  const Scratch host;
  host.Write("usr/bin/bash", "", 0755);
  host.Write("usr/bin/mawk", "", 0755);
  host.MakeLink("bin", "usr/bin");
  host.MakeLink("usr/bin/awk", "/etc/alternatives/awk");
  host.MakeLink("etc/alternatives/awk", "/usr/bin/mawk");
  FilePlan plan;
  Image image;
  ASSERT_TRUE(AddTools(Root(host.path()), plan, image));
  EXPECT_EQ(image.bash, "/usr/bin/bash");
  EXPECT_EQ(plan.entries().at("/bin").from, "usr/bin");
  EXPECT_EQ(plan.entries().at("/etc/alternatives/awk").type, Entry::Type::kLink);
  EXPECT_EQ(plan.entries().at("/usr/bin/mawk").type, Entry::Type::kFile);
}

TEST(AddTools, TakesFileOnlyWithItsTable) {
  const Scratch host;
  host.Write("usr/bin/bash", "", 0755);
  host.Write("usr/bin/file", "", 0755);
  Image image;
  FilePlan without;
  ASSERT_TRUE(AddTools(Root(host.path()), without, image));
  EXPECT_FALSE(without.Has("/usr/bin/file"));
  host.Write("usr/share/misc/magic.mgc", "");
  FilePlan with;
  ASSERT_TRUE(AddTools(Root(host.path()), with, image));
  EXPECT_TRUE(with.Has("/usr/bin/file"));
}

TEST(AddTools, SaysWhatToDoWithoutBash) {
  const Scratch host;
  FilePlan plan;
  Image image;
  const auto added = AddTools(Root(host.path()), plan, image);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().message(),
            "no bash in /usr/bin or /bin: install bash or build an image with --from");
}

TEST(AddSystemPython, SaysWhatToDoWithoutPython) {
  const Scratch host;
  FilePlan plan;
  Image image;
  const auto added = AddSystemPython(Root(host.path()), plan, image);
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().message(),
            "no python3 in /usr/bin: install python3 or build an image with --from");
}

TEST(AddSystemPython, DoesNotRunAShim) {
  const Scratch host;
  host.Write("usr/bin/python3", "#!/bin/sh\ntouch " + host.path("ran") + "\n", 0755);
  FilePlan plan;
  Image image;
  EXPECT_FALSE(AddSystemPython(Root(host.path()), plan, image));
  EXPECT_FALSE(std::filesystem::exists(host.path("ran")));
}

TEST(AddStdlib, LeavesOutTestsAndPackages) {
  const Scratch host;
  for (const char* file :
       {"os.py", "test/x.py", "config-3.11-x86/Makefile", "lib2to3/tests/x.py", "lib2to3/x.py",
        "site-packages/p.py", "testing.py", "lib-dynload/m.so"}) {
    host.Write(std::string("lib/python3.11/") + file, "");
  }
  const Root root(host.path());
  FilePlan plan;
  Image image;
  const Resolved stdlib{"/lib/python3.11", {}};
  ASSERT_TRUE(AddStdlib(root, plan, stdlib, TreeRules::Take::kEverything, image));
  EXPECT_TRUE(plan.Has("/lib/python3.11/os.py"));
  EXPECT_TRUE(plan.Has("/lib/python3.11/testing.py"));
  EXPECT_TRUE(plan.Has("/lib/python3.11/lib2to3/x.py"));
  EXPECT_FALSE(plan.Has("/lib/python3.11/test"));
  EXPECT_FALSE(plan.Has("/lib/python3.11/lib2to3/tests"));
  EXPECT_FALSE(plan.Has("/lib/python3.11/config-3.11-x86"));
  EXPECT_FALSE(plan.Has("/lib/python3.11/site-packages"));
  EXPECT_THAT(image.python_paths, ElementsAre("/lib/python3.11", "/lib/python3.11/lib-dynload"));
}

TEST(SupportedMinor, BeginsAtThreeEight) {
  EXPECT_EQ(*SupportedMinor("3.8.18"), 8);
  EXPECT_EQ(*SupportedMinor("3.13"), 13);
  for (const char* version : {"3.7.16", "2.7.18", "4.0", "3.", "3.x", "", "3.-1"}) {
    EXPECT_FALSE(SupportedMinor(version)) << version;
  }
}

TEST(AddTreeImage, DerivesPythonFromTheTreeWithoutRunningIt) {
  const Scratch tree;
  tree.Write("usr/bin/python3.11", "#!/bin/sh\ntouch " + tree.path("ran") + "\n", 0755);
  tree.MakeLink("usr/bin/python3", "python3.11");
  tree.Write("usr/lib/python3.11/os.py", "");
  tree.MakeDir("usr/lib/python3.11/lib-dynload");
  tree.MakeDir("usr/lib/python3/dist-packages");
  tree.MakeDir("usr/local/lib/python3.11/dist-packages");
  FilePlan plan;
  Image image;
  ASSERT_TRUE(AddTreeImage(Root(tree.path()), plan, image));
  EXPECT_EQ(image.python, "/usr/bin/python3.11");
  EXPECT_EQ(image.python_version, "3.11");
  EXPECT_THAT(
      image.python_paths,
      ElementsAre("/usr/lib/python3.11", "/usr/lib/python3.11/lib-dynload",
                  "/usr/local/lib/python3.11/dist-packages", "/usr/lib/python3/dist-packages"));
  EXPECT_FALSE(std::filesystem::exists(tree.path("ran")));
}

TEST(AddTreeImage, DoesNotTakeTheHostsPythonForTheTrees) {
  const Scratch tree;
  tree.MakeLink("usr/bin/python3", "../../../../../../../../usr/bin/python3.11");
  tree.MakeLink("usr/bin/node", "/proc/self/exe");
  tree.Write("bin/bash", "", 0755);
  FilePlan plan;
  Image image;
  ASSERT_TRUE(AddTreeImage(Root(tree.path()), plan, image));
  EXPECT_EQ(image.python, "");
  EXPECT_EQ(image.node, "");
  EXPECT_EQ(image.bash, "/bin/bash");
}

TEST(AddTreeImage, MakesMountPointsEmptyDirectoriesWhateverTheTreeHasThere) {
  const Scratch tree;
  tree.Write("bin/bash", "", 0755);
  tree.MakeLink("tmp", "/etc");
  tree.Write("run/left.pid", "");
  tree.Write("dev", "a file");
  FilePlan plan;
  Image image;
  ASSERT_TRUE(AddTreeImage(Root(tree.path()), plan, image));
  for (const char* dir : {"/proc", "/dev", "/workspace", "/tmp", "/run", "/.belljar"}) {
    EXPECT_EQ(plan.entries().at(dir).type, Entry::Type::kDirectory) << dir;
  }
  EXPECT_FALSE(plan.Has("/run/left.pid"));
}

TEST(AddModulesLink, LeavesATreeItsOwnModules) {
  const Scratch tree;
  tree.Write("bin/bash", "", 0755);
  const auto modules = [&] {
    FilePlan plan;
    Image image;
    EXPECT_TRUE(AddTreeImage(Root(tree.path()), plan, image));
    return plan.entries().at("/node_modules");
  };
  EXPECT_EQ(modules().type, Entry::Type::kLink);
  EXPECT_EQ(modules().from, "/run/belljar");
  tree.Write("node_modules/other/index.js", "");
  EXPECT_EQ(modules().type, Entry::Type::kDirectory);
}

TEST(AskProgram, ReturnsWhatItPrints) {
  const auto text = AskProgram({"/bin/sh", "-c", "echo $HOME; echo 3.11"}, milliseconds(10000));
  ASSERT_TRUE(text) << text.error().message();
  EXPECT_EQ(*text, "\n3.11\n") << "the environment is not the caller's";
}

TEST(AskProgram, ReportsAFailure) {
  EXPECT_FALSE(AskProgram({"/bin/sh", "-c", "exit 3"}, milliseconds(10000)));
  EXPECT_FALSE(AskProgram({"/nonexistent"}, milliseconds(10000)));
}

TEST(AskProgram, KillsAProgramThatDoesNotAnswer) {
  const auto text = AskProgram({"/bin/sh", "-c", "read line < /dev/zero"}, milliseconds(50));
  ASSERT_FALSE(text);
  EXPECT_THAT(text.error().message(), HasSubstr("did not answer in time"));
}

}  // namespace
}  // namespace belljar::cell::image
