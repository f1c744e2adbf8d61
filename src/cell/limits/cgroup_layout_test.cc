#include "cell/limits/cgroup_layout.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace belljar::cell::limits {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::string_view kRoot = "/sys/fs/cgroup";

TEST(FindHierarchies, PutsV2FirstOnAHybridMachine) {
  const auto found = FindHierarchies(
      "32 31 0:29 / /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
      "40 31 0:37 / /sys/fs/cgroup/systemd rw - cgroup cgroup rw,name=systemd\n"
      "41 31 0:38 / /sys/fs/cgroup/unified rw shared:4 - cgroup2 cgroup2 rw\n",
      "9:name=systemd:/\n2:cpu,cpuacct:/user\n0::/me\n", kRoot);
  EXPECT_THAT(
      found,
      ElementsAre(
          Hierarchy{CgroupBy::kV2, {}, "/sys/fs/cgroup/unified/me", "/sys/fs/cgroup/unified"},
          Hierarchy{
              CgroupBy::kV1, {"name=systemd"}, "/sys/fs/cgroup/systemd", "/sys/fs/cgroup/systemd"},
          Hierarchy{CgroupBy::kV1,
                    {"cpu", "cpuacct"},
                    "/sys/fs/cgroup/cpu,cpuacct/user",
                    "/sys/fs/cgroup/cpu,cpuacct"}));
}

TEST(FindHierarchies, SubtractsTheRootAContainerSees) {
  const auto found =
      FindHierarchies("1 2 0:3 /docker/ab /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
                      "4:memory:/docker/ab/inner\n", kRoot);
  EXPECT_THAT(
      found,
      ElementsAre(Hierarchy{
          CgroupBy::kV1, {"memory"}, "/sys/fs/cgroup/memory/inner", "/sys/fs/cgroup/memory"}));
}

TEST(FindHierarchies, LeavesOutAGroupThatCannotBeSeen) {
  constexpr std::string_view kMount =
      "1 2 0:3 /docker/ab /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n";
  EXPECT_THAT(FindHierarchies(kMount, "4:memory:/docker/abc\n", kRoot), IsEmpty());
  EXPECT_THAT(
      FindHierarchies("1 2 0:3 / /sys/fs/cgroup rw - cgroup2 none rw\n", "0::/../x\n", kRoot),
      IsEmpty());
}

TEST(FindHierarchies, LooksOnlyBelowTheRoot) {
  EXPECT_THAT(FindHierarchies("1 2 0:3 / /sys/fs/cgroup2 rw - cgroup2 none rw\n", "0::/\n", kRoot),
              IsEmpty());
}

TEST(FindHierarchies, UndoesTheEscapesOfMountPoints) {
  const auto found =
      FindHierarchies("1 2 0:3 / /my\\040groups rw - cgroup2 none rw\n", "0::/a:b\n", "/my groups");
  EXPECT_THAT(found, ElementsAre(Hierarchy{CgroupBy::kV2, {}, "/my groups/a:b", "/my groups"}));
}

TEST(FindHierarchies, TheLaterMountHidesTheEarlier) {
  const auto found = FindHierarchies(
      "1 2 0:3 / /sys/fs/cgroup rw - cgroup cgroup rw,memory\n"
      "2 2 0:4 / /sys/fs/cgroup rw - cgroup2 none rw\n",
      "4:memory:/\n0::/\n", kRoot);
  EXPECT_THAT(found, ElementsAre(Hierarchy{CgroupBy::kV2, {}, "/sys/fs/cgroup", "/sys/fs/cgroup"}));
}

TEST(FindHierarchies, PassesOverLinesItDoesNotKnow) {
  EXPECT_THAT(FindHierarchies("\n - \nx - cgroup\n1 2 3 4 5 - cgroup2\n", "::\n0\n:\n\n", kRoot),
              IsEmpty());
}

}  // namespace
}  // namespace belljar::cell::limits
