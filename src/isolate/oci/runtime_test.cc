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

TEST(RoomOf, GrowsWithTheGuestsProcessesWhereEachIsSeveralOfTheHosts) {
  const auto with = [](const char* platform, std::uint32_t processes) {
    return WithRoom(RoomOf({RuntimeKind::kRunsc, "runsc", "1", platform, ""}), processes);
  };
  EXPECT_EQ(with("ptrace", 64), 9 * 64 + 112);
  EXPECT_EQ(with("systrap", 1000) - with("systrap", 0), 3000);
  EXPECT_EQ(with("systrap", UINT32_MAX), UINT32_MAX);
  EXPECT_EQ(WithRoom(RoomOf({RuntimeKind::kCrun, "crun", "1", "", ""}), 16), 18);
  const ProcessRoom of_runc = RoomOf({RuntimeKind::kRunc, "runc", "1", "", ""});
  EXPECT_EQ(WithRoom(of_runc, 1), of_runc.least);
  EXPECT_GE(of_runc.least, 22);
  EXPECT_EQ(WithRoom(of_runc, of_runc.least), of_runc.least + 2);
}

TEST(RuntimeCommand, NeverGivesRunscANetworkOrGroupsOfItsOwn) {
  const Runtime runsc{RuntimeKind::kRunsc, "/usr/bin/runsc", "1", "ptrace", ""};
  const auto as_user = RuntimeCommand(runsc, As::kUser, "/keep/state");
  for (const char* flag :
       {"--network=none", "--ignore-cgroups", "--rootless", "--platform=ptrace"}) {
    EXPECT_NE(std::ranges::find(as_user, flag), as_user.end()) << flag;
  }
  const auto as_root = RuntimeCommand(runsc, As::kRoot, "/keep/state");
  EXPECT_EQ(std::ranges::find(as_root, "--rootless"), as_root.end());
}

TEST(Runtime, ThatHangsIsToldByNameAndWithItsPlatform) {
  EXPECT_EQ(AdviceWhenSilent({RuntimeKind::kRunsc, "/usr/bin/runsc", "1", "kvm", ""}),
            "/usr/bin/runsc with the platform kvm hangs: see what belljar doctor says of it, and "
            "name another gvisor.platform or gvisor.runtime in belljar.toml");
  EXPECT_EQ(AdviceWhenSilent({RuntimeKind::kCrun, "/usr/bin/crun", "1", "", ""}),
            "/usr/bin/crun hangs: see what belljar doctor says of it, and name another "
            "gvisor.runtime in belljar.toml");
}

}  // namespace
}  // namespace belljar::isolate
