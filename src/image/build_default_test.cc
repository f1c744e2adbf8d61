// Copies the host's interpreters, some hundreds of megabytes: seconds, and more on a slow disk.
#include <gtest/gtest.h>

#include "image/paths.h"
#include "image/scratch.h"
#include "image/store.h"

namespace belljar::image {
namespace {

TEST(BuildDefault, HoldsAShellPythonAndTheirLibraries) {
  const Scratch scratch;
  ImageStore store = *ImageStore::Open(scratch.path("store"));
  const auto image = store.BuildDefault({}, nullptr);
  ASSERT_TRUE(image) << image.error().message();
  const Root root(image->rootfs);
  for (const char* path : {"/bin/sh", "/bin/bash", "/bin/ls", "/usr/bin/python3"}) {
    EXPECT_TRUE(root.FindFile(path)) << path;
  }
  ASSERT_GE(image->python_paths.size(), 2U);
  EXPECT_TRUE(root.FindFile(image->python_paths[0] + "/os.py"));
  EXPECT_TRUE(root.FindDirectory("/workspace"));
  EXPECT_FALSE(root.FindFile("/etc/shadow"));
  EXPECT_FALSE(root.FindFile("/etc/ld.so.cache"));
}

}  // namespace
}  // namespace belljar::image
