// Copies the host's interpreters, some hundreds of megabytes: seconds, and more on a slow disk.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cell/image/manifest.h"
#include "cell/image/origin.h"
#include "cell/image/paths.h"
#include "cell/image/scratch.h"
#include "cell/image/store.h"

namespace belljar::cell::image {
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

TEST(FreshDefault, ReplacesAnImageOfAnotherOriginAndKeepsItsModules) {
  const Scratch scratch;
  ImageStore store = *ImageStore::Open(scratch.path("store"));
  Image old;
  old.source = "host";
  old.origin = "of older packages";
  old.preimport = {"json", "os.path"};
  scratch.Write("store/default/image.json", WriteManifest(old));
  const auto fresh = store.FreshDefault(nullptr);
  ASSERT_TRUE(fresh) << fresh.error().message();
  EXPECT_EQ(fresh->origin, HostOrigin());
  EXPECT_THAT(fresh->preimport, testing::ElementsAre("json", "os.path"));
  EXPECT_TRUE(Root(fresh->rootfs).FindFile("/usr/bin/python3"));
  const auto again =
      store.FreshDefault([](const Progress&) { ADD_FAILURE() << "it was built a second time"; });
  ASSERT_TRUE(again) << again.error().message();
  EXPECT_EQ(again->created, fresh->created);
}

}  // namespace
}  // namespace belljar::cell::image
