#include "cell/oci/host/runtime.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

namespace belljar::cell::oci {
namespace {

TEST(FindRuntime, SaysWhatIsMissingAndHowToGetIt) {
  const auto absent = FindRuntime({"runsc-of-nobody", ""});
  ASSERT_FALSE(absent);
  EXPECT_EQ(absent.error().message(),
            "runsc-of-nobody is not installed: on Debian, apt-get install runsc-of-nobody");
  EXPECT_FALSE(FindRuntime({"./runsc", ""}));
}

// An executable that prints `version` for any arguments.
class FakeRuntime {
 public:
  explicit FakeRuntime(const std::string& version) {
    std::ofstream(path_) << "#!/bin/sh\necho '" << version << "'\n";
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
  }
  FakeRuntime(const FakeRuntime&) = delete;
  FakeRuntime& operator=(const FakeRuntime&) = delete;
  ~FakeRuntime() { std::filesystem::remove(path_); }
  const std::string& path() const { return path_; }

 private:
  std::string path_ = testing::TempDir() + "runtime-" + std::to_string(::getpid());
};

TEST(FindRuntime, RefusesEveryRuntimeButRunsc) {
  for (const char* version : {"crun version 1.8.1", "runc version 1.1.5", "youki version 0.5.7",
                              "runscx version 1", "", "this is no runsc version 1"}) {
    const FakeRuntime runtime(version);
    const auto other = FindRuntime({runtime.path(), ""});
    ASSERT_FALSE(other) << version;
    EXPECT_EQ(other.error().kind(), Kind::kInvalid);
    EXPECT_EQ(other.error().message(),
              runtime.path() +
                  " is not gVisor's runsc, by what its --version prints, and no other runtime "
                  "is accepted: name runsc in gvisor.runtime");
  }
}

TEST(VersionFrom, IsTheRestOfTheFirstLine) {
  EXPECT_EQ(*VersionFrom("x", "runsc version 0.0~2022\nspec: 1.0.2\n"), "0.0~2022");
  EXPECT_EQ(*VersionFrom("x", "runsc version release-20250101.0"), "release-20250101.0");
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
    return WithRoom(RoomOf({"runsc", "1", platform, ""}), processes);
  };
  EXPECT_EQ(with("ptrace", 64), 9 * 64 + 112);
  EXPECT_EQ(with("systrap", 1000) - with("systrap", 0), 3000);
  EXPECT_EQ(with("systrap", UINT32_MAX), UINT32_MAX);
}

TEST(RuntimeCommand, NeverGivesRunscANetworkOrGroupsOfItsOwn) {
  const Runtime runsc{"/usr/bin/runsc", "1", "ptrace", ""};
  const auto as_user = RuntimeCommand(runsc, As::kUser, "/keep/state");
  for (const char* flag :
       {"--network=none", "--ignore-cgroups", "--rootless", "--platform=ptrace"}) {
    EXPECT_NE(std::ranges::find(as_user, flag), as_user.end()) << flag;
  }
  const auto as_root = RuntimeCommand(runsc, As::kRoot, "/keep/state");
  EXPECT_EQ(std::ranges::find(as_root, "--rootless"), as_root.end());
}

TEST(Runtime, ThatHangsIsToldByNameAndWithItsPlatform) {
  EXPECT_EQ(AdviceWhenSilent({"/usr/bin/runsc", "1", "kvm", ""}),
            "/usr/bin/runsc with the platform kvm hangs: see what belljar doctor says of it, and "
            "name another gvisor.platform or gvisor.runtime in belljar.toml");
}

}  // namespace
}  // namespace belljar::cell::oci
