#include "isolate/oci/runtime.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace belljar::isolate {
namespace {

TEST(FindRuntime, SaysWhatIsMissingAndHowToGetIt) {
  const auto absent = FindRuntime({"runsc-of-nobody", ""});
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().message(),
            "runsc-of-nobody is not installed: on Debian, apt-get install runsc-of-nobody");
  EXPECT_FALSE(FindRuntime({"./runsc", ""}));
  const auto other = FindRuntime({"/bin/echo", ""});
  ASSERT_FALSE(other);
  EXPECT_EQ(other.error().message(),
            "/bin/echo is neither runsc nor crun nor runc, by what it says of its version");
}

TEST(KindFromVersion, KnowsTheThree) {
  EXPECT_EQ(*KindFromVersion("x", "runsc version 0.0~2022\nspec: 1.0.2\n"), RuntimeKind::kRunsc);
  EXPECT_EQ(*KindFromVersion("x", "crun version 1.8.1\n"), RuntimeKind::kCrun);
  EXPECT_EQ(*KindFromVersion("x", "runc version 1.1.5\n"), RuntimeKind::kRunc);
  EXPECT_EQ(VersionFrom("runsc version release-20250101.0\nspec: 1.1\n"), "release-20250101.0");
}

TEST(HasPlatform, ReadsTheOneLineThatListsThem) {
  const std::string flags =
      "  -overlay2 value\n  -platform string\n"
      "    \tspecifies which platform to use: ptrace (default), kvm. (default \"ptrace\")\n"
      "  -platform_device_path string\n    \tof systrap or kvm\n";
  EXPECT_TRUE(HasPlatform(flags, "ptrace"));
  EXPECT_FALSE(HasPlatform(flags, "systrap"));
}

TEST(RuntimeCommand, NeverGivesRunscANetworkOrGroupsOfItsOwn) {
  const Runtime runsc{RuntimeKind::kRunsc, "/usr/bin/runsc", "1", "ptrace"};
  const auto as_user = RuntimeCommand(runsc, As::kUser, "/keep/state");
  for (const char* flag :
       {"--network=none", "--ignore-cgroups", "--rootless", "--platform=ptrace"}) {
    EXPECT_NE(std::ranges::find(as_user, flag), as_user.end()) << flag;
  }
  const auto as_root = RuntimeCommand(runsc, As::kRoot, "/keep/state");
  EXPECT_EQ(std::ranges::find(as_root, "--rootless"), as_root.end());
}

}  // namespace
}  // namespace belljar::isolate
