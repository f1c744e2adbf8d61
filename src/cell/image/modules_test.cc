#include "cell/image/modules.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "cell/image/scratch.h"

namespace belljar::cell::image {
namespace {

class Modules : public testing::Test {
 protected:
  void Make(const std::string& path) {
    const std::filesystem::path file = image_.rootfs + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << "x";
  }
  void SetUp() override {
    image_.rootfs = scratch_.path("rootfs");
    image_.python_paths = {"/lib/python3", "/lib/python3/dynload", "/lib/none"};
    Make("/lib/python3/os.py");
  }

  Scratch scratch_;
  Image image_;
};

TEST_F(Modules, OfPythonAreFilesAndFoldersOfItsSearchPaths) {
  Make("/lib/python3/json/__init__.py");
  Make("/lib/python3/numpy-1.2.dist-info/METADATA");
  Make("/lib/python3/__pycache__/gone.cpython-311.pyc");
  Make("/lib/python3/README.txt");
  Make("/lib/python3/dynload/_ssl.cpython-311-x86_64-linux-gnu.so");
  Make("/lib/python3/dynload/old.so");
  const auto modules = PythonModules(image_);
  ASSERT_TRUE(modules) << modules.error().message();
  for (const char* const there : {"os", "json", "_ssl", "old", "sys", "math"}) {
    EXPECT_TRUE(modules->Has(there)) << there;
  }
  for (const char* const missing : {"numpy", "gone", "README", "__pycache__", "tkinter", ""}) {
    EXPECT_FALSE(modules->Has(missing)) << missing;
  }
}

TEST_F(Modules, StayInsideTheImage) {
  std::filesystem::create_directory_symlink("/", image_.rootfs + "/lib/none");
  const auto modules = PythonModules(image_);
  ASSERT_TRUE(modules) << modules.error().message();
  EXPECT_FALSE(modules->Has("etc"));
  EXPECT_TRUE(modules->Has("lib"));  // the image's own root
}

TEST_F(Modules, OfNodeAreBuiltInOrInItsFolders) {
  Make("/node_modules/axios/package.json");
  Make("/node_modules/@scope/part/package.json");
  Make("/usr/lib/node/one.js");
  const auto modules = NodeModules(image_);
  ASSERT_TRUE(modules) << modules.error().message();
  for (const char* const there : {"fs", "axios", "@scope/part", "one"}) {
    EXPECT_TRUE(modules->Has(there)) << there;
  }
  EXPECT_FALSE(modules->Has("left-pad"));
  EXPECT_FALSE(modules->Has("@scope"));
}

}  // namespace
}  // namespace belljar::cell::image
